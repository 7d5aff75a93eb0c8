import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, textsOf } from './json.ts';
import { demand, demandMember, demandObject, demandStatus, isUuid } from './judge.ts';
import { leaseFriends } from './leases.ts';
import type { OrderAction, Role } from './order-steps.ts';
import type { PoolAgent } from './pool.ts';
import { isSameId } from './records.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/** Where orders are. */
export const ordersPath = '/api/v1/orders';
/** Where prices are told. */
export const quotePath = `${ordersPath}/quote`;

/** Two friends who order from each other, and the commission of this server. */
export interface Market extends Readonly<Record<Role, PoolAgent>> {
  readonly feeBps: number;
}

/** What an order costs. */
export interface Price {
  readonly amountMinor: number;
  readonly feeMinor: number;
  readonly totalMinor: number;
}

/** An order as it was last seen. */
export interface SeenOrder {
  readonly id: string;
  readonly state: unknown;
  readonly version: number;
  readonly price: Price;
  readonly author: Role;
}

const commissions = new WeakMap<Run, number>();

/** Two friends with the roles of an order; the commission is asked for once in a run. */
export async function openMarket(run: Run): Promise<Market> {
  const { one: customer, other: contractor } = await leaseFriends(run);
  const feeBps = commissions.get(run) ?? (await askForCommission(run, contractor));
  commissions.set(run, feeBps);
  return { customer, contractor, feeBps };
}

async function askForCommission(run: Run, { token }: PoolAgent): Promise<number> {
  const answer = await run.ask({ method: 'POST', path: quotePath, token, json: { amount_minor: 100 } });
  demandStatus(answer, 200);
  return demandInteger(demandQuote(answer), 'fee_bps', answer);
}

/** The price of a reward, as stated: the commission rounds half up, and the product may exceed what a number holds. */
export function priceOf(amountMinor: number, feeBps: number): Price {
  const feeMinor = Number((BigInt(amountMinor) * BigInt(feeBps) + 5_000n) / 10_000n);
  return { amountMinor, feeMinor, totalMinor: amountMinor + feeMinor };
}

