import { InspectionAborted } from '../../inspection/inspector-process.ts';
import type { ShortInspectionLimits } from '../../inspection/inspectors.ts';
import { Refusal } from '../../platform/refusal.ts';
import {
  areAllSlotsTaken,
  countSlots,
  decideReceivingSlot,
  mayUseExtraSlot,
  type SlotHolder,
  sortWaitingChecks,
  sortWaitingUploads,
  type UploadSlotLimits,
} from './next-upload.ts';

const waits = {
  receiving: {
    maxMs: 4_000,
    retryAfterSeconds: 2,
    explain: ({ arrivingUploadsPerAgent: ofAgent, arrivingUploadsPerAddress: ofAddress }: UploadSlotLimits) =>
      `Concurrent upload limit reached (${ofAgent} per agent, ${ofAddress} per address). Retry after the running uploads finish.`,
  },
  checking: {
    maxMs: 5_000,
    retryAfterSeconds: 5,
    explain: () => 'The server is running its maximum number of file checks. Send the upload again shortly.',
  },
};
type Phase = keyof typeof waits;

/** The maximum number of uploads that wait for a receiving slot; their bodies are not read. */
const waitingMax = 256;
const waitingPerAgentMax = 16;

/** How often waiting files try to get a slot, because other instances do not report the end of a check. */
const retryMs = 250;

/** The time limit of a check in an extra slot; after it, the file waits for the agent's regular slot. */
const extraCheckMs = 2_000;

/** The checking slots that all instances share. */
export interface SharedCheckSlots {
  /** Takes a slot for the file of this reservation; `mayBeFurther` permits an extra slot. */
  take(upload: { readonly id: string; readonly ownerId: string }, mayBeFurther: boolean): Promise<CheckSlotOutcome>;
  /** Releases the slot of an unfinished check. */
  release(id: string): Promise<void>;
}

/** The file got a slot or an extra slot, or the free slots are reserved for other agents, or no slot is free. */
export type CheckSlotOutcome = 'taken' | 'taken-extra' | 'reserved' | 'full';

export interface AdmittedUpload {
  /** Aborted if the upload must end early, with a refusal as the reason. */
  readonly signal: AbortSignal;
  /** Ends the upload with a refusal, unless a check of its file has begun. */
  end(refusal: Refusal): void;
  /**
   * Runs `work`, the check of the file with this reservation, in a checking slot. In an extra slot, `work` receives
   * limits that may cut the inspection short. It then throws `InspectionAborted`, and runs again in another slot.
   *
   * @throws Refusal `upload_busy` when no slot becomes free, or the reason of the signal
   */
  check<T>(id: string, work: (brief?: ShortInspectionLimits) => Promise<T>): Promise<T>;
  leave(): void;
}

interface Upload extends SlotHolder {
  mayYield: boolean;
  isChecked: boolean;
  /** Aborts the check of this upload if it uses an extra slot. */
  extra: AbortController | undefined;
  readonly ending: AbortController;
}

interface Waiting {
  readonly upload: Upload;
  readonly ownerId: string;
  readonly phase: Phase;
  /** The id of the upload's reservation, for a checking slot. */
  readonly id: string;
  /** Resolves when the upload gets the slot, or rejects with the reason why it does not. */
  readonly slot: PromiseWithResolvers<void>;
}

/**
 * Schedules the uploads of this instance fairly between agents. An upload first waits for a receiving slot, which it
 * keeps until it ends, and then for a checking slot. While other agents wait, an agent gets one check at a time, and
 * the time that its checks took lowers its priority for an equally long time. A check in an extra slot is aborted when
 * other agents wait here, and after two seconds in any case, because other instances do not report waiting uploads.
 */
