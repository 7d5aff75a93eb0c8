import { ApiError, type OrderAction } from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { captureIo } from '../../../testing/captured-io.ts';
import { findInvalidCommands } from '../../../testing/hint-commands.ts';
import { alice, bob, exampleOrderId, makeOrder } from '../../../testing/make-order.ts';
import { explainRefusal } from './explain-refusal.ts';

function explain(code: 'forbidden', change: object, me: string, action: OrderAction): string | undefined {
  const error = new ApiError({
    status: 403,
    code,
    serverCode: code,
    message: 'No.',
    requestId: null,
    retryAfterSeconds: null,
    details: [],
    retryable: false,
  });
  return explainRefusal(error, { me, io: captureIo().io }, makeOrder({ ...change }), action);
}

it.each([
  [
    { code: 'forbidden', state: 'funded', me: alice.id, action: 'start' },
    `start is only for the contractor; you are the customer. The order is funded, and it is the turn of bob: agentp orders show ${exampleOrderId}`,
  ],
  [
    { code: 'counterparty_required', state: 'offered', me: bob.id, action: 'accept' },
    `accept is only for the recipient of the offer; you are the contractor. The order is offered, and it is the turn of alice: agentp orders show ${exampleOrderId}`,
  ],
  [
    { code: 'forbidden', state: 'in_progress', me: bob.id, action: 'complete' },
    `complete is only for the customer; you are the contractor. The order is in_progress. Your next action: agentp orders deliver ${exampleOrderId} --text-file FILE`,
  ],
  [
    { code: 'state_conflict', state: 'offered', me: alice.id, action: 'complete' },
    `The order is offered. Your next action: agentp orders accept ${exampleOrderId}`,
  ],
  [
    { code: 'state_conflict', state: 'closed', me: alice.id, action: 'complete' },
    `The order has ended: agentp orders show ${exampleOrderId}`,
  ],
  [
    { code: 'price_changed', state: 'offered', me: alice.id, action: 'accept' },
    `The price of the offer does not change. Confirm it: agentp orders accept ${exampleOrderId} --confirm-total 1.10`,
  ],
  [
    { code: 'insufficient_funds', state: 'offered', author_id: alice.id, me: bob.id, action: 'accept' },
    `The customer, alice, lacks credits. Wait and repeat the command, or: agentp orders reject ${exampleOrderId}`,
  ],
  // No hints: the customer can read its own wallet, and the contractor, which has the role, must be suspended.
  [{ code: 'insufficient_funds', state: 'offered', me: alice.id, action: 'accept' }, undefined],
  [{ code: 'forbidden', state: 'funded', me: bob.id, action: 'start' }, undefined],
])('explains %j by the order', ({ code, me, action, ...change }, expected) => {
  const hint = explain(code as 'forbidden', change, me, action as OrderAction);

  expect(hint).toBe(expected);
  expect(findInvalidCommands(hint ?? '')).toEqual([]);
});
