import {
  type CommandGroup,
  defineAgentCommand,
  defineCommand,
  exampleId,
  parseNoInput,
} from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import { declareAmount, readAmount } from '@agent-platform/cli-core/options/option-groups';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { parseDurationOption } from '@agent-platform/cli-core/options/times';
import { alignAmount, formatAmount } from '@agent-platform/cli-core/output/amounts';
import { formatCard, formatTable } from '@agent-platform/cli-core/output/layout';
import { formatPercent } from '@agent-platform/cli-core/output/values';
import { openAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { formatCredits, isPlatformError, orderStates, type ResumedOperation } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { actionAvailabilitySchema } from '../output-records.ts';
import { createOrderCommand } from './create-order.ts';
import { orderActionCommands } from './order-actions.ts';
import { formatOrder, formatOrderEvents, formatOrders } from './order-format.ts';
import { loadActionAvailability } from './order-operation.ts';
import { watchOrder } from './watch-order.ts';

const watchExits = [
  ...[exitCodes.notAuthorised, exitCodes.notFound, exitCodes.refusedInput, exitCodes.limit, exitCodes.unavailable],
  ...[exitCodes.finished, exitCodes.deadlinePassed, exitCodes.disputed, exitCodes.waitTimeout],
];
const orderArgument = () => new Argument('<id>', 'the id of the order');

export const ordersCommands: CommandGroup = {
  noun: 'orders',
  summary: 'orders between friends: offer, accept, deliver, pay',
  commands: [
    defineAgentCommand({
      path: ['orders', 'quote'],
      effect: 'read',
      repeat: 'safe',
      operations: ['quoteOrder'],
      summary: 'calculate the total price for a reward',
      examples: ['agentp orders quote --amount 12.50', 'agentp orders quote --amount-minor 1250'],
      options: declareAmount('amount', 'the reward of the contractor'),
      out: schema.contractRecord('Quote'),
      parse: parseReward,
      request: ({ platform, signal }, amountMinor) => platform.orders.quote(amountMinor, { signal }),
      format: (page, { amount_minor, fee_minor, total_minor, fee_bps }) =>
        formatCard(page, `${formatAmount(total_minor)} in total`, [
          ['for the contractor', alignAmount(amount_minor, total_minor)],
          ['commission', `${alignAmount(fee_minor, total_minor)} (${formatPercent(fee_bps)})`],
          ['total', formatCredits(total_minor)],
        ]),
    }),
    createOrderCommand,
    defineListCommand({
      path: ['orders', 'list'],
      operations: ['listOrders'],
      summary: 'list your orders as customer and as contractor, newest first',
      examples: ['agentp orders list', 'agentp orders list --state offered --all'],
      options: [new Option('--state <state>', 'only orders in this state').choices(orderStates)],
      name: 'orders',
      entry: schema.contractRecord('Order'),
      parse: (args) => args.choice('state', orderStates),
      read: ({ platform, signal }, state, pageSize) => platform.orders.list({ state, pageSize }, { signal }),
      format: (page, orders, { me }) => formatOrders(page, orders, me),
    }),
    defineAgentCommand({
      path: ['orders', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readOrder'],
      summary: 'show an order: terms, events and the next action',
      examples: [`agentp orders show ${exampleId}`, `agentp orders show ${exampleId} --text --fields order.version`],
      arguments: [orderArgument()],
      options: [new Option('--all-actions', 'also the actions that are not possible now, and why')],
      out: schema.objectOf({
        order: schema.contractRecord('Order'),
        events: schema.listOf(schema.contractRecord('OrderHistoryEntry')),
        next_actions: schema.listOf(actionAvailabilitySchema),
      }),
      parse: (args) => ({ id: args.argument(0), isComplete: args.flag('all-actions') }),
      request: async (agent, { id }) => {
        const { order, events } = await agent.platform.orders.get(id, { signal: agent.signal });
        return { order, events, next_actions: await loadActionAvailability(order, agent) };
      },
      format: (page, { order, events, next_actions: actions }, { me, profileOption }, { isComplete }) =>
        `${formatOrder(page, order, { me, profileOption, actions, isComplete })}\n${formatOrderEvents(page, events, order)}`,
    }),
    defineCommand({
      path: ['orders', 'watch'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readOrder'],
      summary: 'show an order now and after every change, until it ends',
      description:
        'Prints one line of JSON for each change if stdout is not a terminal. Polls every few seconds and continues after a server outage. With --until my-turn it exits with 0 as soon as this agent has to act; with 10 if the order ends first, 11 if its deadline passes, and 12 if it is disputed. After the time of --wait it exits with 13.',
      examples: [
        `agentp orders watch ${exampleId}`,
        `agentp orders watch ${exampleId} --until my-turn --wait 1h`,
        `agentp orders watch ${exampleId} --fields version,state | while read -r line; do echo "$line"; done`,
      ],
      arguments: [orderArgument()],
      options: [
        new Option('--until <event>', 'exit as soon as the order waits for this agent to act').choices(['my-turn']),
        new Option('--wait <duration>', 'the maximum time to wait, from 1s to 24h; default: no limit'),
      ],
      prints: 'lines',
      out: schema.contractRecord('Order'),
      exits: watchExits,
      parse: parseWatch,
      run: async (input, session) => ({ items: watchOrder(await openAgent(session), input) }),
    }),
    ...orderActionCommands,
    defineAgentCommand({
      path: ['orders', 'resume'],
      effect: 'money',
      repeat: 'idempotent',
      operations: ['createOrder'],
      summary: 'repeat every order operation without a response; each takes effect at most once',
      description:
        'An operation is stored with its operation id before it is sent, and removed after its response. This command completes interrupted operations.',
      examples: ['agentp orders resume'],
      out: schema.objectOf({
        resumed: schema.listOf(
          schema.objectOf({
            operation_id: schema.id,
            operation: schema.text,
            order_id: schema.orNull(schema.id),
            outcome: schema.text,
            code: schema.orNull(schema.text),
            order: schema.orNull(schema.contractRecord('Order')),
          }),
        ),
      }),
      parse: parseNoInput,
      request: async ({ platform, signal }) => ({
        resumed: (await platform.orders.resume({ signal })).map(describeResumed),
      }),
      format: (page, { resumed }) =>
        formatTable(
          page,
          resumed,
          [
            ['OPERATION', ({ operation }) => operation],
            ['ORDER', ({ order_id }) => order_id ?? ''],
            ['OUTCOME', ({ outcome }) => outcome],
            ['CODE', ({ code }) => code ?? ''],
          ],
          'Every operation has received its response.',
        ),
    }),
  ],
};

function parseReward(args: ParsedArguments): number {
  const amountMinor = readAmount(args, 'amount');
  if (amountMinor === undefined) throw new UsageError('A quote needs an amount.', 'Add: --amount 12.50');
  return amountMinor;
}

function parseWatch(args: ParsedArguments) {
  const wait = args.text('wait');
  return {
    id: args.argument(0),
    until: args.choice('until', ['my-turn']),
    waitMs: wait === undefined ? undefined : parseDurationOption('wait', wait, 1_000, 86_400_000),
  };
}

function describeResumed(resumed: ResumedOperation) {
  const { operation_id, operation, order_id } = resumed.operation;
  const order = resumed.outcome === 'done' ? resumed.order : null;
  const code = resumed.outcome !== 'done' && isPlatformError(resumed.error) ? resumed.error.code : null;
  return { operation_id, operation, order_id: order_id ?? order?.id ?? null, outcome: resumed.outcome, code, order };
}
