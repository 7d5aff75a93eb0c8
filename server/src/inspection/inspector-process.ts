import { existsSync } from 'node:fs';
import { type InspectorLimits, makeLimitScript, makeNodeFlags } from './inspector-command.ts';
import { type Isolation, inspectorProgram } from './isolation.ts';
import type { LaunchedProgram, Launcher, ProgramEnd } from './launcher.ts';
import { type FileVerdict, parseVerdict, verdictLineMaxLength } from './parse-verdict.ts';
import { findInnermostProcess, readProcessorMs, readResidentBytes } from './processes.ts';
import type { InspectionRequest } from './verdict.ts';
import { InspectorWorkspace } from './workspace.ts';

/** Thrown if the inspector could not be started, which is a failure of the machine, not of the file. */
export class InspectorUnavailable extends Error {
  override readonly name = 'InspectorUnavailable';
}

/** Thrown if the machine is too busy to inspect the file in time. */
export class InspectorTimeout extends Error {
  override readonly name = 'InspectorTimeout';
}

/** Thrown if the inspection was aborted before it reached its limits; a longer inspection may accept the file. */
export class InspectionAborted extends Error {
  override readonly name = 'InspectionAborted';
}

/** A verdict, and the error output if the process ended without one. */
export interface InspectionResult {
  readonly verdict: FileVerdict;
  readonly trouble: string | undefined;
}

const errorOutputMaxLength = 16 * 1024;
/** A process that prints more than this counts as compromised. */
const errorOutputMaxBytes = 1024 * 1024;
/** How long to wait for the last output of a process that has ended. */
const closeWithinMs = 1_000;
const watchEveryMs = 100;
// The inspector has a lower priority than the server: next to busy processes, it gets a seventh of a processor.
const lowPriority = 8;

export interface InspectorSetup {
  readonly limits: InspectorLimits;
  readonly isolation: Isolation;
  /** The folder of the incoming files. */
  readonly folder: string;
  readonly compileCache: string | undefined;
  readonly launcher: Launcher;
}

/**
 * A separate process that inspects files one after another in its own workspace and returns previews through a pipe. It
 * has no open files, and no environment variable except the path of the folder of compiled code. The kernel limits its
 * memory and processor time, even after its server was killed; Node.js and the isolation limit what it can access.
 */
export class InspectorProcess {
  readonly #limits: InspectorLimits;
  readonly #workspace: InspectorWorkspace;
  readonly #launching: Promise<LaunchedProgram>;
  readonly #closed: Promise<void>;
  readonly #ready: Promise<boolean>;
  #launched: LaunchedProgram | undefined;
  #ending: ProgramEnd | undefined;
  #onLine: (line: string) => void;
  #innermostPid: Promise<number> | undefined;
  #received = '';
  #lineMaxLength = errorOutputMaxLength;
  #errorOutput = '';
  #errorOutputBytes = 0;
  #workMs = 0;
  #excess: string | undefined;

  constructor({ limits, isolation, folder, launcher, ...setup }: InspectorSetup) {
    // The folder may have been removed, which must not make uploads fail.
    const compileCache = existsSync(setup.compileCache ?? '') ? setup.compileCache : undefined;
    this.#limits = limits;
    this.#workspace = new InspectorWorkspace(folder);
    const command = [process.execPath, ...makeNodeFlags(this.#workspace, compileCache), inspectorProgram];
    const isolated = isolation.wrap(this.#workspace.path, command, compileCache);
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    this.#ready = ready;
    this.#onLine = () => resolve(true);
    this.#launching = launcher.launch({
      script: makeLimitScript(limits),
      words: isolated,
      // With compiled code, a process starts twice as fast.
      env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
      priority: lowPriority,
    });
    this.#closed = this.#launching.then(
      (launched) => this.#follow(launched),
      ({ message }: Error) => {
        this.#errorOutput += message;
      },
    );
    this.#closed.then(() => resolve(false));
  }

  get isUsed(): boolean {
    return this.#workMs > 0;
  }

