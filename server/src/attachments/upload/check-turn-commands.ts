import { InspectionCutShort } from '../../inspection/inspector-process.ts';
import type { BriefCheck } from '../../inspection/inspectors.ts';
import { refuseBusy } from './arrival-commands.ts';
import { type CheckUsage, mayCheckFurther, orderChecks, type WaitingCheck } from './check-order.ts';

/** A file that waits longer for its check is refused. */
const waitMs = 5_000;

/** The interval of further attempts while files wait: other instances end checks without notice. */
const retryMs = 250;

/** The time of a check beside another one of the same agent; then the file waits for a turn of its own. */
const furtherCheckMs = 2_000;

/** A file to be checked. */
interface FileToCheck {
  readonly id: string;
  readonly ownerId: string;
}

/** The checking slots that all instances share. */
export interface SharedSlots {
  /** Takes a slot for a file. */
  take(file: FileToCheck, mayBeFurther: boolean): Promise<SlotOutcome>;
  /** Gives the slot of an unfinished check back. */
  release(file: FileToCheck): Promise<void>;
}

/** Taken (further: beside another one of the same agent); reserved for other agents; or all slots are taken. */
export type SlotOutcome = 'taken' | 'taken-further' | 'reserved' | 'full';

interface WaitingFile extends WaitingCheck {
  readonly file: FileToCheck;
  /** The check was cut short before; now it needs its whole time. */
  readonly needsWholeTime: boolean;
  start(isFurther: boolean): void;
  refuse(reason: unknown): void;
}

/**
 * The turns of files at the check, fair between agents: an agent has a single
 * check while others wait, and the time that its files take counts against it
 * for as long. A further check of an agent is cut short when others wait, and
 * after two seconds: other instances do not tell who waits.
 */
export class CheckTurns {
  readonly #slots: SharedSlots;
  readonly #checksMax: number;
  readonly #running: string[] = [];
  /** Further checks, each with its agent. */
  readonly #further = new Map<AbortController, string>();
  readonly #spentUntil = new Map<string, number>();
  #waiting: readonly WaitingFile[] = [];
  #serving: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** `checksMax`: of this instance. 0: the shared slots alone limit the checks. */
  constructor(slots: SharedSlots, checksMax: number) {
    this.#slots = slots;
    this.#checksMax = checksMax;
  }

  /** Files that wait for their check. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Files that are checked. */
  get runningCount(): number {
    return this.#running.length;
  }

  /**
   * Runs the check of a file in its turn. `work` receives how the inspection
   * yields, unless it may take its whole time. It runs again after an
   * InspectionCutShort.
   *
   * @throws Refusal `upload_busy` when the turn does not come, or the reason of the signal
   */
  async run<T>(file: FileToCheck, signal: AbortSignal, work: (brief?: BriefCheck) => Promise<T>): Promise<T> {
    for (let needsWholeTime = false; ; needsWholeTime = true) {
      const isFurther = await this.#wait(file, signal, needsWholeTime);
      const startedMs = performance.now();
      const cut = new AbortController();
      if (isFurther) this.#further.set(cut, file.ownerId);
      try {
        return await (isFurther ? work({ withinMs: furtherCheckMs, signal: cut.signal }) : work());
      } catch (error) {
        if (!(error instanceof InspectionCutShort)) throw error;
        await this.#slots.release(file);
      } finally {
        this.#further.delete(cut);
        this.#end(file.ownerId, performance.now() - startedMs);
      }
    }
  }

  async #wait(file: FileToCheck, signal: AbortSignal, needsWholeTime: boolean): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const waiting = { file, ownerId: file.ownerId, needsWholeTime, start: resolve, refuse: reject };
    const stop = (reason: unknown) => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(reason);
    };
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const message = 'The maximum number of file checks is in progress. Send the upload again shortly.';
    const timer = setTimeout(() => stop(refuseBusy(message, 5)), waitMs);
    this.#waiting = [...this.#waiting, waiting];
    if (signal.aborted) onAbort();
    this.#serve();
    return await promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }

  // One attempt at a time: what it finds decides the next one.
  #serve(): void {
    clearTimeout(this.#retry);
    const before = this.#serving ?? Promise.resolve();
    const serving = before.then(() => this.#startNext());
    this.#serving = serving;
    serving.then(() => {
      if (this.#serving === serving) this.#serving = undefined;
    });
  }

  async #startNext(): Promise<void> {
    for (const waiting of orderChecks(this.#waiting, this.#usage)) {
      if (this.#checksMax !== 0 && this.#running.length >= this.#checksMax) break;
      const outcome = await this.#tryToStart(waiting);
      if (outcome === 'full') break;
    }
    for (const [cut, ownerId] of this.#further)
      if (this.#waiting.some((waiting) => waiting.ownerId !== ownerId))
        cut.abort(new InspectionCutShort('Another agent waits for a check.'));
    clearTimeout(this.#retry);
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#serve(), retryMs).unref();
  }

  async #tryToStart(waiting: WaitingFile): Promise<SlotOutcome> {
    const { file, ownerId, needsWholeTime } = waiting;
    const mayBeFurther = !needsWholeTime && mayCheckFurther(this.#usage, ownerId);
    try {
      const outcome = await this.#slots.take(file, mayBeFurther);
      const isWaiting = this.#waiting.includes(waiting);
      if (outcome === 'full' || outcome === 'reserved' || !isWaiting) return outcome;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#running.push(ownerId);
      waiting.start(outcome === 'taken-further');
      return outcome;
    } catch (error) {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.refuse(error);
      return 'full';
    }
  }

  #end(ownerId: string, tookMs: number): void {
    const at = this.#running.indexOf(ownerId);
    if (at !== -1) this.#running.splice(at, 1);
    const nowMs = performance.now();
    for (const [known, untilMs] of this.#spentUntil) if (untilMs <= nowMs) this.#spentUntil.delete(known);
    this.#spentUntil.set(ownerId, Math.max(nowMs, this.#spentUntil.get(ownerId) ?? 0) + tookMs);
    this.#serve();
  }

  readonly #usage: CheckUsage = {
    runningOf: (ownerId) => this.#running.filter((running) => running === ownerId).length,
    spentMsOf: (ownerId) => Math.max(0, (this.#spentUntil.get(ownerId) ?? 0) - performance.now()),
  };
}
