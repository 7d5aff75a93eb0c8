import { inspectorCodePaths } from './isolation.ts';
import { hasSessionShare } from './session-share.ts';
import type { InspectorWorkspace } from './workspace.ts';

export type InspectorLimits = Readonly<typeof inspectorLimits>;

/** These limits suffice for the largest accepted images and pages. */
export const inspectorLimits = {
  memoryMaxBytes: 768 * 1024 * 1024,
  /** The maximum processor time for one file. */
  processorMs: 10_000,
  /** The time from request to verdict, including a process start; long, because a busy machine is slow. */
  verdictMs: 60_000,
  /** The same limit for each later file of the process; if exceeded, a fresh process inspects the file again. */
  furtherVerdictMs: 5_000,
  /** A process that exceeds `workMaxMs` or `leftoverMaxBytes` inspects no more files. */
  workMaxMs: 2_000,
  leftoverMaxBytes: 256 * 1024 * 1024,
  /** The time limit for the start of a process, which takes half a second on an idle machine. */
  startMs: 60_000,
};

/** The size limit of the compiled code, which a process without isolation may write. */
const compiledMaxBytes = 64 * 1024 * 1024;
const blockBytes = 512;

/** The permissions restrict Node.js's own functions but not native libraries. */
export function makeNodeFlags({ path }: Pick<InspectorWorkspace, 'path'>, compileCache?: string): readonly string[] {
  const caches = compileCache === undefined ? [] : [compileCache];
  return [
    '--max-old-space-size=384',
    '--disable-warning=SecurityWarning',
    '--permission',
    '--allow-addons',
    ...[...inspectorCodePaths, path, ...caches].map((readable) => `--allow-fs-read=${readable}`),
    ...caches.map((writable) => `--allow-fs-write=${writable}`),
  ];
}

// Without processor shares per session, an inspector that always yields would never run next to a busy server.
const yieldsAtOnce = hasSessionShare();

// Node.js reserves this memory for its code and uses little of it, but the kernel counts all of it as data.
const reservedByNodeBytes = 700 * 1024 * 1024;

/** Returns a shell script that runs its arguments within those limits that the system supports. */
export function makeLimitScript({ memoryMaxBytes, processorMs, workMaxMs }: InspectorLimits): string {
  const limit = (flag: string, value: number) => `ulimit -${flag} ${Math.ceil(value)} 2>/dev/null`;
  // The limit suffices for the start, earlier files (an image uses two threads) and this file together, so a process
  // within the other limits never reaches it.
  const secondsMax = (processorMs + 2 * workMaxMs) / 1_000 + 5;
  return [
    limit('c', 0),
    limit('d', (memoryMaxBytes + reservedByNodeBytes) / 1_024),
    limit('t', secondsMax),
    limit('f', compiledMaxBytes / blockBytes),
    // Ignores the signals that a supervisor may send to every process of a service.
    "trap '' INT TERM HUP",
    // The inspector then yields to the server immediately, which shortens the slowest concurrent requests by a third.
    ...(yieldsAtOnce ? ['chrt -i -p 0 $$ 2>/dev/null'] : []),
    'exec "$@"',
  ].join('; ');
}
