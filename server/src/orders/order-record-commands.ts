import type { Order } from '@agent-platform/contract';
import {
  type EventAnnouncer,
  type EventDrafter,
  formatEventsJson,
  isEventRefused,
  wakeReceivers,
} from '../events/event-commands.ts';
import type { Agent } from '../identity/agent.ts';
import { resolveTextQuota } from '../identity/agent-quotas.ts';
import { computeUsageRowMaxBytes } from '../identity/text-usage.ts';
import { chargeTextBytes } from '../identity/text-usage-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { runPreparedStatement } from '../store/statements/prepared.ts';
import type { BatchedStatement, Store, Writer } from '../store/store.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import type { OrderFilePort } from './attachment-port.ts';
import type { KnownOperation } from './command-context-queries.ts';
import type { OrderRecord } from './order.ts';
import { findOrder, orderHistoryStatement } from './order-queries.ts';
import { type ParticipantNames, showOrder, showOrderAt } from './order-view.ts';
import { changeOrderStatement, type WrittenOrderEvents } from './write-order-commands.ts';

export interface OrderDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly draftEvent: EventDrafter;
  readonly files: OrderFilePort;
  readonly feeBps: number;
  /** The default text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
  /** The maximum number of open offers from one agent to another; 0 means no limit. */
  readonly openOffers: number;
}

interface Outcome {
  readonly order: Order;
  readonly isRepeat: boolean;
}

/** A repeat of an operation has the same fingerprint. */
interface Operation {
  readonly agent_id: string;
  readonly operation_id: string;
  readonly fingerprint: string;
}

interface HistoryLine {
  readonly action: string;
  readonly agentId: string;
  readonly reason: string | null;
}

interface Writing {
  readonly operation: Operation;
  readonly line: HistoryLine;
  /** The other parameters of the statement. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The text that the author of the command added. */
  readonly text: { readonly author: Pick<Agent, 'id' | 'text_bytes_quota'>; readonly bytes: number };
  /** Steps in the same transaction, which bind or release files or check a limit. */
  readonly steps: readonly ((writer: Writer) => Promise<void>)[];
}

const decisionsMax = 8;

/**
 * Retries `decide` while it returns undefined, which means that the order changed concurrently. Each such change is a
 * command of the other agent or a concurrent duplicate, so a few retries suffice.
 */
export async function retryOnConflict<T>(decide: () => Promise<T | undefined>): Promise<T> {
  for (let time = 1; time <= decisionsMax; time += 1) {
    const outcome = await decide();
    if (outcome !== undefined) return outcome;
  }
  throw new StoreUnavailableError('The order kept changing concurrently.');
}

export async function runWithNamedValues<Row>(
  store: Pick<Store, 'ask'>,
  statement: BatchedStatement<Row>,
  values: Readonly<Record<string, unknown>>,
): Promise<Row | undefined> {
  return await store.ask(statement, valuesOf(statement, values));
}

function valuesOf({ parameters }: BatchedStatement<unknown>, values: Readonly<Record<string, unknown>>) {
  return parameters.map((name) => values[name] ?? null);
}

