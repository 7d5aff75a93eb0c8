import type { StreamItem } from '@agent-platform/cli-core/output/report';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { type ProgramEnd, runShell } from '@agent-platform/cli-core/session/run-shell';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { EventHandlerFailure, EventKind, HandlerFailure, PlatformEvent } from '@agent-platform/sdk';
import { openEvent } from './open-event.ts';
import { finishOldOthersRepeatedly } from './other-events.ts';

/** How events are given to a command of the shell. */
export interface Execution {
  readonly command: string;
  /** Undefined gives it all kinds. */
  readonly kinds: readonly EventKind[] | undefined;
  /** Events of other kinds are never finished, also where they fill the inbox. */
  readonly isKeepingOthers: boolean;
  readonly leaseMs: number;
  readonly isOpening: boolean;
}

/** A command of the shell that did not end with 0. */
class FailedCommand extends Error {
  readonly end: ProgramEnd;

  constructor(end: ProgramEnd, cause: unknown) {
    super(`The command ended with ${end.signal ?? `the exit code ${end.exitCode}`}.`, { cause });
    this.end = end;
  }
}

/** Takes the failures of handlers, which `agent` was opened with. */
export type FailureListener = { onFailure: (failure: HandlerFailure) => void };

/** Receives events, leases each to a shell command, and yields the outcome. */
export async function* execute(
  agent: OpenedAgent,
  { command, kinds, isKeepingOthers, leaseMs, isOpening }: Execution,
  failures: FailureListener,
): AsyncGenerator<StreamItem> {
  const { platform, io, profile } = agent;
  const queue = new ItemQueue();
  const ending = new AbortController();
  failures.onFailure = (failure) => {
    if (failure.source === 'event') queue.add(describeFailure(failure));
  };
  platform.events.use(async (event: PlatformEvent, { attempt, signal }) => {
    const { given, fault } = isOpening ? await openEvent(platform, event) : { given: event };
    const { event_id, kind } = event;
    const env = { AGENTP_EVENT_ID: event_id, AGENTP_EVENT_KIND: kind, AGENTP_ATTEMPT: String(attempt) };
    const end = await runShell(io, command, {
      stdin: `${JSON.stringify(given)}\n`,
      env: { ...env, AGENTP_PROFILE: profile },
      signal,
    });
    // The fault as the cause: a message that cannot be opened is not tried again.
    if (end.exitCode !== 0) throw new FailedCommand(end, fault);
    queue.add(describeEnd({ event_id, kind, attempt }, 'finished', end, null));
  });
  const signal = AbortSignal.any([agent.signal, ending.signal]);
  const isMakingRoom = kinds !== undefined && !isKeepingOthers;
  queue.endAfter(
    Promise.all([
      platform.events.run({ signal, leaseMs, kinds }),
      isMakingRoom ? finishOldOthersRepeatedly(agent, kinds, signal) : undefined,
    ]),
  );
  try {
    yield* queue.items();
  } finally {
    ending.abort();
  }
}

function describeFailure(failure: EventHandlerFailure): StreamItem {
  const { eventId: event_id, kind, attempt, error, waitMs } = failure;
  const end = error instanceof FailedCommand ? error.end : { exitCode: null, signal: null };
  return describeEnd({ event_id, kind, attempt }, waitMs === null ? 'failed' : 'waiting', end, waitMs);
}

/** The data of an attempt. */
export const handledEvent = schema.record({
  event_id: schema.id,
  kind: schema.text,
  attempt: schema.integer,
  status: schema.oneOf('finished', 'waiting', 'failed'),
  exit_code: schema.orNull(schema.integer),
  signal: schema.orNull(schema.text),
  next_attempt_seconds: schema.orNull(schema.integer),
});

interface HandledEvent {
  readonly event_id: string;
  readonly kind: string;
  readonly attempt: number;
}

function describeEnd(
  event: HandledEvent,
  status: 'finished' | 'waiting' | 'failed',
  { exitCode, signal }: ProgramEnd,
  waitMs: number | null,
): StreamItem {
  const seconds = waitMs === null ? null : Math.ceil(waitMs / 1_000);
  const end = signal ?? (exitCode === null ? 'not started' : `exit code ${exitCode}`);
  const next = {
    finished: 'finished',
    waiting: `attempt ${event.attempt + 1} in ${seconds} s`,
    failed: `parked as failed; to try again: agentp events replay ${event.event_id}`,
  }[status];
  return {
    data: { ...event, status, exit_code: exitCode, signal, next_attempt_seconds: seconds },
    format: (page) => {
      const paint = status === 'finished' ? 'green' : 'red';
      const kind = toVisibleLine(event.kind);
      return `${page.paint('dim', event.event_id)}  ${page.paint('bold', kind)}  ${page.paint(paint, end)}, ${next}\n`;
    },
  };
}

/** Items that arrive from callbacks, until the work that adds them has ended. */
class ItemQueue {
  #items: StreamItem[] = [];
  #news = Promise.withResolvers<void>();
  #end: { readonly error?: unknown } | undefined;

  add(item: StreamItem): void {
    this.#items.push(item);
    this.#news.resolve();
  }

  endAfter(work: Promise<unknown>): void {
    work
      .then(
        () => {
          this.#end = {};
        },
        (error: unknown) => {
          this.#end = { error };
        },
      )
      .finally(() => this.#news.resolve());
  }

  async *items(): AsyncGenerator<StreamItem> {
    for (;;) {
      await this.#news.promise;
      this.#news = Promise.withResolvers();
      const end = this.#end;
      yield* this.#items.splice(0);
      if (end === undefined) continue;
      if ('error' in end) throw end.error;
      return;
    }
  }
}
