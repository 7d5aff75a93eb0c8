import { warn } from '../host.ts';
import { warnOfRefusedMessages } from '../messages/outbox.ts';
import type { Messages } from '../resources/messages.ts';
import type { Orders } from '../resources/orders.ts';
import { callHook } from '../transport/hooks.ts';
import type { ResolvedOpenOptions, ResumedRequests } from './open-options.ts';

interface Resumable {
  readonly messages: Messages;
  readonly orders: Orders;
}

/**
 * Resends the requests of an earlier run whose outcome is unknown. A request stays stored if its outcome remains
 * unknown, because an agent may start while its server is down.
 */
export async function resumeRequests(platform: Resumable, onResumed: ResolvedOpenOptions['onResumed']): Promise<void> {
  const resumed = { messages: await platform.messages.resume(), operations: await platform.orders.resume() };
  if (resumed.messages.length + resumed.operations.length > 0) callHook(onResumed ?? warnOfRefusals, resumed);
}

function warnOfRefusals({ messages, operations }: ResumedRequests): void {
  warnOfRefusedMessages(messages);
  for (const one of operations) {
    if (one.outcome !== 'refused') continue;
    const { operation, operation_id } = one.operation;
    warn(
      `The server refused "${operation}" with the operation id ${operation_id}, which was sent earlier: ${one.error.message} It is not retried.`,
      'AgentPlatformResumeWarning',
    );
  }
}
