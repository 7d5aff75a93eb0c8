import type * as state from './client-state.ts';
import { findPinOfOtherAgent } from './find-other-holder.ts';
import { MemoryNonceStore } from './memory-nonces.ts';
import { toRememberedEnvelope } from './remembered-envelopes.ts';
import { type ResolvedStateLimits, resolveStateLimits } from './state-limits.ts';
import { refuseOtherOwner } from './state-owner.ts';

/**
 * Stores the state in memory: for tests, and for programs that may lose it. Acknowledged events, pending operations
 * and remembered nonces are lost when the process ends.
 *
 * @throws ConfigurationError a limit is not an integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: memoryState() });
 */
export function memoryState(limits: state.StateLimits = {}): state.ClientState {
  const full = resolveStateLimits(limits);
  const nonces = new MemoryNonceStore(full.noncesMax);
  const outbox = memoryPending(full.outboxMax, ({ envelope }: state.OutboxEntry) => envelope.client_message_id);
  const opened = {
    outbox: {
      ...outbox,
      keep: async (entry) => {
        const result = await outbox.keep(entry);
        if (result === 'kept') nonces.record(toRememberedEnvelope(entry));
        return result;
      },
    },
    operations: memoryPending(full.outboxMax, ({ operation_id }) => operation_id),
    inbox: new MemoryInbox(full),
    pins: memoryPins(),
    nonces,
  } satisfies Awaited<ReturnType<state.ClientState['open']>>;
  let owner: state.StateOwner | undefined;
  return {
    open: async (client) => {
      owner ??= client;
      refuseOtherOwner(owner, client, 'This memoryState()');
      return opened;
    },
    close: async () => undefined,
  };
}

function memoryPending<Entry>(max: number, idOf: (entry: Entry) => string): state.PendingStore<Entry> {
  const entries = new Map<string, Entry>();
  return {
    keep: async (entry) => {
      if (entries.has(idOf(entry))) return 'known';
      if (entries.size >= max) return 'full';
      entries.set(idOf(entry), entry);
      return 'kept';
    },
    list: async () => [...entries.values()],
    remove: async (id) => {
      entries.delete(id);
    },
  };
}

function memoryPins(): state.PinStore {
  const pins = new Map<string, state.Pin>();
  const former = new Set<state.Pin>();
  const write = (pin: state.Pin) => {
    const holding = findPinOfOtherAgent([...pins.values(), ...former], pin) ?? pin;
    const replaced = pins.get(pin.bot_id);
    if (holding === pin && replaced !== undefined) former.add(replaced);
    if (holding === pin) pins.set(pin.bot_id, pin);
    return holding;
  };
  return {
    get: async (botId) => pins.get(botId),
    keep: async (pin) => pins.get(pin.bot_id) ?? write(pin),
    replace: async (pin) => write(pin),
    list: async () => [...pins.values()],
  };
}

interface MemoryEvent extends state.InboxItem, state.ReceivedEvent {
  readonly dueMs: number;
  readonly leaseId: string | null;
  /** A sequence number for parked and finished events; 0 for all others. */
  readonly ended: number;
}

