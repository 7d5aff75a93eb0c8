import nacl from 'tweetnacl';
import type { SeededRandom } from '../../order-model/random.ts';
import type { LoadAgent } from '../../rolling-restart/agents.ts';
import type { Json } from '../../test-server.ts';
import type { Observations } from '../observations.ts';

interface Delivery {
  readonly key: string;
  /** The event is not acknowledged before this time, so that a server must send it again. */
  readonly heldUntilMs: number;
  isAcknowledged: boolean;
  ackedMs: number | undefined;
}

/** One in this many events is acknowledged late. */
const heldOnceIn = 20;

/** Records the events of all agents, and decides which of them are acknowledged. */
export function makeEventRecord(random: SeededRandom, { problem }: Observations, heldMs: number) {
  const deliveries = new Map<string, Delivery>();
  /** The event id of each combination of receiver and subject. */
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
    /** Records an event that arrived on a connection; returns false if the event must not be acknowledged yet. */
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
    acked: (eventId: string): void => {
      const delivery = deliveries.get(eventId);
      if (delivery === undefined) problem(`an ack for ${eventId}, which never arrived, was confirmed`);
      else delivery.ackedMs ??= performance.now();
    },
    /** Acknowledges every event from then on. */
    holdNone: () => {
      holds = false;
    },
    events: () => deliveries.size,
    /** The number of these events without a confirmed ack. */
    unacknowledged: () => [...deliveries.values()].filter(({ isAcknowledged }) => !isAcknowledged).length,
    has: (agent: LoadAgent, subject: string) => byKey.has(`${agent.id} ${subject}`),
    /** The decrypted text of a received message. */
    textOf: (agent: LoadAgent, messageId: string) => texts.get(`${agent.id} message ${messageId}`),
    /** Each received event as receiver and subject. */
    subjects: () => [...byKey.keys()],
  };
}

export class ReceivedEvents {
  #openedMs = 0;
  #eventIds = new Set<string>();

  /** Returns false if the event was already received on this connection. */
  add(eventId: string, openedMs: number): boolean {
    if (openedMs !== this.#openedMs) this.#eventIds = new Set();
    this.#openedMs = openedMs;
    const isNew = !this.#eventIds.has(eventId);
    this.#eventIds.add(eventId);
    return isNew;
  }
}

/** The subject is the same for all receivers of an event; the event id is not. */
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
