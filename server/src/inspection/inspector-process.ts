import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { compileCache } from './compile-cache.ts';
import { codePaths, type Isolation, program } from './isolation.ts';
import { type FileVerdict, parseVerdict } from './parse-verdict.ts';
import { findInnermost, readProcessorMs, readResidentBytes } from './process-usage.ts';
import type { InspectionRequest } from './verdict.ts';
import { Workspace } from './workspace.ts';

/** The limits of one inspector. A file that exceeds them is refused. */
export type InspectorLimits = Readonly<typeof inspectorLimits>;

/** Sufficient for the largest accepted images and pages; an upload is answered within 30 s. */
export const inspectorLimits = {
  memoryMaxBytes: 768 * 1024 * 1024,
  /** From the request to the verdict. */
  verdictMs: 20_000,
  /** The same for a further file; above it, a fresh process inspects the file again. */
  furtherVerdictMs: 5_000,
  /** Above one of these, a process inspects no further file. */
  workMaxMs: 2_000,
  leftoverMaxBytes: 256 * 1024 * 1024,
  /** From the request to the readiness of a process that starts; on a quiet machine it takes half a second. */
  startMs: 20_000,
};

/** The inspector could not be started: a failure of this machine, not of the file. */
export class InspectorUnavailable extends Error {
  override readonly name = 'InspectorUnavailable';
}

/** The machine is too busy to inspect the file in time; the inspector works, and the file is not at fault. */
export class InspectorLate extends Error {
  override readonly name = 'InspectorLate';
}

/** The inspection was ended after the time that its caller allowed; a longer one may accept the file. */
export class InspectionCutShort extends Error {
  override readonly name = 'InspectionCutShort';
}

/** A verdict, with the error output of a process that ended without one. */
export interface Inspected {
  readonly verdict: FileVerdict;
  readonly trouble: string | undefined;
}

const outputMaxLength = 16 * 1024;
const writtenMaxBytes = 64 * 1024 * 1024;
const blockBytes = 512;
const watchMemoryEveryMs = 100;
/** The share of a processor that a file needs to be at fault for the time it takes. */
const fairShare = 0.1;
// The inspector yields to the server, and keeps a quarter of a processor beside programs that take all.
const lowPriority = 5;

/** How inspectors are started. */
export interface InspectorSetup {
  readonly limits: InspectorLimits;
  readonly isolation: Isolation;
  /** The folder of the incoming files. */
  readonly folder: string;
}

/**
 * A separate process that inspects files, one after the other, in a workspace of
 * its own. It has no environment except the folder of compiled code, and no open
 * file. The kernel limits its memory, its processor time (which ends it even when
 * its server was killed) and the bytes it writes; Node.js and the isolation limit
 * what it reaches.
 */
export class InspectorProcess {
  readonly #limits: InspectorLimits;
  readonly #workspace: Workspace;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #closed: Promise<unknown>;
  readonly #ready: Promise<boolean>;
  #onLine: (line: string) => void;
  #innermostPid: Promise<number> | undefined;
  #received = '';
  #errorOutput = '';
  #workMs = 0;
  #hasEnded = false;
  #isOverTime = false;
  #wasStarved = false;