/** The largest reward whose whole price is no more than this. */
export function largestAmount(totalMinor: number, feeBps: number): number {
  let low = 0;
  let high = totalMinor;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (priceOf(middle, feeBps).totalMinor <= totalMinor) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The one of the two who has the other role. */
export function otherRole(role: Role): Role {
  return role === 'customer' ? 'contractor' : 'customer';
}

/** The body of an offer that has nothing wrong. */
export function termsOf(market: Market, author: Role, amountMinor = 4): JsonObject {
  const { totalMinor } = priceOf(amountMinor, market.feeBps);
  const counterpart = author === 'customer' ? 'contractor' : 'customer';
  return {
    operation_id: randomUUID(),
    title: 'A picture',
    description: 'Of a tree.',
    deadline: fromNow(86_400_000),
    amount_minor: amountMinor,
    [`${counterpart}_id`]: market[counterpart].id,
    ...(author === 'customer' ? { confirmed_total_minor: totalMinor } : {}),
  };
}

/** A moment from now on, as it is written. */
export function fromNow(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** Asks for a new order. */
export function askForOrder(run: Run, { token }: PoolAgent, terms: JsonObject): Promise<Exchange> {
  return run.ask({ method: 'POST', path: ordersPath, token, json: terms });
}

/** Makes an offer; that must work. */
export async function makeOffer(run: Run, market: Market, author: Role, amountMinor = 4): Promise<SeenOrder> {
  const answer = await askForOrder(run, market[author], termsOf(market, author, amountMinor));
  demandStatus(answer, 201);
  demandMember(demandOrder(answer), 'state', 'offered', answer);
  return seeOrder(answer, author);
}

/** The order of an answer, and who made it. */
export function seeOrder(exchange: Exchange, author: Role): SeenOrder {
  const order = demandOrder(exchange);
  const amountMinor = demandInteger(order, 'amount_minor', exchange);
  const totalMinor = demandInteger(order, 'total_minor', exchange);
  return {
    ...{ id: String(order['id']), state: order['state'], version: demandInteger(order, 'version', exchange), author },
    price: { amountMinor, totalMinor, feeMinor: totalMinor - amountMinor },
  };
}

/** The body of an action that has nothing wrong, with an id of its own. */
export function bodyOf(action: OrderAction, role: Role, { version, price }: SeenOrder): JsonObject {
  return {
    operation_id: randomUUID(),
    expected_version: version,
    ...(action === 'accept' && role === 'customer' ? { confirmed_total_minor: price.totalMinor } : {}),
    ...(action === 'deliver' ? { result_text: 'Here it is.' } : {}),
    ...(action === 'dispute' || action === 'propose-refund' ? { reason: 'It is no tree.' } : {}),
  };
}

/** Asks for an action. */
export function askForAction(
  run: Run,
  { token }: PoolAgent,
  id: string,
  action: string,
  body: JsonObject,
): Promise<Exchange> {
  return run.ask({ method: 'POST', path: `${ordersPath}/${id}/${action}`, token, json: body });
}

/** Does an action; that must work, and raise the version. */
export async function act(
  run: Run,
  market: Market,
  order: SeenOrder,
  action: OrderAction,
  role: Role,
): Promise<SeenOrder> {
  const answer = await askForAction(run, market[role], order.id, action, bodyOf(action, role, order));
  demandStatus(answer, 200);
  const next = seeOrder(answer, order.author);
  demand(isSameId(next.id, order.id), 'the answer is another order', answer);
  demand(next.version > order.version, `the version went from ${order.version} to ${next.version}`, answer);
  return next;
}

/** Does several actions one after the other. */
export async function actInTurn(
  run: Run,
  market: Market,
  offer: SeenOrder,
  turns: readonly (readonly [action: OrderAction, role: Role])[],
): Promise<SeenOrder> {
  let order = offer;
  for (const [action, role] of turns) order = await act(run, market, order, action, role);
  return order;
}

/** Gives everything back, so that no credits stay reserved. */
export async function refund(run: Run, market: Market, order: SeenOrder): Promise<SeenOrder> {
  return await actInTurn(run, market, order, [
    ['propose-refund', 'contractor'],
    ['approve-refund', 'customer'],
  ]);
}

/** Reads an order and its history. */
export function readOrder(run: Run, { token }: PoolAgent, id: string): Promise<Exchange> {
  return run.ask({ path: `${ordersPath}/${id}`, token });
}

/** Demands that an order is as it was last seen, for both of the two. */
export async function demandUnchanged(run: Run, market: Market, order: SeenOrder): Promise<void> {
  for (const reader of [market.customer, market.contractor]) {
    const read = await readOrder(run, reader, order.id);
    demandStatus(read, 200);
    demandMember(demandOrder(read), 'state', order.state, read);
    demandMember(demandOrder(read), 'version', order.version, read);
  }
}

/** Demands `{order: {…}}` with an id and returns the order. */
export function demandOrder(exchange: Exchange): JsonObject {
  const { order } = demandObject(exchange) as { readonly order?: unknown };
  demand(isObject(order), 'the body has no object "order"', exchange);
  demand(isUuid(order['id']), '"id" is not a UUID', exchange);
  return order;
}

/** Demands `{quote: {…}}` and returns the quote. */
export function demandQuote(exchange: Exchange): JsonObject {
  const { quote } = demandObject(exchange) as { readonly quote?: unknown };
  demand(isObject(quote), 'the body has no object "quote"', exchange);
  return quote;
}

/** Demands a whole number and returns it. */
export function demandInteger(holder: JsonObject, name: string, exchange: Exchange): number {
  const value = holder[name];
  demand(typeof value === 'number' && Number.isSafeInteger(value), `"${name}" is not an integer`, exchange);
  return value;
}

/** Demands that an order names both of the two; what their members are called is not stated. */
export function demandParticipants(order: JsonObject, market: Market, exchange: Exchange): void {
  const texts = textsOf(order);
  for (const role of ['customer', 'contractor'] as const) {
    const { id } = market[role];
    demand(
      texts.some(({ text }) => isSameId(text, id)),
      `the ${role} is not in the order`,
      exchange,
    );
    const under = texts.filter(({ path, text }) => path.startsWith(role) && isUuid(text));
    demand(
      under.every(({ text }) => isSameId(text, id)),
      `another agent is the ${role}`,
      exchange,
    );
  }
}
