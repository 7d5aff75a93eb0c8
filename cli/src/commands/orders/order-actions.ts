import { type Command, defineAgentCommand, exampleId } from '@agent-platform/cli-core/command';
import { UsageError, withHint } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import * as groups from '@agent-platform/cli-core/options/option-groups';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import type { CardRow } from '@agent-platform/cli-core/output/layout';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { addContactHintOnFailure } from '@agent-platform/cli-core/session/find-agent';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import type { Effect } from '@agent-platform/cli-core/surface/effects';
import type { AgentPlatform, Delivery, OperationOptions, Order, OrderAction, OrderVersion } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { orderAfterActionSchema } from '../output-records.ts';
import { confirmTotal } from './confirm-total.ts';
import { findActionProblems, findPriceProblem, unknownFundsProblem } from './dry-run.ts';
import { explainRefusal } from './explain-refusal.ts';
import { formatAvailability } from './order-format.ts';
import { loadActionAvailabilityOrThrow, runOperation } from './order-operation.ts';

type Body = Readonly<Record<string, unknown>>;
type Orders = AgentPlatform['orders'];

interface Circumstances extends Pick<OpenedAgent, 'me' | 'io'> {
  readonly order: Order;
}

/** The input of an action: the order version that it is based on, and its texts. */
interface Decision {
  readonly version: number;
  readonly body: Body;
}

interface OrderActionDefinition<B extends Body> {
  readonly action: OrderAction;
  readonly effect: Effect;
  readonly summary: string;
  readonly description?: string;
  readonly example: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly files?: (args: ParsedArguments) => groups.FileSelection;
  /** Parses the body except id and version; returns a function that reads files and asks for confirmation. */
  readonly parse: (args: ParsedArguments) => (at: Circumstances) => Promise<B>;
  readonly attach?: (body: B, fileIds: readonly string[]) => B;
  readonly send: (orders: Orders, order: OrderVersion, body: B, options: OperationOptions) => PromiseLike<Order>;
}

const contractOperations: Readonly<Record<OrderAction, string>> = {
  accept: 'acceptOrder',
  reject: 'rejectOrder',
  cancel: 'cancelOrder',
  start: 'startOrder',
  deliver: 'deliverOrder',
  complete: 'completeOrder',
  dispute: 'disputeOrder',
  'propose-refund': 'proposeRefund',
  'approve-refund': 'approveRefund',
};

export const orderActionCommands: readonly Command[] = [
  orderAction<{ readonly confirmed_total_minor?: number }>({
    action: 'accept',
    effect: 'money',
    summary: 'accept an offer; the total is reserved',
    description:
      'Only the recipient of an offer can accept it. The whole price moves from the available to the reserved credits of the customer. A customer confirms the price with --confirm-total, or on a terminal.',
    example: '--confirm-total 13.75',
    options: groups.declareAmount('confirm-total', 'the total price that you confirm'),
    parse: (args) => {
      const confirmed = groups.readAmount(args, 'confirm-total');
      return async ({ order, me, io }) => {
        const mustConfirm = order.customer.id === me && order.author_id !== me && order.state === 'offered';
        const total = mustConfirm ? await confirmTotal(order, confirmed, io) : confirmed;
        return total === undefined ? {} : { confirmed_total_minor: total };
      };
    },
    send: (orders, order, body, options) => orders.accept(order, body, options),
  }),
  plainAction('reject', 'write', 'reject an offer of the other participant', 'reject'),
  plainAction('cancel', 'write', 'withdraw your own offer before it is accepted', 'cancel'),
  plainAction('start', 'write', 'start the work; for the contractor of a funded order', 'start'),
  orderAction<Delivery & Body>({
    action: 'deliver',
    effect: 'write',
    summary: 'deliver the result as text, files or both; for the contractor',
    example: '"Here is the thumbnail." --attach thumbnail.jpg',
    arguments: [new Argument('[text]', 'the text of the result')],
    options: [groups.declareTextFile(), ...groups.declareFileOptions()],
    files: groups.readOrderFileOptions,
    parse: parseDelivery,
    attach: (body, fileIds) => (fileIds.length === 0 ? body : { ...body, result_attachment_ids: [...fileIds] }),
    send: (orders, order, body, options) => orders.deliver(order, body, options),
  }),
  plainAction('complete', 'irreversible', 'accept the result and pay for it; for the customer', 'complete'),
  reasonAction('dispute', {
    summary: 'dispute a funded order; the credits stay reserved',
    description:
      'Either participant can dispute an order. Work on a disputed order cannot resume: it can only end with a refund that one participant proposes and the other approves.',
    example: '--reason "The picture is larger than agreed."',
    send: (orders, order, { reason }, options) => orders.dispute(order, reason, options),
  }),
  reasonAction('propose-refund', {
    summary: 'propose a full refund to the customer, commission included',
    description:
      'Either participant can propose a refund, once for each order. The order becomes disputed; the other participant has to approve.',
    example: '--reason "I cannot read the file."',
    send: (orders, order, { reason }, options) => orders.proposeRefund(order, reason, options),
  }),
  plainAction(
    'approve-refund',
    'irreversible',
    'approve the refund that the other participant proposed',
    'approveRefund',
  ),
];

