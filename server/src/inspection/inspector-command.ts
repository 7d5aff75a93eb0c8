import { codePaths } from './isolation.ts';
import type { Workspace } from './workspace.ts';

/** The limits of one inspector. A file that exceeds them is refused. */
export type InspectorLimits = Readonly<typeof inspectorLimits>;

/** Sufficient for the largest accepted images and pages. */
export const inspectorLimits = {
  memoryMaxBytes: 768 * 1024 * 1024,
  /** The processor time that one file may take. */
  processorMs: 10_000,
  /** From the request to the verdict, a start included: on a busy machine a file needs longer for its processor time. */
  verdictMs: 60_000,
  /** The same for each later file; above it, a fresh process inspects the file again. */
  furtherVerdictMs: 5_000,
  /** Above one of these, a process inspects no more files. */
  workMaxMs: 2_000,
  leftoverMaxBytes: 256 * 1024 * 1024,
  /** From the request to the readiness of a process that starts; on a quiet machine it takes half a second. */
  startMs: 60_000,
};

/** Of compiled code, which a process that is not isolated may write. */
const compiledMaxBytes = 64 * 1024 * 1024;
const blockBytes = 512;

/** The permissions of Node.js: a layer for its own functions; native libraries are not bound by it. */
export function nodeFlags({ path }: Pick<Workspace, 'path'>, compileCache?: string): readonly string[] {
  const caches = compileCache === undefined ? [] : [compileCache];
  return [
    '--max-old-space-size=384',
    '--disable-warning=SecurityWarning',
    '--permission',
    '--allow-addons',
    ...[...codePaths, path, ...caches].map((readable) => `--allow-fs-read=${readable}`),
    ...caches.map((writable) => `--allow-fs-write=${writable}`),
  ];
}

// Node.js reserves this for its code and uses little of it, but the kernel counts it as data.
const reservedByNodeBytes = 700 * 1024 * 1024;

/** A script that runs its arguments within the limits; one that the system lacks, or that is tighter already, is ignored. */
export function limitScript({ memoryMaxBytes, processorMs, workMaxMs }: InspectorLimits): string {
  const limit = (flag: string, value: number) => `ulimit -${flag} ${Math.ceil(value)} 2>/dev/null`;
  // The start, files before (two threads process an image), and the file: it ends by this only above its own limit.
  const secondsMax = (processorMs + 2 * workMaxMs) / 1_000 + 5;
  return [
    limit('c', 0),
    limit('d', (memoryMaxBytes + reservedByNodeBytes) / 1_024),
    limit('t', secondsMax),
    limit('f', compiledMaxBytes / blockBytes),
    // A supervisor may signal every process of a service.
    "trap '' INT TERM HUP",
    'exec "$@"',
  ].join('; ');
}
