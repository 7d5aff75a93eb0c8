import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { parseVerdict } from './parse-verdict.ts';
import type { FileVerdict, InspectionRequest } from './verdict.ts';

/** What one inspector may use. A file that needs more is refused, whatever it is. */
export interface InspectorLimits {
  readonly memoryMaxBytes: number;
  /** From the question to the verdict. */
  readonly verdictMs: number;
  /** The same for a further file: one that takes longer is looked at once more by a process that has done nothing before. */
  readonly furtherVerdictMs: number;
  /** A process that has been at work for longer in all, or that has more memory left over, looks at no further file. */
  readonly workMaxMs: number;
  readonly leftoverMaxBytes: number;
  /** From the start of the process to its readiness. */
  readonly startMs: number;
}

/** Room for the largest pictures and pages that are taken; an upload is answered within 30 s. */
export const inspectorLimits: InspectorLimits = {
  memoryMaxBytes: 768 * 1024 * 1024,
  verdictMs: 20_000,
  furtherVerdictMs: 5_000,
  workMaxMs: 2_000,
  leftoverMaxBytes: 256 * 1024 * 1024,
  startMs: 10_000,
};

/** The inspector could not be started: a trouble of this machine, and not of the file. */
export class InspectorUnavailable extends Error {
  override readonly name = 'InspectorUnavailable';
}

/** What came of one file, with what the process said when it ended otherwise than by a verdict. */
export interface Inspected {
  readonly verdict: FileVerdict;
  readonly trouble: string | undefined;
}

const program = createRequire(import.meta.url).resolve('@agent-platform/server/inspector');
const nodeFlags = ['--max-old-space-size=384', '--disallow-code-generation-from-strings'];
const outputMaxLength = 16 * 1024;
const writtenMaxBytes = 64 * 1024 * 1024;
const blockBytes = 512;
const watchMemoryEveryMs = 100;
// The inspector yields to the server, which answers everybody else.
const lowPriority = 10;

/**
 * A process of its own that looks at files, one after the other. It gets no
 * environment and no open file, and limits that the kernel holds it to: memory,
 * processor time (by which it ends even when its server was killed), and what
 * it writes.
 */
export class InspectorProcess {
  readonly #limits: InspectorLimits;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #closed: Promise<unknown>;
  readonly #ready: Promise<boolean>;
  #hear: (line: string) => void;
  #heard = '';
  #complaint = '';
  #workMs = 0;
  #hasEnded = false;

  constructor(limits: InspectorLimits) {
    this.#limits = limits;
    this.#child = spawn('/bin/sh', ['-c', limitScript(limits), 'inspector', process.execPath, ...nodeFlags, program], {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    this.#ready = ready;
    this.#hear = () => resolve(true);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-outputMaxLength);
    });
    // A process that is gone cannot be asked; what matters is told by its end.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) => {
      this.#complaint += error.message;
    });
    this.#closed = once(this.#child, 'close').catch(() => undefined);
    this.#closed.then(() => {
      this.#hasEnded = true;
      resolve(false);
    });
    if (this.#child.pid !== undefined) yieldToOthers(this.#child.pid);
  }

  /** Whether it has looked at a file before. */
  get isUsed(): boolean {
    return this.#workMs > 0;
  }

  /** Asks one question at a time. A file that ends the process, by whatever means, is too costly. */
  async inspect(inspection: InspectionRequest): Promise<Inspected> {
    const starting = setTimeout(() => this.end(), this.#limits.startMs);
    const isReady = await this.#ready;
    clearTimeout(starting);
    if (!isReady) throw new InspectorUnavailable(this.#complaint || 'The inspector did not start in time.');
    const { verdictMs, furtherVerdictMs } = this.#limits;
    const judging = setTimeout(() => this.end(), this.isUsed ? furtherVerdictMs : verdictMs);
    const watching = setInterval(() => void this.#checkMemory(), watchMemoryEveryMs);
    const startedMs = performance.now();
    const line = await this.#ask(JSON.stringify(inspection));
    this.#workMs += performance.now() - startedMs;
    clearTimeout(judging);
    clearInterval(watching);
    return this.#readVerdict(line);
  }

  /** Tells whether it is fit for one more file: every one finds nearly as much room and time as the first. */
  async isFit(): Promise<boolean> {
    const { workMaxMs, leftoverMaxBytes } = this.#limits;
    return !this.#hasEnded && this.#workMs <= workMaxMs && (await this.#residentBytes()) <= leftoverMaxBytes;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves when the process is gone. */
  async whenEnded(): Promise<void> {
    await this.#closed;
  }

  async #ask(question: string): Promise<string> {
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    this.#hear = resolve;
    this.#child.stdin.write(`${question}\n`);
    return await Promise.race([answered, this.#closed.then(() => '')]);
  }

  // One line for each question. Whatever is said beyond is said by nobody we know.
  #take(text: string): void {
    this.#heard = (this.#heard + text).slice(0, outputMaxLength);
    const [line, ...unasked] = this.#heard.split('\n');
    if (line === undefined || unasked.length === 0) return;
    this.#heard = '';
    const hear = this.#hear;
    this.#hear = () => this.end();
    hear(line);
    if (unasked.join('') !== '') this.end();
  }

  #readVerdict(line: string): Inspected {
    const verdict = parseVerdict(line);
    if (verdict !== undefined) return { verdict, trouble: undefined };
    const { exitCode, signalCode } = this.#child;
    const trouble = `ended with ${signalCode ?? exitCode}: ${this.#complaint.trim()}`;
    return { verdict: { kind: 'refused', fault: 'too_costly' }, trouble };
  }

  // The kernel's limit has room to spare, and other systems have none; this one is exact, but late.
  async #checkMemory(): Promise<void> {
    if ((await this.#residentBytes()) > this.#limits.memoryMaxBytes) this.end();
  }

  // A process that cannot be looked at is gone.
  async #residentBytes(): Promise<number> {
    return await readResidentBytes(this.#child.pid ?? 0).catch(() => 0);
  }
}

// Node reserves this much for its code and hardly fills it, but the kernel counts it as data.
const reservedByNodeBytes = 700 * 1024 * 1024;

// A limit that the system does not know, or that is tighter already, is passed over.
function limitScript({ memoryMaxBytes, verdictMs, workMaxMs }: InspectorLimits): string {
  const limit = (flag: string, value: number) => `ulimit -${flag} ${Math.ceil(value)} 2>/dev/null`;
  // Two threads work on a picture.
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
    // It has ended already, or the system does not let us; either way it goes on as it is.
  }
}

const run = promisify(execFile);
const pageBytes = 4_096;

async function readResidentBytes(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => undefined);
  if (statm !== undefined) return Number(statm.split(' ')[1]) * pageBytes;
  const { stdout } = await run('/bin/ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * 1_024;
}