export class UploadQueue {
  readonly #limits: UploadSlotLimits;
  readonly #slots: SharedCheckSlots;
  readonly #spentUntilMs = new Map<string, number>();
  /** Uploads with a receiving slot, in the order in which they got their slots. */
  #holders: readonly Upload[] = [];
  #waiting: readonly Waiting[] = [];
  #serving = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  constructor(limits: UploadSlotLimits, slots: SharedCheckSlots) {
    this.#limits = limits;
    this.#slots = slots;
  }

  /** The numbers of uploads that are arriving, wait for a check, and are being checked. */
  get load() {
    return {
      uploadsArriving: this.#holders.length + this.#waitingFor('receiving').length,
      uploadsWaiting: this.#waitingFor('checking').length,
      uploadChecks: this.#checked.length,
    };
  }

  /** The agents of uploads whose check has not begun. */
  get expectedOwners(): readonly string[] {
    return this.#holders.filter(({ mayYield }) => mayYield).map(({ ownerId }) => ownerId);
  }

  /** Takes a receiving slot, waiting briefly if all are taken. @throws Refusal `upload_busy` */
  async enter(ownerId: string, address: string): Promise<AdmittedUpload> {
    const ending = new AbortController();
    const upload: Upload = { ownerId, address, mayYield: true, isChecked: false, extra: undefined, ending };
    const decision = decideReceivingSlot(this.#holders, upload, this.#limits);
    if (decision.kind === 'wait') await this.#wait(upload, 'receiving');
    if (decision.kind === 'replace') this.#replace(decision.yielding);
    if (decision.kind !== 'wait') this.#holders = [...this.#holders, upload];
    return {
      signal: ending.signal,
      end: (refusal) => {
        if (upload.mayYield) ending.abort(refusal);
      },
      check: (id, work) => this.#check(upload, id, work),
      leave: () => this.#leave(upload),
    };
  }

  #replace(yielding: Upload): void {
    const message = 'Too many concurrent uploads. Retry with fewer in parallel.';
    yielding.ending.abort(uploadBusyRefusal(message));
    this.#holders = this.#holders.filter((upload) => upload !== yielding);
  }

  #leave(leaving: Upload): void {
    if (!this.#holders.includes(leaving)) return;
    this.#holders = this.#holders.filter((upload) => upload !== leaving);
    const usageOf = (ownerId: string) => ({ slots: countSlots(this.#holders, ownerId), spentMs: 0 });
    for (const waiting of sortWaitingUploads(this.#waitingFor('receiving'), usageOf)) {
      if (decideReceivingSlot(this.#holders, waiting.upload, this.#limits).kind !== 'start') continue;
      this.#holders = [...this.#holders, waiting.upload];
      this.#stopWaiting(waiting).resolve();
    }
  }

  async #check<T>(upload: Upload, id: string, work: (brief?: ShortInspectionLimits) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#wait(upload, 'checking', id);
      const { extra } = upload;
      const startedMs = performance.now();
      try {
        return await (extra === undefined ? work() : work({ withinMs: extraCheckMs, signal: extra.signal }));
      } catch (error) {
        if (!(error instanceof InspectionAborted)) throw error;
        await this.#slots.release(id);
      } finally {
        this.#endCheck(upload, performance.now() - startedMs);
      }
    }
  }

  async #wait(upload: Upload, phase: Phase, id = ''): Promise<void> {
    const { signal } = upload.ending;
    signal.throwIfAborted();
    const { ownerId } = upload;
    const { maxMs, retryAfterSeconds, explain } = waits[phase];
    const late = uploadBusyRefusal(explain(this.#limits), retryAfterSeconds);
    const others = this.#waitingFor('receiving');
    if (phase === 'receiving' && (others.length >= waitingMax || countSlots(others, ownerId) >= waitingPerAgentMax))
      throw late;
    const waiting: Waiting = { upload, ownerId, phase, id, slot: Promise.withResolvers() };
    this.#waiting = [...this.#waiting, waiting];
    signal.addEventListener('abort', () => this.#stopWaiting(waiting).reject(signal.reason), { once: true });
    const timer = setTimeout(() => this.#stopWaiting(waiting).reject(late), maxMs);
    if (phase === 'checking') this.#serve();
    await waiting.slot.promise.finally(() => clearTimeout(timer));
  }

  #stopWaiting(waiting: Waiting): PromiseWithResolvers<void> {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    return waiting.slot;
  }

  // Starts checks one after the other, because each result determines which check is tried next.
  #serve(): void {
    clearTimeout(this.#retry);
    this.#serving = this.#serving.then(() => this.#startChecks());
  }

  async #startChecks(): Promise<void> {
    for (const next of sortWaitingChecks(this.#waitingFor('checking'), this.#checkUsageOf)) {
      if (areAllSlotsTaken(this.#checked.length, this.#limits.uploadChecksPerInstance)) break;
      if ((await this.#tryToCheck(next)) === 'full') break;
    }
    const waiting = this.#waitingFor('checking');
    for (const { extra, ownerId } of this.#checked)
      if (waiting.some((other) => other.ownerId !== ownerId))
        extra?.abort(new InspectionAborted('The slot was given to an agent that has no running check.'));
    clearTimeout(this.#retry);
    if (waiting.length > 0) this.#retry = setTimeout(() => this.#serve(), retryMs).unref();
  }

  async #tryToCheck(waiting: Waiting): Promise<CheckSlotOutcome> {
    const { upload, ownerId } = waiting;
    try {
      // After an aborted check, `mayYield` is false and the file needs a slot for the full time.
      const mayBeFurther = upload.mayYield && mayUseExtraSlot(this.#checkUsageOf(ownerId));
      const outcome = await this.#slots.take(waiting, mayBeFurther);
      if (outcome === 'full' || outcome === 'reserved' || !this.#waiting.includes(waiting)) return outcome;
      upload.mayYield = false;
      upload.isChecked = true;
      upload.extra = outcome === 'taken-extra' ? new AbortController() : undefined;
      this.#stopWaiting(waiting).resolve();
      return outcome;
    } catch (error) {
      this.#stopWaiting(waiting).reject(error);
      return 'full';
    }
  }

  #endCheck(upload: Upload, tookMs: number): void {
    upload.isChecked = false;
    const nowMs = performance.now();
    for (const [known, untilMs] of this.#spentUntilMs) if (untilMs <= nowMs) this.#spentUntilMs.delete(known);
    const { ownerId } = upload;
    this.#spentUntilMs.set(ownerId, Math.max(nowMs, this.#spentUntilMs.get(ownerId) ?? 0) + tookMs);
    this.#serve();
  }

  readonly #checkUsageOf = (ownerId: string) => ({
    slots: countSlots(this.#checked, ownerId),
    spentMs: Math.max(0, (this.#spentUntilMs.get(ownerId) ?? 0) - performance.now()),
  });

  get #checked(): readonly Upload[] {
    return this.#holders.filter(({ isChecked }) => isChecked);
  }

  #waitingFor(phase: Phase): readonly Waiting[] {
    return this.#waiting.filter((waiting) => waiting.phase === phase);
  }
}

export function uploadBusyRefusal(message: string, retryAfterSeconds = 2): Refusal {
  return new Refusal('upload_busy', message, { retryAfterSeconds });
}
