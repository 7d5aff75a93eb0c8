import { setTimeout as delay } from 'node:timers/promises';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import type { AgentPlatform, EventKind } from '@agent-platform/sdk';

/** With --kind, at most this many waiting events of other kinds stay in the inbox: half of its capacity. */
const othersMax = 500;
const everyMs = 5_000;

/**
 * Finishes the oldest waiting events of other kinds until `max` of them remain, and returns how many it finished. No
 * program seems to use them, and a full inbox would stop the stream.
 */
export async function finishOldEvents(
  events: Pick<AgentPlatform['events'], 'list' | 'done'>,
  kinds: readonly EventKind[],
  max: number,
): Promise<number> {
  const waiting = await events.list('waiting');
  const others = waiting.filter(({ event }) => !kinds.some((kind) => kind === event.kind));
  const old = others.slice(0, Math.max(0, others.length - max));
  for (const { event } of old) await events.done(event.event_id);
  return old.length;
}

/** Repeats `finishOldEvents` until the signal aborts, and reports the number of finished events. */
export async function keepFinishingOldEvents(
  { platform, io }: Pick<OpenedAgent, 'platform' | 'io'>,
  kinds: readonly EventKind[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const count = await finishOldEvents(platform.events, kinds, othersMax);
    if (count > 0) {
      io.stderr.write(
        `agentp: ${count} old events of other kinds were finished, because more than ${othersMax} were waiting; agentp events list --status finished\n`,
      );
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
