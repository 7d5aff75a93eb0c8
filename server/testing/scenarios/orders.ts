import { randomUUID } from 'node:crypto';
import { type OrderAction, orderActions } from '@agent-platform/contract';
import { expect } from 'vitest';
import type { Answer, Json, RegisteredAgent, TestServer } from '../test-server.ts';
import { befriend } from './friends.ts';

/** Two friends with orders between them. The customer has credits. */
export interface OrderParties {
  readonly customer: RegisteredAgent;
  readonly contractor: RegisteredAgent;
  readonly contactId: string;
}

let pairs = 0;

export async function makeOrderParties(server: TestServer, creditsMinor = 1_000_000): Promise<OrderParties> {
  pairs += 1;
  const number = pairs;
  const customer = await server.register(`customer_${number}`);
  const contractor = await server.register(`contractor_${number}`);
  const contactId = await befriend(server, customer, contractor);
  if (creditsMinor > 0) await server.grant(customer.id, creditsMinor);
  return { customer, contractor, contactId };
}

/** Uses the machine's clock, not the test clock. */
export const oneHourFromNow = () => new Date(Date.now() + 3_600_000).toISOString();

/** Makes a contractor's offer with a default price of 1,000 minor units. */
export function offerBody({ customer }: OrderParties, more: object = {}): object {
  return {
    operation_id: randomUUID(),
    title: 'A picture',
    deadline: oneHourFromNow(),
    amount_minor: 1_000,
    customer_id: customer.id,
    ...more,
  };
}

export function sendOrder(server: TestServer, agent: RegisteredAgent, body: object): Promise<Answer> {
  return server.request('POST', '/api/v1/orders', { token: agent.token, body });
}

/** Uses a new operation id by default. */
export function sendAction(
  server: TestServer,
  agent: RegisteredAgent,
  orderId: string,
  action: string,
  body: object = {},
): Promise<Answer> {
  return server.request('POST', `/api/v1/orders/${orderId}/${action}`, {
    token: agent.token,
    body: { operation_id: randomUUID(), ...body },
  });
}

/** Expects a successful response and returns its order. */
export function orderIn({ status, body }: Answer): Json {
  expect([200, 201], JSON.stringify(body)).toContain(status);
  const order = body['order'];
  if (order === undefined) throw new Error(`No order: ${JSON.stringify(body)}`);
  return order;
}

/** The contractor makes the offer. Returns its id. */
export async function makeOffer(server: TestServer, pair: OrderParties, more: object = {}): Promise<string> {
  return orderIn(await sendOrder(server, pair.contractor, offerBody(pair, more)))['id'] ?? '';
}

/** The actions that lead from a contractor's offer to each state. */
const actionsToState = {
  offered: [],
  funded: ['accept'],
  in_progress: ['accept', 'start'],
  delivered: ['accept', 'start', 'deliver'],
  closed: ['accept', 'start', 'deliver', 'complete'],
  cancelled: ['cancel'],
  rejected: ['reject'],
  disputed: ['accept', 'dispute'],
} as const satisfies Record<string, readonly OrderAction[]>;

const actors: Readonly<Record<OrderAction, 'customer' | 'contractor'>> = {
  accept: 'customer',
  start: 'contractor',
  deliver: 'contractor',
  complete: 'customer',
  cancel: 'contractor',
  reject: 'customer',
  dispute: 'customer',
  'propose-refund': 'customer',
  'approve-refund': 'contractor',
};

/** The members of each action's body, except the version, for an order with the default price of `offerBody`. */
export const actionBodies: Readonly<Record<OrderAction, object>> = {
  ...(Object.fromEntries(orderActions.map((action) => [action, {}])) as Record<OrderAction, object>),
  accept: { confirmed_total_minor: 1_100 },
  deliver: { result_text: 'done' },
  dispute: { reason: 'not as agreed' },
  'propose-refund': { reason: 'let us stop' },
};

/** Performs the actions in sequence, each as the permitted agent. Returns the resulting order. */
export async function advanceOrder(
  server: TestServer,
  pair: OrderParties,
  orderId: string,
  actions: readonly OrderAction[],
): Promise<Json> {
  let order = await readOrder(server, pair.customer, orderId);
  for (const action of actions) {
    const expected_version = order['version'];
    const body = { expected_version, ...actionBodies[action] };
    order = orderIn(await sendAction(server, pair[actors[action]], orderId, action, body));
  }
  return order;
}

export async function makeOrderInState(
  server: TestServer,
  pair: OrderParties,
  state: keyof typeof actionsToState,
): Promise<Json> {
  return await advanceOrder(server, pair, await makeOffer(server, pair), actionsToState[state]);
}

export async function readOrder(server: TestServer, agent: RegisteredAgent, orderId: string): Promise<Json> {
  return orderIn(await server.request('GET', `/api/v1/orders/${orderId}`, { token: agent.token }));
}

/** Returns the available and the reserved amount in minor units. */
export async function readBalances(server: TestServer, { token }: RegisteredAgent): Promise<readonly [number, number]> {
  const { wallet } = (await server.request('GET', '/api/v1/wallet', { token })).body as {
    readonly wallet: { readonly available_minor: number; readonly reserved_minor: number };
  };
  return [wallet.available_minor, wallet.reserved_minor];
}
