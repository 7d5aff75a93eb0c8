import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { textsOf } from '../json.ts';
import { demand, demandStatus, isUuid, Unmet } from '../judge.ts';
import { leaseStrangers } from '../leases.ts';
import type { Run } from '../run.ts';
import { cancelOrder, offerOrder, sendMessage } from '../stream/causes.ts';
import type { Connection } from '../stream/connection.ts';
import { eventsOf, type StreamEvent } from '../stream/frames.ts';
import { acknowledge, demandNews, findNews, isThere, listen, settle, silenceMs, soFar } from '../stream/listening.ts';
import type { Exchange } from '../wire.ts';

/** What was heard of a friendship from its beginning to its end. */
export interface Friendship {
  /** By the step that caused it, who heard which contact event: `recipient of the request: contact.requested`. */
  readonly heard: readonly HeardStep[];
  /** Came to the one who blocked, before the block; nobody acknowledged them. */
  readonly message: StreamEvent;
  readonly order: StreamEvent | undefined;
  /** The connection of the one who blocked, after the block. */
  readonly later: { readonly exchange: Exchange; readonly ids: readonly string[] };
}

/** What a step of a friendship was told as. */
export interface HeardStep {
  readonly step: 'request' | 'accept' | 'block';
  readonly requester: readonly StreamEvent[];
  readonly recipient: readonly StreamEvent[];
}

const cost = { contactRequests: 1, writes: 6, messages: 1, sockets: 2, seconds: 2 } as const;
const lookMs = 2_000;

/** What a block does to events that nobody has acknowledged. */
export const eventBlockChecks: readonly Check[] = [
  {
    id: 'events.suppressed',
    covers: ['AP-EVENT-029'],
    rule: 'After a block a message that was not acknowledged is not delivered any more.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { message, later } = await friendship(run);
      demand(!later.ids.includes(message.id), 'a message came again after the block', later.exchange);
    },
  },
  {
    id: 'events.orders-stay',
    covers: ['AP-EVENT-030'],
    rule: 'After a block an order.changed that was not acknowledged is delivered still.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { order, later } = await friendship(run);
      if (order === undefined) throw new Unmet('an offer was not told to whom it was made');
      demand(later.ids.includes(order.id), 'a notification of an order is gone after the block', later.exchange);
    },
  },
];

const friendships = new WeakMap<Run, Promise<Friendship>>();

/** Lets two strangers become friends, write, make an offer and part, once in a run. */
export function friendship(run: Run): Promise<Friendship> {
  const known = friendships.get(run) ?? live(run);
  friendships.set(run, known);
  return known;
}

async function live(run: Run): Promise<Friendship> {
  const { one: requester, other: recipient } = await leaseStrangers(run);
  await settle(run, [requester, recipient]);
  const [asking, asked] = [await listen(run, requester), await listen(run, recipient)];
  const both = [asking, asked] as const;
  const heard: HeardStep[] = [];
  const json = { recipient_id: recipient.id };
  const { id, told } = await watch(run, both, 'request', async () => {
    const answer = await run.ask({ method: 'POST', path: '/api/v1/contacts/requests', token: requester.token, json });
    demandStatus(answer, 201);
    const texts = textsOf(answer.json);
    const contactId = texts.find(({ path, text }) => /(^|\.)contact_id$/.test(path) && isUuid(text))?.text;
    demand(contactId !== undefined, 'the answer to a contact request names no contact_id', answer);
    return contactId;
  });
  heard.push(told);
  const act = (action: 'accept' | 'block') => async () => {
    const path = `/api/v1/contacts/${id}/${action}`;
    const answer = await run.ask({ method: 'POST', path, token: recipient.token, json: {} });
    demandStatus(answer, 200);
    return id;
  };
  heard.push((await watch(run, both, 'accept', act('accept'))).told);
  const before = soFar(run);
  await sendMessage(run, requester, recipient);
  const message = await demandNews(run, asked, before, 'message.created');
  // Which of the two is told, if not both, is left open.
  await cancelOrder(run, requester, await offerOrder(run, requester, recipient));
  const order = await findNews(asked, before, 'order.changed', lookMs);
  heard.push((await watch(run, both, 'block', act('block'))).told);
  await asked.close();
  const later = await listen(run, recipient);
  if (order !== undefined)
    await later.until(() => (isThere(later, order.id) ? true : undefined), run.stream.patienceMs);
  await sleep(silenceMs);
  const ids = eventsOf(later.frames).map((event) => event.id);
  for (const event of ids) await acknowledge(run, later, event);
  return { heard, message, order, later: { exchange: later.exchange, ids } };
}

/** Does a step and notes which contact events it causes; none may come, for who hears what is left open. */
async function watch(
  run: Run,
  [asking, asked]: readonly [Connection, Connection],
  step: HeardStep['step'],
  act: () => Promise<string>,
): Promise<{ readonly id: string; readonly told: HeardStep }> {
  const before = soFar(run);
  const id = await act();
  const news = ({ frames }: Connection) =>
    eventsOf(frames).filter((event) => event.kind.startsWith('contact.') && !before.has(event.id.toLowerCase()));
  const someone = () => (news(asking).length + news(asked).length > 0 ? true : undefined);
  await Promise.race([asking.until(someone, lookMs), asked.until(someone, lookMs)]);
  return { id, told: { step, requester: news(asking), recipient: news(asked) } };
}
