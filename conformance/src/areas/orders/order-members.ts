import { type Check, defineCheck } from '../../context/check.ts';
import {
  expectEdgeCasesAnswered,
  expectMalformed,
  type MemberTypes,
  makeEdgeCases,
  makeInvalidChanges,
  sampleCases,
} from '../malformed.ts';
import type { OrderAction } from './order-steps.ts';
import { type Order, orderParties, type PartyAction } from './ordering.ts';

// The possible actions in each state, from the offer to the refund. The last action of a row leads to the next row.
export const actionsByState: readonly (readonly PartyAction[])[] = [
  [
    ['cancel', 'customer'],
    ['reject', 'contractor'],
    ['accept', 'contractor'],
  ],
  [['start', 'contractor']],
  [['deliver', 'contractor']],
  [
    ['complete', 'customer'],
    ['dispute', 'customer'],
  ],
  [['propose-refund', 'contractor']],
  [['approve-refund', 'customer']],
];

const command: MemberTypes = { operation_id: 'id!', expected_version: 'integer!' };
const membersOfActions: Partial<Record<OrderAction, MemberTypes>> = {
  accept: { confirmed_total_minor: 'integer' },
  deliver: { result_text: 'text', result_attachment_ids: 'ids' },
  dispute: { reason: 'text!' },
  'propose-refund': { reason: 'text!' },
};

export const orderMemberChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'orders.command-members',
    covers: ['AP-ORDER-061'],
    rule: 'Every action requires an operation_id, a UUID, and an expected_version, an integer, and its other members have their types.',
    cost: { writes: 32, creditsMinor: 100 },
    costWithoutPace: { writes: 110, creditsMinor: 100 },
    async judge(parties, run) {
      await parties.fund();
      let order = await parties.offer('customer');
      for (const turns of actionsByState) {
        for (const turn of turns) {
          const { made, cases } = sampleCases(run, makeInvalidChanges({ ...command, ...membersOfActions[turn[0]] }), 2);
          await run.requirement(
            'AP-ORDER-061',
            async () => {
              for (const change of made) expectMalformed(await order.post(turn, change), change);
              if (turn[0] === 'dispute') await expectActionEdges(order, turn);
              await order.expectUnchanged();
            },
            { cases },
          );
        }
        order = await order.actInSequence(turns.slice(-1));
      }
    },
  }),
];

/** One action suffices, because all actions share a parser. */
async function expectActionEdges(order: Order, [action, role]: PartyAction): Promise<void> {
  const agent = order.parties[role];
  // The wrong version keeps the order unchanged even if the server accepts the unusual body.
  const body = { ...order.body(action, role), expected_version: order.version + 1_000 };
  const { made } = sampleCases(order.parties.run, makeEdgeCases(body), 1);
  await order.parties.run.requirement('AP-ERR-002', () =>
    expectEdgeCasesAnswered(agent, made, (body, type = 'application/json') =>
      agent.send({ method: 'POST', path: order.path(action), body, headers: { 'content-type': type } }),
    ),
  );
}
