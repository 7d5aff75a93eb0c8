import { Refusal } from '../../platform/refusal.ts';
import { type ArrivalHolder, type ArrivalLimits, decideArrival } from './arrival-share.ts';

/** An upload that waits for a place longer than this is refused. */
const waitMs = 4_000;

/** Uploads that wait for a place; their bodies are not read. */
const waitingMax = 256;
const waitingPerAgentMax = 16;

/** The place of an upload while it is received and checked. */
export interface Arrival {
  /** Aborted with a refusal as its reason when the upload has to end early. */
  readonly signal: AbortSignal;
  /** Ends the upload with a refusal, unless its file is being checked. */
  end(refusal: Refusal): void;
  /** From now on the upload is not replaced by that of another agent. */
  hold(): void;
  leave(): void;
}

interface Holder extends ArrivalHolder {
  mayYield: boolean;
  readonly controller: AbortController;
}

interface Waiting {
  readonly ownerId: string;
  readonly address: string;
  enter(arrival: Arrival): void;
}

/** The uploads that this instance receives, in fair shares of agents and addresses. */
export class ArrivingUploads {
  readonly #limits: ArrivalLimits;
  #holders: readonly Holder[] = [];
  #waiting: readonly Waiting[] = [];

  constructor(limits: ArrivalLimits) {
    this.#limits = limits;
  }

  /** Uploads that are received or checked, and those that wait for a place. */
  get count(): number {
    return this.#holders.length + this.#waiting.length;
  }

  /** Takes a place, with a short wait where all are taken. @throws Refusal `upload_busy` */
  async enter(ownerId: string, address: string): Promise<Arrival> {
    const decision = decideArrival(this.#holders, { ownerId, address }, this.#limits);
    if (decision.kind === 'wait') return await this.#wait(ownerId, address);
    if (decision.kind === 'replace') {
      const message =
        'Other agents need the places of uploads. Send fewer uploads at the same time, and this one again.';
      decision.yielding.controller.abort(refuseBusy(message));
      this.#holders = this.#holders.filter((holder) => holder !== decision.yielding);
    }
    return this.#add(ownerId, address);
  }

  async #wait(ownerId: string, address: string): Promise<Arrival> {
    const own = this.#waiting.filter((waiting) => waiting.ownerId === ownerId);
    if (own.length >= waitingPerAgentMax || this.#waiting.length >= waitingMax) throw this.#refuse();
    const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
    const waiting: Waiting = { ownerId, address, enter: resolve };
    this.#waiting = [...this.#waiting, waiting];
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(this.#refuse());
    }, waitMs);
    return await promise.finally(() => clearTimeout(timer));
  }

  #refuse(): Refusal {
    const { perAgent, perAddress } = this.#limits;
    return refuseBusy(
      `The places of uploads are taken: an agent has ${perAgent}, an address ${perAddress}. Send the upload again shortly.`,
    );
  }

  #add(ownerId: string, address: string): Arrival {
    const holder: Holder = { ownerId, address, mayYield: true, controller: new AbortController() };
    this.#holders = [...this.#holders, holder];
    return {
      signal: holder.controller.signal,
      end: (refusal) => {
        if (holder.mayYield) holder.controller.abort(refusal);
      },
      hold: () => {
        holder.mayYield = false;
      },
      leave: () => this.#remove(holder),
    };
  }

  #remove(holder: Holder): void {
    const others = this.#holders.filter((other) => other !== holder);
    if (others.length === this.#holders.length) return;
    this.#holders = others;
    this.#admit();
  }

  // Agents with the fewest places first, then in the order of arrival.
  #admit(): void {
    const held = (ownerId: string) => this.#holders.filter((holder) => holder.ownerId === ownerId).length;
    for (const waiting of this.#waiting.toSorted((one, other) => held(one.ownerId) - held(other.ownerId))) {
      if (decideArrival(this.#holders, waiting, this.#limits).kind !== 'enter') continue;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.enter(this.#add(waiting.ownerId, waiting.address));
    }
  }
}

/** The refusal of an upload that has to be sent again. */
export function refuseBusy(message: string, retryAfterSeconds = 2): Refusal {
  return new Refusal('upload_busy', message, { retryAfterSeconds });
}
