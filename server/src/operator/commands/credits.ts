import { limits } from '@agent-platform/contract';
import Type from 'typebox';
import type { CreditTotals } from '../../ledger/credit-totals-queries.ts';
import { grantCredits } from '../../ledger/grant-commands.ts';
import { findBalances } from '../../ledger/wallet-queries.ts';
import { showWallet } from '../../ledger/wallet-view.ts';
import { newId } from '../../platform/crypto.ts';
import { defineOperatorCommand, HandleOrId, makeArgumentsSchema } from '../command.ts';
import { type CardRows, formatCard } from '../format.ts';

export const grantCreditsCommand = defineOperatorCommand({
  name: 'credits grant',
  summary: 'grant test credits to an agent, once per operation id',
  arguments: makeArgumentsSchema({
    agent: HandleOrId,
    amount_minor: Type.Integer({
      title: 'amount_minor',
      minimum: 1,
      maximum: limits.totalMaxMinor,
      description: `amount in minor units, ${limits.minorPerCredit} per credit, 1 to ${limits.totalMaxMinor}`,
    }),
    operationId: Type.Optional(
      Type.String({
        title: 'UUID',
        format: 'uuid',
        description: 'idempotency key: a repeat with the same id grants nothing; default: a random id',
      }),
    ),
  }),
  run: async (parts, { agent: name, amount_minor, operationId: sentId }) => {
    const store = await parts.store.upToDate();
    const operationId = sentId?.toLowerCase() ?? newId();
    const wanted = { agent: name, amountMinor: amount_minor, operationId };
    const {
      agent,
      transactionId: transaction_id,
      changed,
    } = await grantCredits(store, parts.clock, wanted, parts.record);
    const { available_minor, reserved_minor } = showWallet(await findBalances(store, agent.id));
    return {
      agent: { id: agent.id, handle: agent.handle },
      amount_minor,
      operation_id: operationId,
      transaction_id,
      changed,
      available_minor,
      reserved_minor,
    };
  },
  audit: ({ agent: { id, handle }, amount_minor, operation_id, changed }) => ({
    agent: id,
    handle,
    amount_minor,
    operation_id,
    changed,
  }),
  format: ({ agent, amount_minor, operation_id, transaction_id, changed, available_minor, reserved_minor }) => {
    const amount = formatCredits(amount_minor);
    const sentence = changed
      ? `Granted ${amount} credits to ${agent.handle}.`
      : `This operation id already granted ${amount} credits to ${agent.handle}. Nothing was granted.`;
    const card = formatCard([
      ['agent', agent.id],
      ['operation', operation_id],
      ['transaction', transaction_id],
      ['available', formatCredits(available_minor)],
      ['reserved', formatCredits(reserved_minor)],
    ]);
    return `${sentence}\n\n${card}`;
  },
});

/** The result is exact up to the largest safe integer. */
export function formatCredits(minor: number): string {
  return (minor / limits.minorPerCredit).toFixed(2);
}

export function describeCreditTotals(
  { issued, available, reserved, fees }: CreditTotals,
  issuedLabel = 'issued',
): CardRows {
  const totals = { [issuedLabel]: issued, available, reserved, fees };
  return Object.entries(totals).map(([label, minor]) => [label, formatCredits(minor)]);
}
