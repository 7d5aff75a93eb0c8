import nacl from 'tweetnacl';
import type { SeededRandom } from '../../order-model/random.ts';
import type { LoadAgent } from '../../rolling-restart/agents.ts';
import type { Json } from '../../test-server.ts';
import type { Observations } from '../observations.ts';

interface Delivery {
  readonly key: string;
  /** The event is not acknowledged before this time, so that it must be sent again. */
  readonly heldUntilMs: number;
  isAcknowledged: boolean;
  ackedMs: number | undefined;
}

/** One in this many events is not acknowledged at first. */
const heldOnceIn = 20;

/** Records the events of all agents, and decides which are acknowledged. */
export function makeEventRecord(random: SeededRandom, { problem }: Observations, heldMs: number) {
  const deliveries = new Map<string, Delivery>();
  /** The event id for each receiver and subject. */
  const byKey = new Map<string, string>();
  const texts = new Map<string, string>();
  let holds = true;

  function addFirst(agent: LoadAgent, frame: Json): boolean {
    const eventId = String(frame['event_id']);
    const key = `${agent.id} ${subjectOf(frame)}`;
    if (byKey.has(key)) problem(`two events for ${key}`);
    byKey.set(key, eventId);
    if (frame['kind'] === 'message.created') texts.set(key, openEnvelope(agent, frame['payload']));
    const isHeld = holds && random.oneIn(heldOnceIn);
    const heldUntilMs = isHeld ? performance.now() + heldMs : 0;
    deliveries.set(eventId, { key, heldUntilMs, isAcknowledged: !isHeld, ackedMs: undefined });
    return !isHeld;
  }

  return {
    /** Records an event that arrived on a connection; returns false if it must not be acknowledged. */
    take: (agent: LoadAgent, seen: ReceivedEvents, frame: Json, openedMs: number): boolean => {
      const eventId = String(frame['event_id']);
      if (!seen.add(eventId, openedMs)) problem(`event ${eventId} arrived twice on one connection`);
      const earlier = deliveries.get(eventId);
      if (earlier === undefined) return addFirst(agent, frame);
      if (earlier.ackedMs !== undefined && openedMs > earlier.ackedMs)
        problem(`event ${eventId} (${earlier.key}) arrived after its ack was confirmed`);
      const mayAcknowledge = !holds || performance.now() >= earlier.heldUntilMs;
      earlier.isAcknowledged ||= mayAcknowledge;
      return mayAcknowledge;
    },
    /** Records that the server confirmed an ack. */
    acked: (eventId: string): void => {
      const delivery = deliveries.get(eventId);
      if (delivery === undefined) problem(`an ack for ${eventId}, which never arrived, was confirmed`);
      else delivery.ackedMs ??= performance.now();
    },
    /** From now on, acknowledges every event. */
    holdNone: () => {
      holds = false;
    },
    /** The number of different events received. */
    events: () => deliveries.size,
    /** How many of these events have no confirmed ack. */
    unacknowledged: () => [...deliveries.values()].filter(({ isAcknowledged }) => !isAcknowledged).length,
    /** Whether an agent has received the event of a subject. */
    has: (agent: LoadAgent, subject: string) => byKey.has(`${agent.id} ${subject}`),
    /** The text of a message as opened by its receiver. */
    textOf: (agent: LoadAgent, messageId: string) => texts.get(`${agent.id} message ${messageId}`),
    /** The subjects of all received events, with their receivers. */
    subjects: () => [...byKey.keys()],
  };
}

/** The events received on a client's current connection. */
export class ReceivedEvents {
  #openedMs = 0;
  #eventIds = new Set<string>();

  /** Adds an event; returns false if it was already received on this connection. */
  add(eventId: string, openedMs: number): boolean {
    if (openedMs !== this.#openedMs) this.#eventIds = new Set();
    this.#openedMs = openedMs;
    const isNew = !this.#eventIds.has(eventId);
    this.#eventIds.add(eventId);
    return isNew;
  }
}

/** The subject of an event; each receiver gets it with a different event id. */
function subjectOf(frame: Json): string {
  const payload = frame['payload'];
  if (frame['kind'] === 'message.created') return `message ${payload?.['id']}`;
  if (frame['kind'] === 'order.changed') return `order ${payload?.['order_id']} ${payload?.['version']}`;
  return `${frame['kind']} ${payload?.['contact_id']}`;
}

function openEnvelope(agent: LoadAgent, message: Json | undefined): string {
  const decode = (name: string) => new Uint8Array(Buffer.from(String(message?.[name]), 'base64'));
  const bytes = nacl.box.open(decode('ciphertext'), decode('nonce'), decode('sender_public_key'), agent.keys.secretKey);
  return bytes === null ? '' : Buffer.from(bytes).toString();
}
