import { expect, it } from 'vitest';
import { sampleFriendId, sampleOrder } from '../../testing/orders.ts';
import { testPassport } from '../../testing/records.ts';
import { findTurnActions, getOrderRole, turnStatesOf } from './order-turn.ts';

const now = new Date('2026-11-22T00:00:00Z');
const customerId = testPassport.id;
const proposal = { proposed_by: sampleFriendId, reason: 'no', created_at: sampleOrder.created_at };
const actions = (id: string, change: object) => [...findTurnActions({ ...sampleOrder, ...change }, id, now)];

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
  expect(actions(sampleFriendId, { state, ...change })).toEqual(contractor);
  for (const [role, mine] of [
    ['customer', customer],
    ['contractor', contractor],
  ] as const) {
    // Only `toContain`, because the states of a role also cover offers by the other agent.
    if (mine.length > 0) expect(turnStatesOf(role)).toContain(state);
    if (mine.length > 0) expect(turnStatesOf(undefined)).toContain(state);
  }
});

it('determines the role of an agent in an order', () => {
  expect([getOrderRole(sampleOrder, customerId), getOrderRole(sampleOrder, sampleFriendId)]).toEqual([
    'customer',
    'contractor',
  ]);
});