  constructor({ limits, isolation, folder }: InspectorSetup) {
    this.#limits = limits;
    this.#workspace = new Workspace(folder);
    const command = [process.execPath, ...nodeFlags(this.#workspace), program];
    const isolated = isolation.wrap(this.#workspace.path, command);
    this.#child = spawn('/bin/sh', ['-c', limitScript(limits), 'inspector', ...isolated], {
      // With it a process starts in half of the time.
      env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    this.#ready = ready;
    this.#onLine = () => resolve(true);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-outputMaxLength);
    });
    // A write to an ended process fails; its end is handled below.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) => {
      this.#errorOutput += error.message;
    });
    this.#closed = once(this.#child, 'close').catch(() => undefined);
    this.#closed.then(() => {
      this.#hasEnded = true;
      resolve(false);
    });
    if (this.#child.pid !== undefined) yieldToOthers(this.#child.pid);
  }

  /** Whether it has inspected a file before. */
  get isUsed(): boolean {
    return this.#workMs > 0;
  }

  /**
   * Inspects one file at a time. A file that ends the process is too costly.
   *
   * @throws InspectorUnavailable, InspectorLate, InspectionCutShort (after `withinMs`)
   */
  async inspect(inspection: InspectionRequest, withinMs = Number.POSITIVE_INFINITY): Promise<Inspected> {
    await this.start();
    const lent = await this.#workspace.lend(inspection);
    const { verdictMs, furtherVerdictMs } = this.#limits;
    const mayTakeMs = this.isUsed ? furtherVerdictMs : verdictMs;
    // Read beside the request, which it must not delay.
    const usedBefore = this.#usedMs();
    const judging = setTimeout(
      () => void this.#endLate(usedBefore, mayTakeMs * fairShare),
      Math.min(mayTakeMs, withinMs),
    );
    const watching = setInterval(() => void this.#checkMemory(), watchMemoryEveryMs);
    const startedMs = performance.now();
    const line = await this.#send(JSON.stringify(lent));
    const wasUsed = this.isUsed;
    this.#workMs += performance.now() - startedMs;
    clearTimeout(judging);
    clearInterval(watching);
    if (line === '' && this.#isOverTime) {
      if (withinMs < mayTakeMs) throw new InspectionCutShort(`The inspection was ended after ${withinMs} ms.`);
      // A used process may not blame anything: the file is inspected again.
      if (this.#wasStarved && !wasUsed) throw new InspectorLate('The inspector received too little processor time.');
    }
    return await this.#readVerdict(line, inspection.preview);
  }

  /** Whether it may inspect one more file with nearly the memory and time of the first. */
  async isFit(): Promise<boolean> {
    const { workMaxMs, leftoverMaxBytes } = this.#limits;
    return !this.#hasEnded && this.#workMs <= workMaxMs && (await this.#residentBytes()) <= leftoverMaxBytes;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Lets it end by itself, which it does when there is no further request. */
  finish(): void {
    this.#child.stdin.end();
    setTimeout(() => this.end(), this.#limits.startMs).unref();
  }

  /** Resolves when the process has ended and its workspace is removed. */
  async whenEnded(): Promise<void> {
    await this.#closed;
    await this.#workspace.remove();
  }

  /**
   * Resolves when it is ready for its first file.
   *
   * @throws InspectorUnavailable when it ends before, InspectorLate when it takes too long on a busy machine
   */
  async start(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const starting = setTimeout(() => resolve('late'), this.#limits.startMs);
    const outcome = await Promise.race([this.#ready, late]);
    clearTimeout(starting);
    if (outcome === true) return;
    this.end();
    if (outcome === 'late') throw new InspectorLate(`The inspector did not start within ${this.#limits.startMs} ms.`);
    throw new InspectorUnavailable(this.#errorOutput || 'The inspector ended while it started.');
  }

  // A file that takes its time works for much of it; a process that waits for a processor does not.
  async #endLate(usedBefore: Promise<number>, fairMs: number): Promise<void> {
    this.#wasStarved = (await this.#usedMs()) - (await usedBefore) < fairMs;
    this.#isOverTime = true;
    this.end();
  }

  async #usedMs(): Promise<number> {
    return await readProcessorMs(await this.#innermost());
  }

  async #send(request: string): Promise<string> {
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    this.#onLine = resolve;
    this.#child.stdin.write(`${request}\n`);
    return await Promise.race([answered, this.#closed.then(() => '')]);
  }

  // One line for each request. A process that prints more is compromised and ends.
  #receive(text: string): void {
    this.#received = (this.#received + text).slice(0, outputMaxLength);
    const [line, ...surplus] = this.#received.split('\n');
    if (line === undefined || surplus.length === 0) return;
    this.#received = '';
    const onLine = this.#onLine;
    this.#onLine = () => this.end();
    onLine(line);
    if (surplus.join('') !== '') this.end();
  }

  async #readVerdict(line: string, preview: string): Promise<Inspected> {
    const verdict = parseVerdict(line);
    const isWhole = verdict?.kind !== 'accepted' || (await this.#workspace.takePreview(preview));
    await this.#workspace.takeBack();
    if (verdict !== undefined && isWhole) return { verdict, trouble: undefined };
    const { exitCode, signalCode } = this.#child;
    const cause = isWhole ? `ended with ${signalCode ?? exitCode}` : 'left no preview';
    return { verdict: tooCostly, trouble: `${cause}: ${this.#errorOutput.trim()}` };
  }

  // The limit of the kernel is generous, and other systems have none; this one is exact, but late.
  async #checkMemory(): Promise<void> {
    if ((await this.#residentBytes()) > this.#limits.memoryMaxBytes) this.end();
  }

  // A process without this entry has ended.
  async #residentBytes(): Promise<number> {
    return await readResidentBytes(await this.#innermost()).catch(() => 0);
  }

  // Under namespaces the process that was spawned waits for the inspector.
  async #innermost(): Promise<number> {
    this.#innermostPid ??= findInnermost(this.#child.pid ?? 0);
    return await this.#innermostPid;
  }
}

const tooCostly = { kind: 'refused', fault: 'too_costly' } as const;

/** What Node.js permits: a layer for its own functions; libraries in machine code are not bound by it. */
export function nodeFlags({ path, output }: Pick<Workspace, 'path' | 'output'>): readonly string[] {
  const caches = compileCache === undefined ? [] : [compileCache];
  return [
    ...['--max-old-space-size=384', '--disallow-code-generation-from-strings', '--disable-warning=SecurityWarning'],
    ...['--permission', '--allow-addons'],
    ...[...codePaths, path, ...caches].map((readable) => `--allow-fs-read=${readable}`),
    ...[output, ...caches].map((writable) => `--allow-fs-write=${writable}`),
  ];
}

// Node.js reserves this for its code and uses little of it, but the kernel counts it as data.
const reservedByNodeBytes = 700 * 1024 * 1024;

// A limit that the system does not support, or that is already tighter, is ignored.
function limitScript({ memoryMaxBytes, verdictMs, workMaxMs }: InspectorLimits): string {
  const limit = (flag: string, value: number) => `ulimit -${flag} ${Math.ceil(value)} 2>/dev/null`;
  // Two threads process an image.
  const secondsMax = (verdictMs + 2 * workMaxMs) / 1_000 + 5;
  return [
    limit('c', 0),
    limit('d', (memoryMaxBytes + reservedByNodeBytes) / 1_024),
    limit('t', secondsMax),
    limit('f', writtenMaxBytes / blockBytes),
    'exec "$@"',
  ].join('; ');
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, lowPriority);
  } catch {
    // It has ended, or the system refuses; the priority stays as it is.
  }
}
