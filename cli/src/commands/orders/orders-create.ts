import type { Offer, Quote } from '@agent-platform/sdk';
import { Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import { chooseSource, readText, type TextSource } from '../../io/text-source.ts';
import { declareAmount, readAmount, showCredits } from '../../options/amounts.ts';
import { readDeadline } from '../../options/deadline.ts';
import {
  declareOperationOptions,
  type OperationChoice,
  readOperation,
  withRepeat,
} from '../../options/operation-options.ts';
import type { Typed } from '../../options/parsed-arguments.ts';
import { offerMembers } from '../../output/record-fields.ts';
import type { DataReport } from '../../output/report.ts';
import { findBotId } from '../../session/find-agent.ts';
import { type OpenedAgent, openAgent, type Session } from '../../session/session.ts';
import { verb } from '../command.ts';
import { declareFileOptions } from '../posts/post-options.ts';
import { findOutlook } from './available-actions.ts';
import { confirmTotal } from './confirm-total.ts';
import { layOutDryRun } from './dry-run-format.ts';
import { type OrderFiles, readOrderFiles, uploadOrderFiles, withUploaded } from './order-files.ts';
import { layOutOrder } from './order-format.ts';

interface Input {
  /** The role of the other side. */
  readonly counterpart: { readonly role: 'contractor' | 'customer'; readonly name: string };
  readonly title: string;
  readonly description: TextSource | undefined;
  readonly deadline: (now: Date) => string;
  readonly amountMinor: number;
  readonly confirmedMinor: number | undefined;
  readonly files: OrderFiles;
  readonly operation: OperationChoice;
}

/** Offers an order to a friend. */
export const ordersCreate = verb<Input>({
  path: ['orders', 'create'],
  summary: 'offer an order to a friend: as its customer, or as its contractor',
  description:
    'With --contractor you are the customer and confirm the whole price, with --confirm-total or on a terminal when asked; with --customer you offer your work. No credits move until the other side accepts.',
  examples: [
    'agentp orders create --contractor bob --title "A thumbnail" --amount 12.50 --confirm-total 13.75 --deadline 3d --attach photo.jpg',
    'agentp orders create --customer alice --title "A chart" --amount 40 --deadline 2027-01-31T12:00:00Z',
  ],
  options: [
    new Option('--contractor <agent>', 'the friend who does the work, by handle or id; you are the customer').conflicts(
      'customer',
    ),
    new Option('--customer <agent>', 'the friend who pays, by handle or id; you are the contractor'),
    new Option('--title <text>', 'what it is about').makeOptionMandatory(),
    new Option('--description <text>', 'what exactly is to be done').conflicts('descriptionFile'),
    new Option('--description-file <file>', 'the same from a file, or from stdin (-)'),
    new Option(
      '--deadline <time>',
      'until when it can be accepted: a time with a zone, or 90m, 12h, 3d',
    ).makeOptionMandatory(),
    ...declareAmount('amount', "the contractor's reward"),
    ...declareAmount('confirm-total', 'the whole price that you agree to'),
    ...declareFileOptions(),
    ...declareOperationOptions(),
  ],
  members: offerMembers,
  parse: (typed) => ({
    counterpart: readCounterpart(typed),
    title: typed.required('title'),
    description: chooseSource(typed.text('description'), typed.text('description-file')),
    deadline: readDeadline(typed.required('deadline')),
    amountMinor: readReward(typed),
    confirmedMinor: readAmount(typed, 'confirm-total'),
    files: readOrderFiles(typed),
    operation: readOperation(typed),
  }),
  run: async (input, session) => {
    const agent = await openAgent(session);
    const terms = await readTerms(input, session);
    const quote = await agent.platform.orders.quote(input.amountMinor, { signal: session.io.signal });
    const otherId = await findBotId(agent.platform, input.counterpart.name, session.io.signal);
    const offer = await toOffer(input, otherId, terms, quote, session.io);
    return input.operation.isDryRun ? tellOnly(input, offer, quote) : await make(input, offer, agent, session);
  },
});

async function make(input: Input, offer: Offer, agent: OpenedAgent, session: Session): Promise<DataReport> {
  const { files, operation } = input;
  const { operationId } = operation;
  const fileIds = await uploadOrderFiles(agent.platform, files, session.io);
  const order = await agent.platform.orders
    .create(withFiles(offer, fileIds), { operationId, signal: session.io.signal })
    .catch((error: unknown) => {
      const uploaded = fileIds.slice(files.ids.length);
      const again = uploaded.map((id) => ` --attachment ${id}`).join('');
      const repeat = `--operation-id ${operationId} --deadline ${offer.deadline}${again}`;
      throw withUploaded(withRepeat(error, repeat), uploaded);
    });
  const next = await findOutlook(order, agent, session);
  return { kind: 'data', data: { ...order }, show: (page) => layOutOrder(order, agent.credential.bot_id, next, page) };
}

function tellOnly({ files, operation }: Input, offer: Offer, quote: Quote): DataReport {
  const body = { operation_id: operation.operationId, ...withFiles(offer, files.ids) };
  const request = { method: 'POST', path: '/api/v1/orders', body };
  return {
    kind: 'data',
    data: { dry_run: true, request, files_to_upload: files.paths, quote: { ...quote } },
    show: (page) =>
      layOutDryRun(
        request,
        [
          ...files.paths.map((path) => ['would upload', path] as const),
          ['the customer pays', showCredits(quote.total_minor)],
          ['the contractor gets', showCredits(quote.amount_minor)],
          ['commission', showCredits(quote.fee_minor)],
        ],
        page,
      ),
  };
}

async function readTerms({ title, description, deadline, amountMinor }: Input, { io }: Session) {
  return {
    title,
    ...(description === undefined ? {} : { description: await readText(description, io) }),
    deadline: deadline(io.now()),
    amount_minor: amountMinor,
  };
}

async function toOffer(
  { counterpart, confirmedMinor }: Input,
  otherId: string,
  terms: Awaited<ReturnType<typeof readTerms>>,
  quote: Quote,
  io: Io,
): Promise<Offer> {
  if (counterpart.role === 'customer') return { ...terms, customer_id: otherId };
  return {
    ...terms,
    contractor_id: otherId,
    confirmed_total_minor: await confirmTotal(quote, confirmedMinor, io),
  };
}

function withFiles(offer: Offer, fileIds: readonly string[]): Offer {
  return fileIds.length === 0 ? offer : { ...offer, input_attachment_ids: [...fileIds] };
}

function readCounterpart(typed: Typed): Input['counterpart'] {
  const contractor = typed.text('contractor');
  if (contractor !== undefined) return { role: 'contractor', name: contractor };
  const customer = typed.text('customer');
  if (customer !== undefined) return { role: 'customer', name: customer };
  throw new UsageError(
    'An order needs the other side.',
    'Name it with --contractor NAME (you pay) or --customer NAME (you work).',
  );
}

function readReward(typed: Typed): number {
  const amountMinor = readAmount(typed, 'amount');
  if (amountMinor !== undefined) return amountMinor;
  throw new UsageError('An order needs a reward.', 'Add: --amount 12.50');
}
