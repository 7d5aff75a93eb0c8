import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../json.ts';
import { demand, demandObject, demandStatus, isUuid } from '../judge.ts';
import { send } from '../messaging.ts';
import type { PoolAgent } from '../pool.ts';
import { newWord } from '../publishing.ts';
import type { Run } from '../run.ts';
import { envelopeAround, randomBase64 } from '../sealing.ts';
import type { Exchange } from '../wire.ts';

/** Sends a friend an envelope around noise, and returns what it can be told by from every other one. */
export async function sendMessage(run: Run, from: PoolAgent, to: PoolAgent): Promise<readonly string[]> {
  const envelope = envelopeAround(from, to, randomBase64(48));
  await send(run, from, envelope);
  return [envelope.client_message_id, envelope.nonce, envelope.ciphertext];
}

/** An order, with the state that it had at each version that was seen. */
export interface SeenOrder {
  readonly id: string;
  /** Stands in its title and in its description. */
  readonly word: string;
  readonly states: Map<number, string>;
}

const dayMs = 86_400_000;

/** Offers to work for a friend, for an amount without a fee; nobody pays before the other one accepts. */
export async function offerOrder(run: Run, contractor: PoolAgent, customer: PoolAgent): Promise<SeenOrder> {
  const word = newWord();
  const json = {
    ...{ operation_id: randomUUID(), title: word, description: word, amount_minor: 1, customer_id: customer.id },
    deadline: new Date(Date.now() + dayMs).toISOString(),
  };
  const answer = await run.ask({ method: 'POST', path: '/api/v1/orders', token: contractor.token, json });
  demandStatus(answer, 201);
  const { id } = demandOrder(answer) as { readonly id?: unknown };
  demand(isUuid(id), '"id" is not a UUID', answer);
  const order = { id, word, states: new Map<number, string>() };
  noteState(order, answer);
  return order;
}

/** Rejects an offer as the one whom it was made to. */
export function rejectOrder(run: Run, customer: PoolAgent, order: SeenOrder): Promise<void> {
  return act(run, customer, order, 'reject');
}

/** Cancels an own offer. */
export function cancelOrder(run: Run, author: PoolAgent, order: SeenOrder): Promise<void> {
  return act(run, author, order, 'cancel');
}

async function act(run: Run, { token }: PoolAgent, order: SeenOrder, action: 'reject' | 'cancel'): Promise<void> {
  const json = { operation_id: randomUUID(), expected_version: Math.max(...order.states.keys()) };
  const path = `/api/v1/orders/${order.id}/${action}`;
  const answer = await run.ask({ method: 'POST', path, token, json });
  demandStatus(answer, 200);
  noteState(order, answer);
}

function noteState({ states }: SeenOrder, answer: Exchange): void {
  const { version, state } = demandOrder(answer) as { readonly version?: unknown; readonly state?: unknown };
  demand(Number.isInteger(version), '"version" is not an integer', answer);
  demand(typeof state === 'string', '"state" is not a text', answer);
  states.set(Number(version), state);
}

function demandOrder(exchange: Exchange): JsonObject {
  const { order } = demandObject(exchange) as { readonly order?: unknown };
  demand(isObject(order), 'the body has no object "order"', exchange);
  return order;
}
