import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { parseVerdict } from './parse-verdict.ts';
import type { Inspection, Verdict } from './verdict.ts';

/** What one inspector may use. A file that needs more is refused, whatever it is. */
export interface InspectorLimits {
  readonly memoryMaxBytes: number;
  /** From the question to the verdict. */
  readonly verdictMs: number;
  /** From the start of the process to its readiness. */
  readonly startMs: number;
}

/** Room for the largest pictures and pages that are taken; an upload is answered within 30 s. */
export const inspectorLimits: InspectorLimits = {
  memoryMaxBytes: 768 * 1024 * 1024,
  verdictMs: 20_000,
  startMs: 10_000,
};

/** The inspector could not be started: a trouble of this machine, and not of the file. */
export class InspectorUnavailable extends Error {
  override readonly name = 'InspectorUnavailable';
}

/** What came of one file, with what the process said when it ended otherwise than by a verdict. */
export interface Inspected {
  readonly verdict: Verdict;
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
 * A process of its own that looks at one file and ends. It gets no environment
 * and no open file, and limits that the kernel holds it to: memory, processor
 * time (by which it ends even when its server was killed), and what it writes.
 */
export class InspectorProcess {
  readonly #limits: InspectorLimits;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #closed: Promise<unknown>;
  readonly #ready: Promise<boolean>;
  readonly #answered: Promise<void>;
  #output = '';
  #complaint = '';
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
    const { promise: answered, resolve: resolveAnswered } = Promise.withResolvers<void>();
    this.#answered = answered;
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(0, outputMaxLength);
      const lines = this.#output.split('\n').length - 1;
      if (lines >= 1) resolve(true);
      if (lines >= 2) resolveAnswered();
    });
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

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Asks the one question. A file that ends the process, by whatever means, is too costly. */
  async inspect(inspection: Inspection): Promise<Inspected> {
    const starting = setTimeout(() => this.end(), this.#limits.startMs);
    const isReady = await this.#ready;
    clearTimeout(starting);
    if (!isReady) throw new InspectorUnavailable(this.#complaint || 'The inspector did not start in time.');
    const judging = setTimeout(() => this.end(), this.#limits.verdictMs);
    const watching = setInterval(() => void this.#checkMemory(), watchMemoryEveryMs);
    this.#child.stdin.end(JSON.stringify(inspection));
    await Promise.race([this.#answered, this.#closed]);
    clearTimeout(judging);
    clearInterval(watching);
    // It has said all it has to say, and whatever it does now is of no use.
    this.end();
    return this.#readVerdict();
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves when the process is gone. */
  async whenEnded(): Promise<void> {
    await this.#closed;
  }

  #readVerdict(): Inspected {
    const verdict = parseVerdict(this.#output.split('\n')[1] ?? '');
    if (verdict !== undefined) return { verdict, trouble: undefined };
    const { exitCode, signalCode } = this.#child;
    const trouble = `ended with ${signalCode ?? exitCode}: ${this.#complaint.trim()}`;
    return { verdict: { kind: 'refused', fault: 'too_costly' }, trouble };
  }

  // The kernel's limit has room to spare, and other systems have none; this one is exact, but late.
  async #checkMemory(): Promise<void> {
    const resident = await readResidentBytes(this.#child.pid ?? 0).catch(() => 0);
    if (resident > this.#limits.memoryMaxBytes) this.end();
  }
}

// Node reserves this much for its code and hardly fills it, but the kernel counts it as data.
const reservedByNodeBytes = 700 * 1024 * 1024;

// A limit that the system does not know, or that is tighter already, is passed over.
function limitScript({ memoryMaxBytes, verdictMs }: InspectorLimits): string {
  const limit = (flag: string, value: number) => `ulimit -${flag} ${Math.ceil(value)} 2>/dev/null`;
  const secondsMax = verdictMs / 1_000 + 5;
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
