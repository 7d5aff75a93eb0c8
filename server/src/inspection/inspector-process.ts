import { existsSync } from 'node:fs';
import { type InspectorLimits, limitScript, nodeFlags } from './inspector-command.ts';
import { type Isolation, program } from './isolation.ts';
import type { Ending, Launched, Launcher } from './launcher.ts';
import { type FileVerdict, lineMaxLength, parseVerdict } from './parse-verdict.ts';
import { findInnermost, readProcessorMs, readResidentBytes } from './processes.ts';
import type { InspectionRequest } from './verdict.ts';
import { Workspace } from './workspace.ts';

/** The inspector could not be started: a failure of this machine, not of the file. */
export class InspectorUnavailable extends Error {
  override readonly name = 'InspectorUnavailable';
}

/** The machine is too busy to inspect the file in time; the inspector works, and the file is not at fault. */
export class InspectorLate extends Error {
  override readonly name = 'InspectorLate';
}

/** The inspection was aborted before its limits; a longer one may accept the file. */
export class InspectionCutShort extends Error {
  override readonly name = 'InspectionCutShort';
}

/** A verdict, with the error output of a process that ended without one. */
export interface Inspected {
  readonly verdict: FileVerdict;
  readonly trouble: string | undefined;
}

const errorOutputMaxLength = 16 * 1024;
/** A process that prints more is compromised. */
const errorOutputMaxBytes = 1024 * 1024;
/** The time for the last output of a process that has ended. */
const closeWithinMs = 1_000;
const watchEveryMs = 100;
// The inspector has a lower priority than the server: next to busy processes it gets a seventh of a processor.
const lowPriority = 8;

/** How inspectors are started. */
export interface InspectorSetup {
  readonly limits: InspectorLimits;
  readonly isolation: Isolation;
  /** The folder of the incoming files. */
  readonly folder: string;
  /** The folder of compiled code, if any. */
  readonly compileCache: string | undefined;
  readonly launcher: Launcher;
}

/**
 * A separate process that inspects files, one after the other, in a workspace of
 * its own; previews come back through a pipe. It has no environment except the
 * folder of compiled code, and no open file. The kernel limits its memory and its
 * processor time (which ends it even when its server was killed); Node.js and the
 * isolation limit what it reaches.
 */
export class InspectorProcess {
  readonly #limits: InspectorLimits;
  readonly #workspace: Workspace;
  readonly #launching: Promise<Launched>;
  readonly #closed: Promise<void>;
  readonly #ready: Promise<boolean>;
  #launched: Launched | undefined;
  #ending: Ending | undefined;
  #onLine: (line: string) => void;
  #innermostPid: Promise<number> | undefined;
  #received = '';
  #lineMaxLength = errorOutputMaxLength;
  #errorOutput = '';
  #errorOutputBytes = 0;
  #workMs = 0;
  #excess: string | undefined;

