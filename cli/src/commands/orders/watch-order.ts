import { type ExitCode, exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError } from '@agent-platform/cli-core/errors/failure';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import type { Order } from '@agent-platform/sdk';
import { makeOrderReport } from './order-operation.ts';
import { findOwnNextAction } from './order-turn.ts';

interface Watch {
  readonly id: string;
  /** `my-turn` ends the watch when this agent has to act, or when the order can no longer require it to act. */
  readonly until: 'my-turn' | undefined;
  readonly waitMs: number | undefined;
}

const timerMaxMs = 2_147_483_647;

/**
 * Yields an order in its current state, and again after every change.
 *
 * @throws CommandError that explains why the wait ended before it was the turn of this agent
 */
export async function* watchOrder(agent: OpenedAgent, { id, until, waitMs }: Watch): AsyncGenerator<StreamItem> {
  const ending = new AbortController();
  const signal = AbortSignal.any([agent.signal, ending.signal]);
  const fail = (exitCode: ExitCode, code: string, message: string) =>
    new CommandError(exitCode, code, message, `See agentp orders show ${id}`);
  const deadlinePassed = fail(exitCodes.deadlinePassed, 'deadline_passed', 'The deadline of the order has passed.');
  const timeIsUp = fail(exitCodes.waitTimeout, 'wait_timeout', 'The time set with --wait has passed.');
  const limit = startTimer(waitMs, () => ending.abort(timeIsUp));
  let deadline: NodeJS.Timeout | undefined;
  try {
    for await (const order of agent.platform.orders.watch(id, { signal })) {
      const { data, format } = await makeOrderReport(agent, order);
      yield { data, format: (page) => `${format(page)}\n` };
      clearTimeout(deadline);
      if (until === undefined) continue;
      if (order.state === 'disputed') throw fail(exitCodes.disputed, 'order_disputed', 'The order is disputed.');
      const leftMs = msToDeadline(order, agent.io.now());
      // After its deadline an offer cannot be accepted, so it awaits no action.
      const isLate = leftMs !== undefined && leftMs <= 0;
      if (!(isLate && order.state === 'offered') && findOwnNextAction(order, agent.me) !== undefined) return;
      if (isLate) throw deadlinePassed;
      deadline = startTimer(leftMs, () => ending.abort(deadlinePassed));
    }
  } finally {
    clearTimeout(limit);
    clearTimeout(deadline);
  }
  if (until === undefined) return;
  throw fail(exitCodes.finished, 'order_ended', "The order ended before it was this agent's turn.");
}

/** Undefined if the deadline no longer applies. */
function msToDeadline({ state, deadline }: Order, now: Date): number | undefined {
  const isOpen = state === 'offered' || state === 'funded' || state === 'in_progress';
  return isOpen ? Date.parse(deadline) - now.getTime() : undefined;
}

function startTimer(ms: number | undefined, end: () => void): NodeJS.Timeout | undefined {
  return ms === undefined || ms > timerMaxMs ? undefined : setTimeout(end, ms);
}
