import { expect, it } from 'vitest';
import { bobId, order } from '../../testing/orders.ts';
import { passport } from '../../testing/records.ts';
import { roleIn, turnActions, turnStatesOf } from './order-turn.ts';

const now = new Date('2026-11-22T00:00:00Z');
const customerId = passport.id;
const proposal = { proposed_by: bobId, reason: 'no', created_at: order.created_at };
const actions = (id: string, change: object) => [...turnActions({ ...order, ...change }, id, now)];

// In these cases the contractor made the offer.
it.each([
  ['offered', {}, ['accept', 'reject'], []],
  ['offered', { deadline: '2026-11-21T00:00:00Z' }, ['reject'], []],
  ['funded', {}, [], ['start', 'dispute', 'propose-refund']],
  ['in_progress', {}, [], ['deliver', 'dispute', 'propose-refund']],
  ['delivered', {}, ['complete', 'dispute', 'propose-refund'], []],
  ['disputed', {}, ['propose-refund'], ['propose-refund']],
  ['disputed', { refund_proposal: proposal }, ['approve-refund'], []],
  ['closed', {}, [], []],
  ['cancelled', {}, [], []],
] as const)('an order that is %s %j: the customer may %j, the contractor %j', (state, change, customer, contractor) => {
  expect(actions(customerId, { state, ...change })).toEqual(customer);
  expect(actions(bobId, { state, ...change })).toEqual(contractor);
  for (const [role, mine] of [
    ['customer', customer],
    ['contractor', contractor],
  ] as const) {
    // Either agent can make an offer.
    if (mine.length > 0) expect(turnStatesOf(role)).toContain(state);
    if (mine.length > 0) expect(turnStatesOf(undefined)).toContain(state);
  }
});

it('knows the role of an agent', () => {
  expect([roleIn(order, customerId), roleIn(order, bobId)]).toEqual(['customer', 'contractor']);
});