  /**
   * Inspects a file; call it for one file at a time. If the process ends without a verdict, the file is refused as too
   * costly. `begunMs` is the time when the check of the file began.
   *
   * @throws InspectorUnavailable, InspectorTimeout, InspectionAborted (after `withinMs`)
   */
  async inspect(
    inspection: InspectionRequest,
    withinMs = Number.POSITIVE_INFINITY,
    begunMs = performance.now(),
  ): Promise<InspectionResult> {
    await this.start();
    const lent = await this.#workspace.lend(inspection);
    const { verdictMs, furtherVerdictMs } = this.#limits;
    const mayTakeMs = this.isUsed ? furtherVerdictMs : verdictMs - (performance.now() - begunMs);
    // The processor time is read after the request is sent, so that the request is not delayed.
    const usedBefore = this.#usedMs();
    let isOverTime = false;
    const endLate = () => {
      isOverTime = true;
      this.end();
    };
    const ending = setTimeout(endLate, Math.max(0, Math.min(mayTakeMs, withinMs)));
    const watching = setInterval(() => void this.#checkCost(usedBefore), watchEveryMs);
    this.#lineMaxLength = verdictLineMaxLength(inspection);
    const startedMs = performance.now();
    const line = await this.#send(JSON.stringify(lent));
    const wasUsed = this.isUsed;
    this.#workMs += performance.now() - startedMs;
    clearTimeout(ending);
    clearInterval(watching);
    if (line === '' && this.#ending?.isLost === true) throw new InspectorUnavailable(this.#ending.how);
    if (line === '' && isOverTime) {
      if (withinMs < mayTakeMs) throw new InspectionAborted(`The inspection was ended after ${withinMs} ms.`);
      // If the process was used before, a fresh one inspects the file again.
      if (!wasUsed) throw new InspectorTimeout('The inspector received too little processor time.');
    }
    await this.#workspace.takeBack();
    return this.#readVerdict(line, inspection);
  }

  /** Whether the process can inspect another file with nearly the full memory and time. */
  async isFit(): Promise<boolean> {
    const { workMaxMs, leftoverMaxBytes } = this.#limits;
    return this.#ending === undefined && this.#workMs <= workMaxMs && (await this.#residentBytes()) <= leftoverMaxBytes;
  }

  /** Kills the process, now or as soon as it is launched. */
  end(): void {
    this.#launching.then(
      (launched) => launched.end(),
      () => undefined,
    );
  }

  /** Closes the input of the process, so that it exits when no requests are left. */
  finish(): void {
    this.#launched?.input.end();
    setTimeout(() => this.end(), this.#limits.startMs).unref();
  }

  /** Resolves when the process has ended and its workspace is removed. */
  async whenEnded(): Promise<void> {
    await this.#closed;
    await this.#workspace.remove();
  }

  /**
   * Resolves when the process is ready for its first file.
   *
   * @throws InspectorUnavailable if the process ends first, InspectorTimeout if a busy machine makes it too slow
   */
  async start(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const starting = setTimeout(() => resolve('late'), this.#limits.startMs);
    const outcome = await Promise.race([this.#ready, late]);
    clearTimeout(starting);
    if (outcome === true) return;
    this.end();
    if (outcome === 'late')
      throw new InspectorTimeout(`The inspector did not start within ${this.#limits.startMs} ms.`);
    throw new InspectorUnavailable(this.#errorOutput || 'The inspector ended while it started.');
  }

  async #follow(launched: LaunchedProgram): Promise<void> {
    const { input, output, errorOutput, ended } = launched;
    this.#launched = launched;
    output.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    errorOutput.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-errorOutputMaxLength);
      this.#errorOutputBytes += text.length;
      if (this.#errorOutputBytes > errorOutputMaxBytes) this.end();
    });
    const closed = [output, errorOutput].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    this.#ending = await ended;
    input.destroy();
    // Closes the pipes after a while, because a process that left the process group could keep them open.
    const closing = setTimeout(() => {
      for (const stream of [output, errorOutput]) stream.destroy();
    }, closeWithinMs);
    await Promise.all(closed);
    clearTimeout(closing);
  }

  async #usedMs(): Promise<number> {
    return await readProcessorMs(await this.#innermost());
  }

  async #send(request: string): Promise<string> {
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    this.#onLine = resolve;
    this.#launched?.input.write(`${request}\n`);
    return await Promise.race([answered, this.#closed.then(() => '')]);
  }

  // Receives one line for each request. A process that prints more counts as compromised and is killed.
  #receive(text: string): void {
    this.#received += text;
    if (this.#received.length > this.#lineMaxLength) this.end();
    if (!text.includes('\n')) return;
    const [line = '', ...surplus] = this.#received.split('\n');
    this.#received = '';
    const onLine = this.#onLine;
    this.#onLine = () => this.end();
    onLine(line);
    if (surplus.join('') !== '') this.end();
  }

  #readVerdict(line: string, inspection: InspectionRequest): InspectionResult {
    const verdict = parseVerdict(line, inspection);
    if (verdict !== undefined) return { verdict, trouble: undefined };
    const cause = line === '' ? `ended with ${this.#ending?.how}` : 'returned an invalid verdict';
    // A hostile file may have caused the output, which may be displayed on a terminal.
    const errorOutput = this.#errorOutput.trim().replaceAll(/[^\n\x20-\x7e]/g, '?');
    return { verdict: tooCostly, trouble: this.#excess ?? `${cause}: ${errorOutput}` };
  }

  // Checks the exact limits, because the kernel's limits are generous, and some systems have none for memory.
  async #checkCost(usedBefore: Promise<number>): Promise<void> {
    const { memoryMaxBytes, processorMs } = this.#limits;
    const takenMs = (await this.#usedMs()) - (await usedBefore);
    if (takenMs > processorMs) this.#excess = `took more than ${processorMs} ms of processor time`;
    else if ((await this.#residentBytes()) > memoryMaxBytes) this.#excess = `took more than ${memoryMaxBytes} bytes`;
    if (this.#excess !== undefined) this.end();
  }

  // If its memory cannot be read, the process has ended.
  async #residentBytes(): Promise<number> {
    return await readResidentBytes(await this.#innermost()).catch(() => 0);
  }

  // With namespaces, the spawned process only waits for the inspector.
  async #innermost(): Promise<number> {
    this.#innermostPid ??= findInnermostProcess(this.#launched?.pid ?? 0);
    return await this.#innermostPid;
  }
}

const tooCostly = { kind: 'refused', fault: 'too_costly' } as const;