  constructor({ limits, isolation, folder, launcher, ...setup }: InspectorSetup) {
    // Somebody may have removed it, which must end no upload.
    const compileCache = existsSync(setup.compileCache ?? '') ? setup.compileCache : undefined;
    this.#limits = limits;
    this.#workspace = new Workspace(folder);
    const command = [process.execPath, ...nodeFlags(this.#workspace, compileCache), program];
    const isolated = isolation.wrap(this.#workspace.path, command, compileCache);
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    this.#ready = ready;
    this.#onLine = () => resolve(true);
    this.#launching = launcher.launch({
      script: limitScript(limits),
      words: isolated,
      // With it a process starts in half of the time.
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

  /** Whether it has inspected a file before. */
  get isUsed(): boolean {
    return this.#workMs > 0;
  }

  /**
   * Inspects one file at a time. A file that ends the process is too costly. `begunMs` is when its check began.
   *
   * @throws InspectorUnavailable, InspectorLate, InspectionCutShort (after `withinMs`)
   */
  async inspect(
    inspection: InspectionRequest,
    withinMs = Number.POSITIVE_INFINITY,
    begunMs = performance.now(),
  ): Promise<Inspected> {
    await this.start();
    const lent = await this.#workspace.lend(inspection);
    const { verdictMs, furtherVerdictMs } = this.#limits;
    const mayTakeMs = this.isUsed ? furtherVerdictMs : verdictMs - (performance.now() - begunMs);
    // Read beside the request, which it must not delay.
    const usedBefore = this.#usedMs();
    let isOverTime = false;
    const endLate = () => {
      isOverTime = true;
      this.end();
    };
    const ending = setTimeout(endLate, Math.max(0, Math.min(mayTakeMs, withinMs)));
    const watching = setInterval(() => void this.#checkCost(usedBefore), watchEveryMs);
    this.#lineMaxLength = lineMaxLength(inspection);
    const startedMs = performance.now();
    const line = await this.#send(JSON.stringify(lent));
    const wasUsed = this.isUsed;
    this.#workMs += performance.now() - startedMs;
    clearTimeout(ending);
    clearInterval(watching);
    if (line === '' && this.#ending?.isLost === true) throw new InspectorUnavailable(this.#ending.how);
    if (line === '' && isOverTime) {
      if (withinMs < mayTakeMs) throw new InspectionCutShort(`The inspection was ended after ${withinMs} ms.`);
      // After a used process the file is inspected again.
      if (!wasUsed) throw new InspectorLate('The inspector received too little processor time.');
    }
    await this.#workspace.takeBack();
    return this.#readVerdict(line, inspection);
  }

  /** Whether it may inspect one more file with nearly the memory and time of the first. */
  async isFit(): Promise<boolean> {
    const { workMaxMs, leftoverMaxBytes } = this.#limits;
    return this.#ending === undefined && this.#workMs <= workMaxMs && (await this.#residentBytes()) <= leftoverMaxBytes;
  }

  /** Ends it, as soon as it is launched. */
  end(): void {
    this.#launching.then(
      (launched) => launched.end(),
      () => undefined,
    );
  }

  /** Lets it exit, which it does when there are no more requests. */
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

  // Resolves when it has ended and all of its output is read.
  async #follow(launched: Launched): Promise<void> {
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
    // A process that left the group could otherwise keep the pipes open.
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

  // One line for each request. A process that prints more is compromised and ends.
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

  #readVerdict(line: string, inspection: InspectionRequest): Inspected {
    const verdict = parseVerdict(line, inspection);
    if (verdict !== undefined) return { verdict, trouble: undefined };
    const cause = line === '' ? `ended with ${this.#ending?.how}` : 'returned an invalid verdict';
    // It may come from the file, and is read at a terminal.
    const errorOutput = this.#errorOutput.trim().replaceAll(/[^\n\x20-\x7e]/g, '?');
    return { verdict: tooCostly, trouble: this.#excess ?? `${cause}: ${errorOutput}` };
  }

  // The limits of the kernel are generous, and other systems have none for memory; these are exact, but late.
  async #checkCost(usedBefore: Promise<number>): Promise<void> {
    const { memoryMaxBytes, processorMs } = this.#limits;
    const takenMs = (await this.#usedMs()) - (await usedBefore);
    if (takenMs > processorMs) this.#excess = `took more than ${processorMs} ms of processor time`;
    else if ((await this.#residentBytes()) > memoryMaxBytes) this.#excess = `took more than ${memoryMaxBytes} bytes`;
    if (this.#excess !== undefined) this.end();
  }

  // A process without this entry has ended.
  async #residentBytes(): Promise<number> {
    return await readResidentBytes(await this.#innermost()).catch(() => 0);
  }

  // Under namespaces the process that was spawned waits for the inspector.
  async #innermost(): Promise<number> {
    this.#innermostPid ??= findInnermost(this.#launched?.pid ?? 0);
    return await this.#innermostPid;
  }
}

const tooCostly = { kind: 'refused', fault: 'too_costly' } as const;
