import type { CachedCredential } from '../credentials/cached-credential.ts';
import type { TokenRotator } from '../credentials/token-rotator.ts';
import { stableId } from '../crypto/stable-id.ts';
import { ConfigurationError } from '../errors.ts';
import { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import { requireInteger } from '../integer-option.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import { type TransportSettings, timerMaxMs } from '../transport/call-options.ts';
import { toOrderCommand } from './order-actions.ts';
import type { OrderChangeNotifier } from './order-change-notifier.ts';
import type { OrderOperations } from './order-operations.ts';
import type { OrderReader } from './order-peers.ts';
import type { OrderRole } from './order-turn.ts';
import { combineOrderHandlers, type OrderHandler, type OrderHandlers, OrderWorker } from './order-worker.ts';

/** Options of `orders.work()`. */
export interface WorkOptions {
  /** Only handles orders in which this agent has this role. Default: both. */
  readonly role?: OrderRole | undefined;
  /** The maximum number of orders handled at the same time, each by one handler: 1 to 100, default 1. */
  readonly concurrency?: number | undefined;
  /** Milliseconds between two reads of the order list; at least 30,000 while an event stream is open. Default 5,000. */
  readonly pollEveryMs?: number | undefined;
  /** Aborting it ends the call without an error, after the running handlers have ended. */
  readonly signal?: AbortSignal | undefined;
}

export interface OrderWorkClient {
  readonly credential: CachedCredential;
  readonly settings: TransportSettings;
  readonly changes: OrderChangeNotifier;
  readonly tokenRotator: TokenRotator;
}

interface WorkDependencies extends OrderWorkClient {
  readonly orders: OrderReader;
  readonly operations: OrderOperations;
}

export async function workOnOrders(
  parts: WorkDependencies,
  given: OrderHandler | OrderHandlers,
  options: WorkOptions,
): Promise<void> {
  const { orders, operations, credential, changes, settings } = parts;
  const handler = combineOrderHandlers('orders.work()', given);
  const rule = readWorkOptions(options);
  const { bot_id: me } = await credential.current();
  const worker = new OrderWorker(
    {
      me,
      list: (state, signal) => orders.list({ state, pageSize: 50 }, { signal }),
      read: async (orderId, signal) => (await orders.get(orderId, { signal })).order,
      settle: (orderId, signal) => operations.settle(orderId, { signal }),
      send: async ({ id: orderId, version }, action, members, callOptions) => {
        const operationId = stableId('orders.work', me, orderId, String(version), action);
        const command = toOrderCommand(action, { id: orderId, version }, members);
        return (await operations.decide(command, operationId, callOptions)).data;
      },
      changes,
      failures: new HandlerFailureReporter(settings.hooks),
      settings,
    },
    rule,
    handler,
  );
  const stopRotating = parts.tokenRotator.start();
  await worker.run().finally(stopRotating);
}

const workOptionKinds: OptionKinds<WorkOptions> = {
  role: optionKinds.text,
  concurrency: optionKinds.number,
  pollEveryMs: optionKinds.number,
  signal: optionKinds.signal,
};

function readWorkOptions(options: WorkOptions) {
  checkOptions('orders.work()', options, workOptionKinds);
  const { role, concurrency = 1, pollEveryMs = 5_000, signal } = options;
  if (role !== undefined && role !== 'customer' && role !== 'contractor') {
    throw new ConfigurationError(`role is ${JSON.stringify(role)}; it must be "customer" or "contractor".`);
  }
  return {
    role,
    concurrency: requireInteger('concurrency', concurrency, 1, 100),
    pollEveryMs: requireInteger('pollEveryMs', pollEveryMs, 1, timerMaxMs),
    signal: signal ?? new AbortController().signal,
  };
}