/** The events of the largest share; if several are equally large, of the one whose event is first in the list. */
function ofLargestShare(events: readonly MemoryEvent[]): readonly MemoryEvent[] {
  const shares = [...Map.groupBy(events, ({ share }) => share).values()];
  return shares.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

class MemoryInbox implements state.InboxStore {
  // Finished events are sorted by the time they were finished, all others by the time they were stored.
  readonly #unfinished = new Map<string, MemoryEvent>();
  readonly #finished = new Map<string, MemoryEvent>();
  readonly #limits: ResolvedStateLimits;
  #ended = 0;

  constructor(limits: ResolvedStateLimits) {
    this.#limits = limits;
  }

  async keepAll(received: readonly state.ReceivedEvent[]): Promise<readonly ('kept' | 'known')[]> {
    const results: ('kept' | 'known')[] = [];
    for (const { event, topic, share } of received) {
      const id = event.event_id;
      const isKnown = this.#unfinished.has(id) || this.#finished.has(id);
      const unfinished = [...this.#withStatus('waiting'), ...this.#withStatus('leased')];
      const ofKind = unfinished.filter((stored) => stored.event.kind === event.kind);
      if (!isKnown && ofKind.length >= this.#limits.unfinishedMax) break;
      const fresh = { status: 'waiting', attempts: 0, dueMs: 0, leaseId: null, reason: null, ended: 0 } as const;
      if (!isKnown) this.#unfinished.set(id, { event, topic, share, ...fresh });
      results.push(isKnown ? 'known' : 'kept');
    }
    return results;
  }

  async makeRoom(kind: string, count: number, reason: string): Promise<readonly state.InboxItem[]> {
    const parked: state.InboxItem[] = [];
    while (parked.length < count) {
      const waiting = this.#withStatus('waiting').filter(({ event }) => event.kind === kind);
      const [newest] = ofLargestShare(waiting.toReversed());
      if (newest === undefined) break;
      const item = { ...newest, status: 'failed', reason, ended: ++this.#ended } as const;
      this.#unfinished.set(newest.event.event_id, item);
      parked.push(item);
    }
    return parked;
  }

  async lease(nowMs: number, untilMs: number, kinds?: readonly string[]): Promise<state.Lease | undefined> {
    const due = this.#nextDue(nowMs, kinds);
    if (due === undefined) return undefined;
    const [leaseId, attempts] = [crypto.randomUUID(), due.attempts + 1];
    this.#unfinished.set(due.event.event_id, { ...due, status: 'leased', attempts, dueMs: untilMs, leaseId });
    return { lease_id: leaseId, event: due.event, attempt: attempts };
  }

  async renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean> {
    return this.#change(eventId, leaseId, { dueMs: untilMs });
  }

  async finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean> {
    const stored = this.#unfinished.get(eventId);
    if (stored === undefined || (leaseId !== undefined && stored.leaseId !== leaseId)) return false;
    this.#unfinished.delete(eventId);
    const end = { leaseId: null, dueMs: nowMs, reason: null, ended: ++this.#ended } as const;
    this.#finished.set(eventId, { ...stored, status: 'finished', ...end });
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > this.#limits.finishedMax && oldest !== undefined) this.#finished.delete(oldest);
    return true;
  }

  async postpone(eventId: string, leaseId: string, again: state.Postponement): Promise<boolean> {
    return this.#change(eventId, leaseId, { ...again, status: 'waiting', leaseId: null });
  }

  async hasten(eventIds: readonly string[], nowMs: number): Promise<void> {
    for (const id of eventIds) {
      const stored = this.#unfinished.get(id);
      if (stored?.status === 'waiting' && stored.dueMs > nowMs) this.#unfinished.set(id, { ...stored, dueMs: nowMs });
    }
  }

  async park(eventId: string, leaseId: string, reason: string): Promise<boolean> {
    return this.#change(eventId, leaseId, { status: 'failed', leaseId: null, reason, ended: ++this.#ended });
  }

  async dropFailed(nowMs: number): Promise<readonly state.InboxItem[]> {
    const dropped: state.InboxItem[] = [];
    for (;;) {
      const failed = this.#withStatus('failed');
      const [oldest] = failed.length > this.#limits.unfinishedMax ? ofLargestShare(failed) : [];
      if (oldest === undefined) return dropped;
      await this.finish(oldest.event.event_id, undefined, nowMs);
      dropped.push(oldest);
    }
  }

  async release(eventId: string, nowMs: number): Promise<boolean> {
    const stored = this.#finished.get(eventId) ?? this.#unfinished.get(eventId);
    if (stored?.status !== 'failed' && stored?.status !== 'finished') return false;
    this.#finished.delete(eventId);
    this.#unfinished.delete(eventId);
    const fresh = { status: 'waiting', attempts: 0, dueMs: nowMs, reason: null, ended: 0 } as const;
    this.#unfinished.set(eventId, { ...stored, ...fresh });
    return true;
  }

  async snapshot(known?: ReadonlySet<string>): Promise<state.InboxSnapshot> {
    const events = [...this.#finished.values(), ...this.#unfinished.values()].map(({ event }) => event);
    const arrived = events.filter(({ event_id }) => known?.has(event_id) === false);
    return { ids: new Set(events.map(({ event_id }) => event_id)), arrived };
  }

  async list(status: state.InboxStatus): Promise<readonly state.InboxItem[]> {
    return this.#withStatus(status).map(({ event, attempts, reason }) => ({ event, status, attempts, reason }));
  }

  #withStatus(status: state.InboxStatus): readonly MemoryEvent[] {
    const stored = status === 'finished' ? this.#finished : this.#unfinished;
    return [...stored.values()].filter((one) => one.status === status);
  }

  // Events of a topic are leased in order: while the oldest one is leased or waits for its next attempt, later ones
  // wait too. The next event is from the share whose last event was finished or parked longest ago, or never.
  #nextDue(nowMs: number, kinds: readonly string[] | undefined): MemoryEvent | undefined {
    const oldest = new Map<string, MemoryEvent>();
    const endedOf = new Map<string, number>();
    for (const stored of [...this.#finished.values(), ...this.#unfinished.values()]) {
      const { ended, event, topic, share } = stored;
      if (ended > 0) endedOf.set(share, Math.max(ended, endedOf.get(share) ?? 0));
      else if (kinds?.includes(event.kind) !== false && !oldest.has(topic)) oldest.set(topic, stored);
    }
    const due = [...oldest.values()].filter(({ dueMs }) => dueMs <= nowMs);
    const rank = (stored: MemoryEvent) => endedOf.get(stored.share) ?? 0;
    return due.toSorted((one, other) => rank(one) - rank(other))[0];
  }

  #change(eventId: string, leaseId: string, change: Partial<MemoryEvent>): boolean {
    const stored = this.#unfinished.get(eventId);
    if (stored?.leaseId !== leaseId) return false;
    this.#unfinished.set(eventId, { ...stored, ...change });
    return true;
  }
}
