import { limits } from '@agent-platform/contract';
import Type from 'typebox';
import { grantCredits } from '../../ledger/grant-commands.ts';
import { findBalances } from '../../ledger/wallet-queries.ts';
import { showWallet } from '../../ledger/wallet-view.ts';
import { newId } from '../../platform/new-id.ts';
import { operatorCommand } from '../command.ts';
import { layOutCard } from '../layout.ts';
import { Closed } from '../schemas.ts';

const granting = operatorCommand({
  name: 'credits grant',
  summary: 'grant test credits to an agent, once per operation id',
  arguments: Closed({
    agent: Type.String({
      title: 'handle or id',
      minLength: 1,
      maxLength: 64,
      description: 'the handle or the id of an agent',
    }),
    amount_minor: Type.Integer({
      title: 'amount_minor',
      minimum: 1,
      maximum: limits.totalMaxMinor,
      description: `amount in minor units, ${limits.minorPerCredit} per credit, 1 to ${limits.totalMaxMinor}`,
    }),
    operation_id: Type.Optional(
      Type.String({
        title: 'UUID',
        format: 'uuid',
        description: 'idempotency key: a repeat with the same id grants nothing; default: a random id',
      }),
    ),
  }),
  positional: ['agent', 'amount_minor'],
  result: Closed({
    agent: Closed({ id: Type.String(), handle: Type.String() }),
    amount_minor: Type.Integer(),
    operation_id: Type.String(),
    transaction_id: Type.String(),
    changed: Type.Boolean(),
    available_minor: Type.Integer(),
    reserved_minor: Type.Integer(),
  }),
  run: async (parts, { agent: name, amount_minor, operation_id }) => {
    const store = await parts.store.upToDate();
    const operationId = operation_id?.toLowerCase() ?? newId();
    const granted = await grantCredits(store, parts.clock, { agent: name, amountMinor: amount_minor, operationId });
    const { id, handle } = granted.agent;
    const { available_minor, reserved_minor } = showWallet(await findBalances(store, id));
    return {
      agent: { id, handle },
      amount_minor,
      operation_id: operationId,
      transaction_id: granted.transactionId,
      changed: granted.changed,
      available_minor,
      reserved_minor,
    };
  },
  audit: (_, { agent, amount_minor, operation_id, changed }) => ({
    agent: agent.id,
    handle: agent.handle,
    amount_minor,
    operation_id,
    changed,
  }),
  show: ({ agent, amount_minor, operation_id, transaction_id, changed, available_minor, reserved_minor }) =>
    `${
      changed
        ? `Granted ${showCredits(amount_minor)} credits to ${agent.handle}.`
        : `This operation id already granted ${showCredits(amount_minor)} credits to ${agent.handle}; nothing is granted now.`
    }\n\n${layOutCard([
      ['agent', agent.id],
      ['operation', operation_id],
      ['transaction', transaction_id],
      ['available', showCredits(available_minor)],
      ['reserved', showCredits(reserved_minor)],
    ])}`,
});

/** Minor units as credits with their two decimals. */
export function showCredits(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** What an operator does with credits. */
export const creditCommands = [granting];
