import { randomUUID } from 'node:crypto';
import type {
  ClientState,
  FullStateLimits,
  InboxItem,
  InboxSnapshot,
  InboxStatus,
  InboxStore,
  OpenedState,
  PendingStore,
  Pin,
  PinStore,
  StateLimits,
  StateOwner,
  StoredEvent,
} from './client-state.ts';
import { readStateLimits } from './state-limits.ts';
import { refuseOtherOwner } from './state-owner.ts';

/**
 * Keeps the state in the memory of this process: for tests, and for programs
 * that may forget. What was acknowledged and not yet handled ends with the
 * process.
 *
 * @throws ConfigurationError a limit is no integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: memoryState() });
 */
export function memoryState(limits: StateLimits = {}): ClientState {
  const full = readStateLimits(limits);
  const opened: OpenedState = {
    outbox: memoryPending(full.outboxMax, ({ envelope }) => envelope.client_message_id),
    operations: memoryPending(full.outboxMax, ({ operation_id }) => operation_id),
    inbox: new MemoryInbox(full),
    pins: memoryPins(),
  };
  let owner: StateOwner | undefined;
  return {
    open: async (asking) => {
      owner ??= asking;
      refuseOtherOwner(owner, asking, 'This memoryState()');
      return opened;
    },
    close: async () => undefined,
  };
}

function memoryPending<Entry>(max: number, idOf: (entry: Entry) => string): PendingStore<Entry> {
  const entries = new Map<string, Entry>();
  return {
    keep: async (entry) => {
      const id = idOf(entry);
      if (entries.has(id)) return 'known';
      if (entries.size >= max) return 'full';
      entries.set(id, entry);
      return 'kept';
    },
    list: async () => [...entries.values()],
    remove: async (id) => {
      entries.delete(id);
    },
  };
}

function memoryPins(): PinStore {
  const pins = new Map<string, Pin>();
  return {
    get: async (botId) => pins.get(botId),
    keep: async (pin) => {
      const holding = pins.get(pin.bot_id) ?? pin;
      pins.set(pin.bot_id, holding);
      return holding;
    },
    replace: async (pin) => {
      pins.set(pin.bot_id, pin);
    },
    list: async () => [...pins.values()],
  };
}

interface Held {
  readonly event: StoredEvent;
  readonly topic: string;
  readonly status: InboxStatus;
  readonly attempts: number;
  readonly dueMs: number;
  readonly leaseId: string | null;
  readonly reason: string | null;
}

class MemoryInbox implements InboxStore {
  // In the order in which they were kept; finished ones apart, in the order in which they were finished.
  readonly #unfinished = new Map<string, Held>();
  readonly #finished = new Map<string, Held>();
  readonly #limits: FullStateLimits;

  constructor(limits: FullStateLimits) {
    this.#limits = limits;
  }

  async keep(event: StoredEvent, topic: string, nowMs: number): Promise<'kept' | 'known' | 'full'> {
    if (this.#unfinished.has(event.event_id) || this.#finished.has(event.event_id)) return 'known';
    if (this.#unfinished.size >= this.#limits.unfinishedMax) return 'full';
    const held: Held = { event, topic, status: 'waiting', attempts: 0, dueMs: nowMs, leaseId: null, reason: null };
    this.#unfinished.set(event.event_id, held);
    return 'kept';
  }

  async lease(nowMs: number, untilMs: number) {
    const held = this.#nextDue(nowMs);
    if (held === undefined) return undefined;
    const leaseId = randomUUID();
    const attempts = held.attempts + 1;
    this.#unfinished.set(held.event.event_id, { ...held, status: 'leased', attempts, dueMs: untilMs, leaseId });
    return { lease_id: leaseId, event: held.event, attempt: attempts };
  }

  async renew(eventId: string, leaseId: string, untilMs: number) {
    return this.#change(eventId, leaseId, { dueMs: untilMs });
  }

  async finish(eventId: string, leaseId: string | undefined, nowMs: number) {
    const held = this.#unfinished.get(eventId);
    if (held === undefined || (leaseId !== undefined && held.leaseId !== leaseId)) return false;
    this.#unfinished.delete(eventId);
    this.#finished.set(eventId, { ...held, status: 'finished', leaseId: null, dueMs: nowMs, reason: null });
    for (const oldest of this.#finished.keys()) {
      if (this.#finished.size <= this.#limits.finishedMax) break;
      this.#finished.delete(oldest);
    }
    return true;
  }

  async postpone(eventId: string, leaseId: string, again: { dueMs: number; attempts: number; reason: string | null }) {
    return this.#change(eventId, leaseId, { ...again, status: 'waiting', leaseId: null });
  }

  async park(eventId: string, leaseId: string, reason: string) {
    return this.#change(eventId, leaseId, { status: 'failed', leaseId: null, reason });
  }

  async release(eventId: string, nowMs: number) {
    const held = this.#finished.get(eventId) ?? this.#unfinished.get(eventId);
    if (held === undefined || (held.status !== 'failed' && held.status !== 'finished')) return false;
    this.#finished.delete(eventId);
    this.#unfinished.delete(eventId);
    this.#unfinished.set(eventId, { ...held, status: 'waiting', attempts: 0, dueMs: nowMs, reason: null });
    return true;
  }

  async snapshot(known?: ReadonlySet<string>): Promise<InboxSnapshot> {
    const held = [...this.#finished.values(), ...this.#unfinished.values()].map(({ event }) => event);
    return {
      ids: new Set(held.map(({ event_id }) => event_id)),
      arrived: known === undefined ? [] : held.filter(({ event_id }) => !known.has(event_id)),
    };
  }

  async list(status: InboxStatus): Promise<readonly InboxItem[]> {
    const all = status === 'finished' ? this.#finished : this.#unfinished;
    return [...all.values()]
      .filter((held) => held.status === status)
      .map(({ event, attempts, reason }) => ({ event, status, attempts, reason }));
  }

  // Within a topic nothing overtakes: while its oldest event is leased or waits
  // for its next attempt, the events behind it wait too.
  #nextDue(nowMs: number): Held | undefined {
    const blockedTopics = new Set<string>();
    for (const held of this.#unfinished.values()) {
      if (held.status === 'failed' || blockedTopics.has(held.topic)) continue;
      if (held.dueMs <= nowMs) return held;
      blockedTopics.add(held.topic);
    }
    return undefined;
  }

  #change(eventId: string, leaseId: string, change: Partial<Held>): boolean {
    const held = this.#unfinished.get(eventId);
    if (held === undefined || held.leaseId !== leaseId) return false;
    this.#unfinished.set(eventId, { ...held, ...change });
    return true;
  }
}
