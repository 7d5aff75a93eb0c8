import { randomUUID } from 'node:crypto';
import { orderActions } from '@agent-platform/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  actionBodies,
  advanceOrder,
  makeOffer,
  makeOrderInState,
  makeOrderParties,
  type OrderParties,
  sendAction,
} from '../../testing/scenarios/orders.ts';
import { expectRefusal, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

describe('an action over HTTP', () => {
  const states = [
    'offered',
    'funded',
    'in_progress',
    'delivered',
    'closed',
    'cancelled',
    'rejected',
    'disputed',
  ] as const;
  // The participants and states for which each action is allowed, and the error for the other participant. The
  // contractor made the offer.
  const rules = {
    accept: { by: ['customer'], from: ['offered'], otherwise: 'counterparty_required' },
    reject: { by: ['customer'], from: ['offered'], otherwise: 'counterparty_required' },
    cancel: { by: ['contractor'], from: ['offered'], otherwise: 'forbidden' },
    start: { by: ['contractor'], from: ['funded'], otherwise: 'forbidden' },
    deliver: { by: ['contractor'], from: ['in_progress'], otherwise: 'forbidden' },
    complete: { by: ['customer'], from: ['delivered'], otherwise: 'forbidden' },
    dispute: { by: ['customer', 'contractor'], from: ['funded', 'in_progress', 'delivered'], otherwise: '' },
    'propose-refund': {
      by: ['customer', 'contractor'],
      from: ['funded', 'in_progress', 'delivered', 'disputed'],
      otherwise: '',
    },
    'approve-refund': { by: ['customer', 'contractor'], from: [], otherwise: '' },
  } as const satisfies Record<string, { by: readonly string[]; from: readonly string[]; otherwise: string }>;

  it.each(states)('is decided as specified when the order is %s', async (state) => {
    const mine = await makeOrderParties(server(), 100_000);
    for (const action of orderActions) {
      for (const role of ['customer', 'contractor'] as const) {
        const order = await makeOrderInState(server(), mine, state);
        const [id, version] = [order['id'] ?? '', Number(order['version'])];
        const { by, from, otherwise }: { by: readonly string[]; from: readonly string[]; otherwise: string } =
          rules[action];
        const send = async (expected_version: number) => {
          const { status, body } = await sendAction(server(), mine[role], id, action, {
            expected_version,
            ...actionBodies[action],
          });
          return body['error']?.['code'] ?? status;
        };
        const isWrongActor = !by.includes(role);
        expect([action, role, await send(version + 1)]).toEqual([
          action,
          role,
          isWrongActor ? otherwise : 'version_conflict',
        ]);
        const noProposal = action === 'approve-refund' && state === 'disputed';
        const wrongState = noProposal ? 'refund_not_proposed' : 'state_conflict';
        const expected = isWrongActor ? otherwise : from.includes(state) ? 200 : wrongState;
        expect([action, role, await send(version)]).toEqual([action, role, expected]);
      }
    }
  });

  it('allows one refund proposal, which the other participant approves', async () => {
    const mine = await makeOrderParties(server());
    const id = (await makeOrderInState(server(), mine, 'disputed'))['id'] ?? '';
    await advanceOrder(server(), mine, id, ['propose-refund']);
    const at = { expected_version: 4 };
    const propose = { ...at, ...actionBodies['propose-refund'] };
    for (const agent of [mine.customer, mine.contractor]) {
      expectRefusal(await sendAction(server(), agent, id, 'propose-refund', propose), 'refund_proposal_exists');
    }
    expectRefusal(await sendAction(server(), mine.customer, id, 'approve-refund', at), 'counterparty_required');
    expect((await sendAction(server(), mine.contractor, id, 'approve-refund', at)).status).toBe(200);
    // The closed order still contains the proposal and its author, so the participants get different errors.
    expectRefusal(
      await sendAction(server(), mine.customer, id, 'approve-refund', { expected_version: 5 }),
      'counterparty_required',
    );
    expectRefusal(
      await sendAction(server(), mine.contractor, id, 'approve-refund', { expected_version: 5 }),
      'state_conflict',
    );
  });

  it.each<readonly [string, string, object]>([
    ['without operation_id', 'start', { operation_id: undefined }],
    ['without expected_version', 'start', { expected_version: undefined }],
    ['with a text as version', 'start', { expected_version: '2' }],
    ['with a fraction as version', 'start', { expected_version: 2.5 }],
    ['with a boolean as version', 'start', { expected_version: true }],
    ['with version 0', 'start', { expected_version: 0 }],
    ['with an unsafe version', 'start', { expected_version: 2 ** 53 }],
    ['with an unknown member', 'start', { reason: 'x' }],
    ['without a reason', 'dispute', {}],
    ['with an empty reason', 'dispute', { reason: '' }],
    ['with a reason of 2001 characters', 'dispute', { reason: 'x'.repeat(2_001) }],
    ['with a reason of null', 'propose-refund', { reason: null }],
    ['with nothing', 'deliver', {}],
    ['with an empty text and no file', 'deliver', { result_text: '', result_attachment_ids: [] }],
    ['with a text of 8001 characters', 'deliver', { result_text: 'x'.repeat(8_001) }],
    ['with eleven files', 'deliver', { result_attachment_ids: Array.from({ length: 11 }, () => randomUUID()) }],
    ['with a lone surrogate', 'deliver', { result_text: '\ud800' }],
    ['with a zero character', 'dispute', { reason: '\u0000' }],
  ])('%s (%s) is invalid_input', async (_name, action, body) => {
    const id = await makeOffer(server(), pair);
    expectRefusal(
      await sendAction(server(), pair.contractor, id, action, { expected_version: 1, ...body }),
      'invalid_input',
    );
  });

  it('accepts texts of the maximum length, counted in characters', async () => {
    const mine = await makeOrderParties(server());
    const title = '🐈'.repeat(160);
    const id = await makeOffer(server(), mine, { title, description: 'é'.repeat(8_000) });
    await advanceOrder(server(), mine, id, ['accept', 'start']);
    const result_text = 'ß'.repeat(8_000);
    const delivered = await sendAction(server(), mine.contractor, id, 'deliver', { expected_version: 3, result_text });
    expect(delivered.body['order']).toMatchObject({ title, result_text });
    const reason = '語'.repeat(2_000);
    expect((await sendAction(server(), mine.customer, id, 'dispute', { expected_version: 4, reason })).status).toBe(
      200,
    );
  });
});
