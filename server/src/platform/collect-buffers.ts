import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less than this is left to V8. */
const worthBytes = 2 * 1024 * 1024;

/** By then the blocks are on disk, and their sender commonly waits for another step than this thread's. */
const afterMs = 50;

let arrivedBytes = 0;
let isDue = false;

/**
 * Counts a block of a body, which is referenced for a short time only. After so
 * many bytes their memory is freed, which takes about a millisecond. Without
 * this, V8 counts the bytes but does not search its youngest objects for them,
 * and collects its whole heap after every third picture or so, in the middle
 * of the next one.
 */
export function countBuffer(bytes: number): void {
  arrivedBytes += bytes;
  if (arrivedBytes < worthBytes || isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    arrivedBytes = 0;
    collect({ type: 'minor' });
  }, afterMs).unref();
}

const collect = openCollector();

// V8 exposes the function only to contexts that are created under its flag.
function openCollector(): (options: { readonly type: 'minor' }) => void {
  const found: unknown = globalThis.gc ?? findHidden();
  return typeof found === 'function' ? (options) => found(options) : () => undefined;
}

function findHidden(): unknown {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('globalThis.gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