/** Writes an order version with its postings, history and events. Returns undefined if the order has changed since. */
export async function writeOrderVersion(
  { store, draftEvent, files, agentTextBytes }: OrderDependencies,
  statement: BatchedStatement<WrittenOrderEvents>,
  order: OrderRecord,
  writing: Writing,
): Promise<Outcome | undefined> {
  const drafts = [order.customer, order.contractor].map(({ id }) =>
    draftEvent({ receiverId: id, ...changedEvent(order) }),
  );
  // Only the names of the participants can change; the rest of the response is stored in the order and its history.
  const names: ParticipantNames = [order.customer.display_name, order.contractor.display_name];
  const operation = { ...writing.operation, answer: JSON.stringify(names) };
  const values = {
    ...versionValues(order, writing.line),
    ...operation,
    ...writing.values,
    events: formatEventsJson(drafts),
  };
  const { text, steps } = writing;
  const quotaBytes = resolveTextQuota(text.author, agentTextBytes);
  const writeInSteps = () =>
    store.transact(async (writer) => {
      const [row] = await runPreparedStatement(writer, statement.alone, valuesOf(statement, values));
      if (row === undefined) return undefined;
      for (const step of steps) await step(writer);
      await chargeTextBytes(writer, text.author.id, text.bytes, quotaBytes);
      return row;
    });
  const counting = { ...values, text_bytes: text.bytes, slot_max_bytes: computeUsageRowMaxBytes(quotaBytes) };
  const written =
    steps.length > 0
      ? await writeInSteps()
      : await runWithNamedValues(store, statement, counting).catch((error: unknown) => {
          if (!isEventRefused(error)) throw error;
          return writeInSteps();
        });
  if (written === undefined) return undefined;
  const numbers = JSON.parse(written.numbers ?? '{}') as Readonly<Record<string, number>>;
  wakeReceivers(drafts, (id) => numbers[id]);
  const sets = await findOrderFiles({ store, files }, order, writing.line.agentId);
  return { order: showOrder(order, sets), isRepeat: false };
}

/** Writes an order version that no agent caused; returns undefined if the order has changed since it was read. */
export async function writeVersionInTransaction(
  { announce, files }: { readonly announce: EventAnnouncer; readonly files: OrderFilePort },
  writer: Writer,
  order: OrderRecord,
  line: HistoryLine,
): Promise<true | undefined> {
  const values = { ...versionValues(order, line), events: '[]' };
  const written = await runPreparedStatement(
    writer,
    changeOrderStatement.alone,
    valuesOf(changeOrderStatement, values),
  );
  if (written.length === 0) return undefined;
  if (order.file_count > 0) await files.release(writer, order.id, new Date(order.updated_at));
  await announce(
    writer,
    [order.customer, order.contractor].map(({ id }) => ({ receiverId: id, ...changedEvent(order) })),
  );
  return true;
}

function versionValues(order: OrderRecord, { action, agentId, reason }: HistoryLine) {
  const { version, state, outcome, file_count, updated_at } = order;
  return {
    agent_id: agentId,
    order_id: order.id,
    version,
    state,
    outcome,
    file_count,
    now: updated_at,
    action,
    reason,
  };
}

// Both participants receive the event, including the one who made the change (§7.13).
function changedEvent({ id, state, version }: OrderRecord) {
  const payload = { order_id: id, status: state, version };
  return { kind: 'order.changed', payload, peerId: null, expiresAt: null } as const;
}

/** For a known operation id, returns the version that the command created, or refuses a different command. */
export async function answerRepeatedCommand(
  parts: Pick<OrderDependencies, 'store' | 'files'>,
  { agent_id, operation_id }: Operation,
  { is_repeat, answer, done_order_id }: KnownOperation,
  version: number,
): Promise<Outcome> {
  if (is_repeat !== true) {
    throw new Refusal(
      'idempotency_conflict',
      `The operation_id ${operation_id} belongs to another command. To retry, send exactly the same request. For another command, use a new id.`,
    );
  }
  if (answer === null || done_order_id === null) throw new Error(`Operation ${operation_id} has no stored answer.`);
  const order = await findOrder(parts.store, done_order_id, agent_id);
  const history = await parts.store.run(orderHistoryStatement, [order.id, version]);
  const names = JSON.parse(answer) as ParticipantNames;
  return { order: showOrderAt(order, history, names, await findOrderFiles(parts, order, agent_id)), isRepeat: true };
}

export async function findOrderFiles(
  { store, files }: Pick<OrderDependencies, 'store' | 'files'>,
  { id, file_count }: OrderRecord,
  readerId: string,
) {
  if (file_count === 0) return undefined;
  return (await store.read((reader) => files.findOfOrders(reader, [id], readerId))).get(id);
}
