import { allowedActions, type OrderAction, type OrderState, orderActions, orderStates } from '@agent-platform/contract';
import { describe, expect, it } from 'vitest';
import { type ActionableOrder, type ActionContext, availableActions } from './available-actions.ts';

const customer = '01931f6e-0000-7000-8000-00000000000c';
const contractor = '01931f6e-0000-7000-8000-00000000000d';
const stranger = '01931f6e-0000-7000-8000-00000000000e';
const now = new Date('2026-11-21T12:00:00.000Z');

function order(change: Partial<ActionableOrder> = {}): ActionableOrder {
  return {
    state: 'offered',
    version: 1,
    author_id: contractor,
    customer: { id: customer },
    contractor: { id: contractor },
    refund_proposal: null,
    total_minor: 1_100,
    deadline: '2026-11-22T12:00:00.000Z',
    ...change,
  };
}

function next(action: OrderAction, at: ActionableOrder, me: string, more: Partial<ActionContext> = {}) {
  return availableActions(at, me, { now, ...more }).find((found) => found.action === action);
}

describe('availableActions', () => {
  it('returns each of the nine actions once, and agrees with the order machine in every state for every agent', () => {
    for (const state of orderStates) {
      for (const me of [customer, contractor, stranger]) {
        for (const proposed_by of [undefined, customer, contractor]) {
          const at = order({ state, refund_proposal: proposed_by === undefined ? null : { proposed_by } });
          const found = availableActions(at, me, { now });

          expect(found.map(({ action }) => action)).toEqual(orderActions);
          expect(found.filter(({ possible }) => possible).map(({ action }) => action)).toEqual(allowedActions(at, me));
        }
      }
    }
  });

  it.each<[OrderAction, OrderState, string, object]>([
    ['accept', 'offered', customer, { possible: true, nextState: 'funded' }],
    ['accept', 'offered', contractor, { reason: 'role', by: 'recipient' }],
    ['accept', 'funded', customer, { reason: 'state', from: ['offered'] }],
    ['reject', 'offered', customer, { possible: true, nextState: 'rejected' }],
    ['cancel', 'offered', contractor, { possible: true, nextState: 'cancelled' }],
    ['cancel', 'offered', customer, { reason: 'role', by: 'author' }],
    ['start', 'offered', contractor, { reason: 'state', from: ['funded'] }],
    ['start', 'funded', customer, { reason: 'role', by: 'contractor' }],
    ['start', 'funded', contractor, { possible: true, nextState: 'in_progress' }],
    ['deliver', 'in_progress', contractor, { possible: true, nextState: 'delivered' }],
    ['complete', 'delivered', contractor, { reason: 'role', by: 'customer' }],
    ['complete', 'delivered', customer, { possible: true, nextState: 'closed' }],
    ['dispute', 'disputed', customer, { reason: 'state', from: ['funded', 'in_progress', 'delivered'] }],
    ['dispute', 'funded', stranger, { reason: 'role', by: 'participant' }],
    ['propose-refund', 'disputed', customer, { possible: true, nextState: 'disputed' }],
    ['approve-refund', 'disputed', customer, { reason: 'refund_not_proposed' }],
    ['approve-refund', 'closed', customer, { reason: 'state', from: ['disputed'] }],
  ])('reports %s in %s for %s', (action, state, me, expected) => {
    expect(next(action, order({ state }), me)).toMatchObject(expected);
  });

  it('reports which agent may still act after a refund was proposed', () => {
    const disputed = order({ state: 'disputed', refund_proposal: { proposed_by: customer } });

    expect(next('propose-refund', disputed, contractor)).toMatchObject({ reason: 'refund_proposal_exists' });
    expect(next('approve-refund', disputed, customer)).toMatchObject({ reason: 'role', by: 'approver' });
    expect(next('approve-refund', disputed, contractor)).toMatchObject({ possible: true, nextState: 'closed' });
  });

  it.each<[string, Partial<ActionContext>, object]>([
    ['nothing else is known', {}, { possible: true }],
    [
      'everything is in order',
      { wallet: { available_minor: 1_100 }, contact: { status: 'friends' } },
      { possible: true },
    ],
    ['one unit is missing', { wallet: { available_minor: 1_099 } }, { reason: 'funds', missingMinor: 1 }],
    ['there is no contact', { contact: null }, { reason: 'friendship', status: 'none' }],
    ['the contact is blocked', { contact: { status: 'blocked' } }, { reason: 'friendship', status: 'blocked' }],
    ['the deadline is now', { now: new Date('2026-11-22T12:00:00.000Z') }, { reason: 'deadline' }],
    ['the deadline is a moment away', { now: new Date('2026-11-22T11:59:59.999Z') }, { possible: true }],
    [
      'everything is wrong',
      { contact: null, wallet: { available_minor: 0 }, now: new Date('2027-01-01T00:00:00.000Z') },
      { reason: 'friendship' },
    ],
    [
      'deadline and funds are wrong',
      { wallet: { available_minor: 0 }, now: new Date('2027-01-01') },
      { reason: 'deadline' },
    ],
  ])('reports accept when %s', (_, circumstances, expected) => {
    expect(next('accept', order(), customer, circumstances)).toMatchObject(expected);
  });

  it('requires no credits of the contractor, and no friendship once an order is accepted', () => {
    const offer = order({ author_id: customer });
    const poor = { wallet: { available_minor: 0 }, contact: { status: 'blocked' }, now: new Date('2030-01-01') };

    expect(next('accept', offer, contractor, { wallet: { available_minor: 0 } })).toMatchObject({ possible: true });
    expect(next('complete', order({ state: 'delivered' }), customer, poor)).toMatchObject({ possible: true });
    expect(next('cancel', order(), contractor, poor)).toMatchObject({ possible: true });
  });
});
