import { defineAgentCommand } from '@agent-platform/cli-core/command';
import { UsageError, withHint } from '@agent-platform/cli-core/errors/failure';
import * as groups from '@agent-platform/cli-core/options/option-groups';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { parseDeadlineOption } from '@agent-platform/cli-core/options/times';
import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import type { CardRow } from '@agent-platform/cli-core/output/layout';
import { addContactHintOnFailure, findContact } from '@agent-platform/cli-core/session/find-agent';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { ApiError, formatCredits, type Offer, type Quote } from '@agent-platform/sdk';
import { Option } from 'commander';
import { newOrderSchema } from '../output-records.ts';
import { confirmTotal } from './confirm-total.ts';
import { findOfferProblems, findOfferWarnings } from './dry-run.ts';
import type { CreditCommitment } from './obey-policy.ts';
import { type OrderReport, runOperation } from './order-operation.ts';

type Input = ReturnType<typeof parse>;

export const createOrderCommand = defineAgentCommand({
  path: ['orders', 'create'],
  effect: 'money',
  repeat: 'with-key',
  operations: ['createOrder', 'quoteOrder', 'readWallet', 'listContacts', 'listBots', 'readBot', 'uploadAttachment'],
  summary: 'offer an order to a friend, as customer or as contractor',
  description:
    'With --contractor you are the customer and confirm the total price, with --confirm-total or on a terminal; with --customer you offer your own work. No credits move until the other participant accepts.',
  examples: [
    'agentp orders create --contractor bob --title "A thumbnail" --amount 12.50 --confirm-total 13.75 --deadline 3d --attach photo.jpg',
    'agentp orders create --customer alice --title "A chart" --amount 40 --deadline 2027-01-31T12:00:00Z',
  ],
  options: [
    new Option('--contractor <agent>', 'the friend that does the work, by handle or id').conflicts('customer'),
    new Option('--customer <agent>', 'the friend that pays, by handle or id'),
    new Option('--title <text>', 'the title').makeOptionMandatory(),
    ...groups.declareText('description', 'the full description of the work'),
    new Option('--deadline <time>', 'the end of the offer: a time with a zone, or 90m, 12h, 3d').makeOptionMandatory(),
    ...groups.declareAmount('amount', 'the reward of the contractor'),
    ...groups.declareAmount('confirm-total', 'the total price that you confirm'),
    ...groups.declareFileOptions(),
    ...groups.declareOperationOptions(),
  ],
  out: newOrderSchema,
  parse,
  request: createOrder,
  data: ({ data }) => data,
  format: (page, { format }) => format(page),
});

function parse(args: ParsedArguments) {
  return {
    other: readOther(args),
    title: args.required('title'),
    description: groups.readText(args, 'description'),
    deadline: parseDeadlineOption(args.required('deadline')),
    amountMinor: readReward(args),
    confirmedMinor: groups.readAmount(args, 'confirm-total'),
    files: groups.readOrderFileOptions(args),
    operation: groups.readOperationOptions(args),
  };
}

function readOther(args: ParsedArguments) {
  for (const role of ['contractor', 'customer'] as const) {
    const name = args.text(role);
    if (name !== undefined) return { role, name };
  }
  const hint = 'Add --contractor NAME (you pay) or --customer NAME (you work).';
  throw new UsageError('An order requires the other participant.', hint);
}

function readReward(args: ParsedArguments): number {
  const amountMinor = groups.readAmount(args, 'amount');
  if (amountMinor !== undefined) return amountMinor;
  throw new UsageError('An order requires a reward.', 'Add: --amount 12.50');
}

async function createOrder(agent: OpenedAgent, input: Input): Promise<OrderReport> {
  const { orders } = agent.platform;
  const quote = await orders.quote(input.amountMinor, { signal: agent.signal });
  const offer = await toOffer(agent, input, quote);
  const body = (fileIds: readonly string[]): Offer =>
    fileIds.length === 0 ? offer : { ...offer, input_attachment_ids: [...fileIds] };
  const rows: readonly CardRow[] = [
    ['the customer pays', formatAmount(quote.total_minor)],
    ['the contractor gets', formatAmount(quote.amount_minor)],
    ['commission', formatAmount(quote.fee_minor)],
  ];
  const done = runOperation(agent, {
    ...input.operation,
    path: '/api/v1/orders',
    files: input.files,
    body,
    send: (fileIds, options) => orders.create(body(fileIds), options),
    commitment: commitmentOf(offer),
    repeatOption: `--deadline ${offer.deadline}`,
    expect: async () => ({
      data: { quote: { ...quote } },
      rows,
      problems: await findOfferProblems(agent, offer, quote),
      warnings: await findOfferWarnings(agent, offer, quote),
    }),
  });
  return await withHint(addContactHintOnFailure(agent, input.other.name, done), (error) =>
    error instanceof ApiError && error.code === 'price_changed'
      ? `To confirm the price: --confirm-total ${formatCredits(quote.total_minor)}`
      : undefined,
  );
}

function commitmentOf({ contractor_id, confirmed_total_minor }: Partial<Offer>): CreditCommitment | undefined {
  if (contractor_id === undefined || confirmed_total_minor === undefined) return undefined;
  return { order_id: null, version: null, total_minor: confirmed_total_minor, agent_id: contractor_id };
}

async function toOffer(agent: OpenedAgent, input: Input, quote: Quote): Promise<Offer> {
  const { io } = agent;
  const { other, title, description } = input;
  const terms = {
    title,
    ...(description === undefined ? {} : { description: await description(io) }),
    deadline: input.deadline(io.now()),
    amount_minor: input.amountMinor,
  };
  const otherId = await findOtherId(agent, other.name);
  if (other.role === 'customer') return { ...terms, customer_id: otherId };
  return {
    ...terms,
    contractor_id: otherId,
    confirmed_total_minor: await confirmTotal(quote, input.confirmedMinor, io),
  };
}

// Also finds agents that are not contacts: the server, or a dry run, then reports the missing friendship.
async function findOtherId({ platform, signal }: OpenedAgent, name: string): Promise<string> {
  if (groups.isUuid(name)) return name;
  const contact = await findContact(platform, name, { signal });
  return contact?.peer.id ?? (await platform.bots.get(name, { signal })).id;
}