type Reason = { readonly reason: string };

function reasonAction(
  action: OrderAction,
  rest: Omit<OrderActionDefinition<Reason>, 'action' | 'effect' | 'options' | 'parse'>,
): Command {
  return orderAction<Reason>({
    ...rest,
    action,
    effect: 'write',
    options: groups.declareReason(),
    parse: groups.readReason,
  });
}

type PlainMethod = 'reject' | 'cancel' | 'start' | 'complete' | 'approveRefund';

function plainAction(action: OrderAction, effect: Effect, summary: string, method: PlainMethod): Command {
  return orderAction({
    action,
    effect,
    summary,
    example: '--expected-version 3',
    parse: () => async () => ({}),
    send: (orders, order, _, options) => orders[method](order, options),
  });
}

function orderAction<B extends Body>(definition: OrderActionDefinition<B>): Command {
  const { action, example, parse, files, attach, send, ...description } = definition;
  return defineAgentCommand({
    ...description,
    path: ['orders', action],
    repeat: 'with-key',
    operations: [contractOperations[action], 'readOrder', ...(files === undefined ? [] : ['uploadAttachment'])],
    examples: [
      `agentp orders ${action} ${exampleId} ${example}`,
      `agentp orders ${action} ${exampleId} ${example} --dry-run`,
    ],
    arguments: [new Argument('<id>', 'the id of the order'), ...(definition.arguments ?? [])],
    options: [
      ...(definition.options ?? []),
      new Option(
        '--expected-version <number>',
        'the version that the decision is based on; default: the current version',
      ),
      ...groups.declareOperationOptions(),
    ],
    out: orderAfterActionSchema,
    parse: (args) => ({
      id: args.argument(0),
      expectedVersion: groups.readPositiveInteger(args, 'expected-version', /^[1-9]\d{0,8}$/),
      operation: groups.readOperationOptions(args),
      files: files?.(args) ?? { paths: [], ids: [] },
      completeBody: parse(args),
    }),
    request: async (agent, { id, expectedVersion, operation, files: chosen, completeBody }) => {
      const { me, io, platform, signal } = agent;
      const { order } = await platform.orders.get(id, { signal });
      const version = expectedVersion ?? reportVersion(order, io);
      const body = await completeBody({ order, me, io });
      const withFiles = (fileIds: readonly string[]) => attach?.(body, fileIds) ?? body;
      const done = runOperation(agent, {
        ...operation,
        path: `/api/v1/orders/${order.id}/${action}`,
        files: chosen,
        body: (fileIds) => ({ expected_version: version, ...withFiles(fileIds) }),
        send: (fileIds, options) => send(platform.orders, { id, version }, withFiles(fileIds), options),
        commitment: commitmentOf(order, me, { version, body }),
        repeatOption: `--expected-version ${version}`,
        expect: () => expectAction(agent, order, action, { version, body }),
      });
      const other = order.customer.id === me ? order.contractor : order.customer;
      return await withHint(addContactHintOnFailure(agent, other.id, done), (error) =>
        explainRefusal(error, agent, order, action),
      );
    },
    data: ({ data }) => data,
    format: (page, { format }) => format(page),
  });
}

// Undefined unless the customer accepts an offer, because only this action confirms a total.
function commitmentOf({ id, customer, contractor }: Order, me: string, { version, body }: Decision) {
  const total = body['confirmed_total_minor'];
  if (customer.id !== me || typeof total !== 'number') return undefined;
  return { order_id: id, version, total_minor: total, agent_id: contractor.id };
}

async function expectAction(agent: OpenedAgent, order: Order, action: OrderAction, { version, body }: Decision) {
  const now = agent.io.now();
  const availability = (await loadActionAvailabilityOrThrow(order, agent)).find(
    (candidate) => candidate.action === action,
  );
  const rows: readonly CardRow[] = [
    [action, availability === undefined ? 'not known' : formatAvailability(availability, now)],
  ];
  const confirmed = body['confirmed_total_minor'];
  const problems = [
    ...(availability === undefined ? [] : findActionProblems(availability, order, version, now)),
    ...findPriceProblem(typeof confirmed === 'number' ? confirmed : undefined, order.total_minor),
  ];
  const warnings = action === 'accept' && order.customer.id !== agent.me ? [unknownFundsProblem] : [];
  return { data: { next_action: availability ?? null }, rows, problems, warnings };
}

function parseDelivery(args: ParsedArguments): ({ io }: Circumstances) => Promise<Delivery & Body> {
  const text = groups.readTextArgument(args, 1);
  const { paths, ids } = groups.readOrderFileOptions(args);
  if (text === undefined && paths.length + ids.length === 0) {
    const hint = 'Pass a text, --text-file FILE, --attach FILE or --attachment ID.';
    throw new UsageError('A delivery needs a text or a file.', hint);
  }
  return async ({ io }) => (text === undefined ? {} : { result_text: await text(io) });
}

// Without `--expected-version` the action applies to the current version. A terminal shows this version, because the
// other participant may change the order at any moment.
function reportVersion({ version, state }: Order, io: Io): number {
  if (io.stderr.isTerminal) io.stderr.write(`Acting on version ${version} (${toVisibleLine(state)}).\n`);
  return version;
}
