import { makeTextLayout } from '@agent-platform/cli-core/output/layout';
import { widthOf } from '@agent-platform/cli-core/output/text-width';
import { availableActions, type Order } from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { captureIo } from '../../../testing/captured-io.ts';
import { alice, bob, exampleOrderId, makeOrder } from '../../../testing/make-order.ts';
import { formatOrder } from './order-format.ts';
import { findOwnNextAction } from './order-turn.ts';

const now = new Date('2029-12-31T00:00:00Z');
function format(order: Order, change: object = {}): string {
  const view = { me: alice.id, profileOption: '', isComplete: false, wallet: { available_minor: 1_000 }, ...change };
  const { wallet, ...rest } = view;
  const { io } = captureIo({ isTerminal: true, columns: 60, env: {}, now });
  const actions = availableActions(order, view.me, { now, wallet });
  return formatOrder(makeTextLayout(io, 'stdout', { color: false }), order, { ...rest, actions });
}

it('shows the control characters of a state that no order has', () => {
  const text = format(makeOrder({ state: '\u001b]0;hostile\u0007' }));

  expect(text).toContain('The order is <U+001B>]0;hostile<U+0007>; no action is left.');
  expect(text).not.toContain('\u001b');
});

it('shows the next action first, with its command, and the reasons against others on request', () => {
  const text = format(makeOrder({}), { profileOption: ' --profile dave' });

  expect(text.split('\n').slice(-5)).toEqual([
    'Next: accept, leads to funded',
    `  agentp orders accept ${exampleOrderId} --profile dave`,
    'Also possible: reject',
    'Not possible now: 7 actions; see orders show --all-actions',
    '',
  ]);
  expect(format(makeOrder({}), { isComplete: true })).toMatch(
    /Not possible now\n(?: .*\n)* {2}cancel +no: only for the author/,
  );
});

it('names the participant that has to act, and what prevents the next action', () => {
  expect(format(makeOrder({}), { me: bob.id })).toContain('Next: alice has to act\nPossible: cancel\n');
  expect(format(makeOrder({}), { wallet: { available_minor: 100 } })).toContain(
    'Next: accept, but 0.10 credits are missing\nPossible: reject\n',
  );
});

it('shows dates with their distance, and fits into 60 columns', () => {
  const text = format(makeOrder({}));

  expect(text).toMatch(/deadline +2030-01-01 00:00 UTC \(in 24 hours\)\n/);
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60);
});

const proposal = { proposed_by: bob.id, reason: 'r', created_at: '2029-12-30T00:00:00Z' };

it.each([
  [{ state: 'offered' }, 'accept', undefined],
  [{ state: 'funded' }, undefined, 'start'],
  [{ state: 'in_progress' }, undefined, 'deliver'],
  [{ state: 'delivered' }, 'complete', undefined],
  [{ state: 'disputed' }, 'propose-refund', 'propose-refund'],
  [{ state: 'disputed', refund_proposal: proposal }, 'approve-refund', undefined],
  [{ state: 'closed', outcome: 'accepted' }, undefined, undefined],
])('knows whose turn it is in %j', (change, customer, contractor) => {
  const order = makeOrder(change);

  expect([findOwnNextAction(order, alice.id), findOwnNextAction(order, bob.id)]).toEqual([customer, contractor]);
});
