import type {
  AgentPlatform,
  ApiPromise,
  OperationOptions,
  Order,
  OrderAction,
  OrderVersion,
} from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import {
  declareOperationOptions,
  type OperationChoice,
  readOperation,
  withRepeat,
} from '../../options/operation-options.ts';
import type { Typed } from '../../options/parsed-arguments.ts';
import { orderActionMembers } from '../../output/record-fields.ts';
import type { DataReport } from '../../output/report.ts';
import { type OpenedAgent, openAgent, type Session } from '../../session/session.ts';
import { type Verb, verb } from '../command.ts';
import { findOutlook } from './available-actions.ts';
import { layOutDryRun } from './dry-run-format.ts';
import { noFiles, type OrderFiles, uploadOrderFiles, withUploaded } from './order-files.ts';
import { layOutOrder, showNext } from './order-format.ts';

/** The members of an action's body beside id and version. */
type Members = Readonly<Record<string, unknown>>;

/** What one action has of its own. */
export interface OrderActionDefinition<M extends Members> {
  readonly action: OrderAction;
  readonly summary: string;
  readonly description?: string;
  /** What follows `agentp orders ACTION ID` in the second example; the first has nothing. */
  readonly example: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Files that go up before the action. */
  readonly files?: (typed: Typed) => OrderFiles;
  /** Reads what was typed; what it returns reads files and asks the person, where that is needed. */
  readonly parse: (typed: Typed) => (at: { readonly order: Order; readonly me: string; readonly io: Io }) => Promise<M>;
  /** Adds the files that were uploaded to the members. */
  readonly attach?: (members: M, fileIds: readonly string[]) => M;
  readonly send: (
    platform: AgentPlatform,
    order: OrderVersion,
    members: M,
    options: OperationOptions,
  ) => ApiPromise<Order>;
}

const exampleId = '01a1fdff-c0dc-7093-b041-e5d4cac41340';

/** The members of an action that has none. */
export function noMembers(): () => Promise<Record<never, never>> {
  return async () => ({});
}

/**
 * Declares the verb of an action. All nine are alike: they read the order, act
 * on the version that was read unless another one is named, and show what can
 * be done next.
 */
export function orderAction<M extends Members>(definition: OrderActionDefinition<M>): Verb {
  const { action } = definition;
  return verb({
    path: ['orders', action],
    summary: definition.summary,
    ...(definition.description === undefined ? {} : { description: definition.description }),
    examples: [
      `agentp orders ${action} ${exampleId}${definition.example === '' ? '' : ` ${definition.example}`}`,
      `agentp orders ${action} ${exampleId}${definition.example === '' ? '' : ` ${definition.example}`} --dry-run`,
    ],
    arguments: [new Argument('<id>', 'the id of the order'), ...(definition.arguments ?? [])],
    options: [
      ...(definition.options ?? []),
      new Option('--expected-version <number>', 'the version that the decision is based on; else the present one'),
      ...declareOperationOptions(),
    ],
    members: orderActionMembers,
    parse: (typed) => ({
      id: typed.argument(0),
      expectedVersion: readVersion(typed),
      operation: readOperation(typed),
      files: definition.files?.(typed) ?? noFiles,
      gather: definition.parse(typed),
    }),
    run: async ({ id, expectedVersion, operation, files, gather }, session) => {
      const agent = await openAgent(session);
      const { order } = await agent.platform.orders.get(id, { signal: session.io.signal });
      const version = expectedVersion ?? tellVersion(order, session.io);
      const members = await gather({ order, me: agent.credential.bot_id, io: session.io });
      const plan = { definition, order, version, members, files, operation };
      return operation.isDryRun ? await tellOnly(plan, agent, session) : await act(plan, agent, session);
    },
  });
}

interface Plan<M extends Members> {
  readonly definition: OrderActionDefinition<M>;
  readonly order: Order;
  readonly version: number;
  readonly members: M;
  readonly files: OrderFiles;
  readonly operation: OperationChoice;
}

async function act<M extends Members>(plan: Plan<M>, agent: OpenedAgent, session: Session): Promise<DataReport> {
  const { definition, order, version, files, operation } = plan;
  const { operationId } = operation;
  const fileIds = await uploadOrderFiles(agent.platform, files, session.io);
  const members = definition.attach?.(plan.members, fileIds) ?? plan.members;
  const done = await definition
    .send(agent.platform, { id: order.id, version }, members, { operationId, signal: session.io.signal })
    .catch((error: unknown) => {
      const uploaded = fileIds.slice(files.ids.length);
      const again = uploaded.map((id) => ` --attachment ${id}`).join('');
      const repeat = `--operation-id ${operationId} --expected-version ${version}${again}`;
      throw withUploaded(withRepeat(error, repeat), uploaded);
    });
  const next = await findOutlook(done, agent, session);
  return { kind: 'data', data: { ...done }, show: (page) => layOutOrder(done, agent.credential.bot_id, next, page) };
}

async function tellOnly<M extends Members>(plan: Plan<M>, agent: OpenedAgent, session: Session): Promise<DataReport> {
  const { definition, order, version, files, operation } = plan;
  const members = definition.attach?.(plan.members, files.ids) ?? plan.members;
  const request = {
    method: 'POST',
    path: `/api/v1/orders/${order.id}/${definition.action}`,
    body: { operation_id: operation.operationId, expected_version: version, ...members },
  };
  const outlook = await findOutlook(order, agent, session);
  const next = outlook.find(({ action }) => action === definition.action);
  const staleness =
    version === order.version ? [] : [['version', `the order is at ${order.version} and not at ${version}`] as const];
  return {
    kind: 'data',
    data: { dry_run: true, request, files_to_upload: files.paths, next_action: next ?? null },
    show: (page) =>
      layOutDryRun(
        request,
        [
          ...files.paths.map((path) => ['would upload', path] as const),
          ...staleness,
          [definition.action, next === undefined ? 'not known' : showNext(next)],
        ],
        page,
      ),
  };
}

// A person who names no version decides on what is there now; it is told which
// one that was, because the other side may act at any moment.
function tellVersion({ version, state }: Order, io: Io): number {
  if (io.stderr.isTerminal) io.stderr.write(`Acting on version ${version} (${state}), as just read.\n`);
  return version;
}

function readVersion(typed: Typed): number | undefined {
  const text = typed.text('expected-version');
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--expected-version "${text}" is not a whole number from 1 on.`);
}
