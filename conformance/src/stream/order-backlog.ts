import { isObject } from '../json.ts';
import { leaseFriends } from '../leases.ts';
import { isSameId } from '../records.ts';
import type { Run } from '../run.ts';
import { offerOrder, rejectOrder, type SeenOrder } from './causes.ts';
import type { Connection } from './connection.ts';
import { eventsOf, type Frame } from './frames.ts';
import { settleForLooks, takeIn, takeInCalmly } from './listening.ts';

/** Some offers, each rejected at once, and what the two agents heard of them when they came back. */
export interface OrderBacklog {
  /** The changes in their order: `0.1` is the first order at its version 1. */
  readonly changes: readonly string[];
  readonly heardByContractor: readonly string[];
  readonly heardByCustomer: readonly string[];
  /** That of the customer. */
  readonly connection: Connection;
}

const fewOrders = 3;
// Two changes each, so a little more than the reference server sends without an ack.
const manyOrders = 33;

/** What a few orders cost, and what many do. */
export const fewOrdersCost = { contactRequests: 1, writes: 2 * fewOrders + 2, sockets: 2, seconds: 1 } as const;
export const manyOrdersCost = { ...fewOrdersCost, writes: 2 * manyOrders + 2 } as const;

const made = new WeakMap<Run, Promise<OrderBacklog>>();

/** Lets a backlog of order events gather for two agents, once in a run. */
export function gatherOrders(run: Run): Promise<OrderBacklog> {
  const known = made.get(run) ?? gather(run, fewOrders, takeIn);
  made.set(run, known);
  return known;
}

const backlogs = new WeakMap<Run, Promise<readonly Connection[]>>();

/** Takes in what has gathered for all agents of the run, once in it; returns the connections, which are closed again. */
export function takeBacklogs(run: Run): Promise<readonly Connection[]> {
  const known = backlogs.get(run) ?? takeAll(run);
  backlogs.set(run, known);
  return known;
}

async function takeAll(run: Run): Promise<readonly Connection[]> {
  const agents = [await run.newcomer(), await run.kept(), await run.partner()];
  return await Promise.all(agents.map((agent) => takeInCalmly(run, agent)));
}

/** A connection to which more came than is sent without an ack, or as much as was there. */
export async function overfill(run: Run): Promise<Connection> {
  // In a whole run the other checks have left enough behind.
  const full = (await takeBacklogs(run)).find(({ frames }) => eventsOf(frames).length > inFlightOf(frames));
  return full ?? (await gather(run, manyOrders, takeInCalmly)).connection;
}

/** How many events came before the first ack. */
export function inFlightOf(frames: readonly Frame[]): number {
  const firstAck = frames.findIndex(({ from }) => from === 'suite');
  return new Set(eventsOf(frames.slice(0, firstAck < 0 ? undefined : firstAck)).map(({ id }) => id)).size;
}

async function gather(run: Run, count: number, take: typeof takeIn): Promise<OrderBacklog> {
  const { one, other } = await leaseFriends(run);
  await settleForLooks(run, [one, other]);
  const orders: SeenOrder[] = [];
  while (orders.length < count) {
    const order = await offerOrder(run, one, other);
    await rejectOrder(run, other, order);
    orders.push(order);
  }
  const [contractor, customer] = await Promise.all([takeIn(run, one), take(run, other)]);
  return {
    changes: orders.flatMap(({ states }, at) => [...states.keys()].map((version) => `${at}.${version}`)),
    heardByContractor: changesIn(contractor, orders),
    heardByCustomer: changesIn(customer, orders),
    connection: customer,
  };
}

/** The changes of these orders that came, each once and in their order. */
function changesIn({ frames }: Connection, orders: readonly SeenOrder[]): readonly string[] {
  const changes = eventsOf(frames).flatMap(({ kind, payload }) => {
    if (kind !== 'order.changed' || !isObject(payload)) return [];
    const at = orders.findIndex(({ id }) => isSameId(payload['order_id'], id));
    return at < 0 ? [] : [`${at}.${String(payload['version'])}`];
  });
  return [...new Set(changes)];
}
