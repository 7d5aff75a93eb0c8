import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less may lie about until V8 comes by. */
const worthBytes = 2 * 1024 * 1024;

/** By then what has arrived is on disk, and whoever sent it commonly waits for something else than this thread. */
const afterMs = 50;

let arrivedBytes = 0;
let isDue = false;

/**
 * Counts a block of a body, which nobody holds for long. Once there are many,
 * their memory is freed, which takes about a millisecond. Left alone, V8
 * counts these bytes without looking for them where they are, among its
 * youngest objects, and goes through its whole heap after every third picture
 * or so, in the middle of the next one.
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

// V8 has it, but shows it only to contexts that come into being under its flag.
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
