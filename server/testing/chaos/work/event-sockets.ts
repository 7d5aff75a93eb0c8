import { setTimeout as wait } from 'node:timers/promises';
import nacl from 'tweetnacl';
import type { Random } from '../../order-model/random.ts';
import type { LoadAgent } from '../../rolling-restart/agents.ts';
import type { Address } from '../../rolling-restart/balancer.ts';
import { keepEventConnection } from '../../rolling-restart/event-connection.ts';
import type { Json } from '../../test-server.ts';
import type { Observations } from '../observations.ts';
import type { Pair } from './community.ts';

/** The event connections of all agents, with everything that came. */
export type EventSockets = Awaited<ReturnType<typeof openEventSockets>>;
type EventSocket = ReturnType<typeof keepEventConnection>;

interface Delivery {
  readonly key: string;
  /** Until then it is left without an ack, so that it has to come again. */
  readonly heldUntilMs: number;
  isAcknowledged: boolean;
  ackedMs: number | undefined;
}

const connectionsPerAgent = 2;
/** One event in so many is not acknowledged at first. */
const heldOnceIn = 20;
const renewEveryMs = 500;
const longestPauseMs = 10_000;
/** Connections come one after the other at the begin and the end, which are no test of a storm. */
const agentsAtOnce = 20;
const openPollMs = 10;
const renewPauseMs = 2;

/** Opens the event connections of agents; some are renewed now and then, and some events wait for their ack. */
export async function openEventSockets(
  address: Address,
  pairs: readonly Pair[],
  random: Random,
  observations: Observations,
  heldMs: number,
) {
  const deliveries = new Map<string, Delivery>();
  /** The event of each receiver and subject. */
  const byKey = new Map<string, string>();
  const texts = new Map<string, string>();
  let holds = true;

  function take(agent: LoadAgent, seen: SeenEvents, frame: Json, openedMs: number): boolean {
    const eventId = String(frame['event_id']);
    if (!seen.add(eventId, openedMs)) observations.problem(`event ${eventId} came twice on one connection`);
    const nowMs = performance.now();
    const earlier = deliveries.get(eventId);
    if (earlier === undefined) {
      const key = `${agent.id} ${subjectOf(frame)}`;
      if (byKey.has(key)) observations.problem(`two events for ${key}`);
      byKey.set(key, eventId);
      if (frame['kind'] === 'message.created') texts.set(key, openEnvelope(agent, frame['payload']));
      const isHeld = holds && random.oneIn(heldOnceIn);
      deliveries.set(eventId, {
        key,
        heldUntilMs: isHeld ? nowMs + heldMs : 0,
        isAcknowledged: !isHeld,
        ackedMs: undefined,
      });
      return !isHeld;
    }
    if (earlier.ackedMs !== undefined && openedMs > earlier.ackedMs)
      observations.problem(`event ${eventId} (${earlier.key}) came after its ack was confirmed`);
    const mayAcknowledge = !holds || nowMs >= earlier.heldUntilMs;
    earlier.isAcknowledged ||= mayAcknowledge;
    return mayAcknowledge;
  }

  function acked(eventId: string): void {
    const delivery = deliveries.get(eventId);
    if (delivery === undefined) observations.problem(`an ack for ${eventId}, which never came, was confirmed`);
    else delivery.ackedMs ??= performance.now();
  }

  function connect(agent: LoadAgent): EventSocket {
    const seen = new SeenEvents();
    return keepEventConnection(address, agent.token, {
      take: (frame, openedMs) => take(agent, seen, frame, openedMs),
      acked,
      ended: (how, sinceMs) => {
        // A client that renews its connection ends it with 1005.
        if (how !== 'closed with 1005') observations.note('event connections', sinceMs, how);
      },
      pauseMs: (failures) => Math.min(longestPauseMs, 100 * 2 ** failures) * (0.5 + random.next()),
    });
  }

  const sockets: EventSocket[] = [];
  const countOpen = () => sockets.filter(({ isOpen }) => isOpen()).length;
  const agents = pairs.flatMap(({ customer, contractor }) => [customer, contractor]);
  for (let at = 0; at < agents.length; at += agentsAtOnce) {
    for (const agent of agents.slice(at, at + agentsAtOnce))
      for (let number = 0; number < connectionsPerAgent; number += 1) sockets.push(connect(agent));
    while (countOpen() < sockets.length) await wait(openPollMs);
  }
  const renewing = setInterval(() => random.pick(sockets).renew(), renewEveryMs);

  return {
    count: sockets.length,
    open: countOpen,
    connections: () => sockets.reduce((sum, { opened }) => sum + opened(), 0),
    /** How many different events came. */
    events: () => deliveries.size,
    /** How many of them were never acknowledged; that the server has stored an ack may stay unknown. */
    unacknowledged: () => [...deliveries.values()].filter(({ isAcknowledged }) => !isAcknowledged).length,
    /** Whether an agent has had the event of a subject. */
    has: (agent: LoadAgent, subject: string) => byKey.has(`${agent.id} ${subject}`),
    /** The text of a message as its receiver opened it. */
    textOf: (agent: LoadAgent, messageId: string) => texts.get(`${agent.id} message ${messageId}`),
    /** The subjects of all events that came, with their receivers. */
    subjects: () => [...byKey.keys()],
    /** From now on every event is acknowledged; those without an ack come again on new connections. */
    acknowledgeAll: async () => {
      holds = false;
      clearInterval(renewing);
      for (const socket of sockets) {
        socket.renew();
        await wait(renewPauseMs);
      }
    },
    close: () => {
      clearInterval(renewing);
      for (const socket of sockets) socket.close();
    },
  };
}

/** What came on the present connection of a client. */
class SeenEvents {
  #openedMs = 0;
  #eventIds = new Set<string>();

  /** False where it has come on this connection before. */
  add(eventId: string, openedMs: number): boolean {
    if (openedMs !== this.#openedMs) this.#eventIds = new Set();
    this.#openedMs = openedMs;
    const isNew = !this.#eventIds.has(eventId);
    this.#eventIds.add(eventId);
    return isNew;
  }
}

/** What an event is about; it comes to each receiver once under one id. */
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
