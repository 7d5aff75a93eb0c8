import type { StreamItem } from '@agent-platform/cli-core/output/report';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { type ExitStatus, runShellCommand } from '@agent-platform/cli-core/session/run-shell';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { EventHandlerFailure, EventKind, HandlerFailure, PlatformEvent } from '@agent-platform/sdk';
import { openEvent } from './open-event.ts';
import { keepFinishingOldEvents } from './other-events.ts';

export interface ExecutionOptions {
  readonly attempt: EventRunner;
  /** The kinds to pass; undefined means all. */
  readonly kinds: readonly EventKind[] | undefined;
  /** True if events of other kinds are never finished, even if they fill the inbox. */
  readonly isKeepingOthers: boolean;
  readonly leaseMs: number;
  readonly isOpening: boolean;
}

/** How the shell command ended, or the status of the HTTP response. */
interface AttemptEnd extends ExitStatus {
  readonly httpStatus: number | null;
}

/** An event in the form that an attempt passes to the program. */
interface HandedEvent {
  readonly event_id: string;
  readonly kind: string;
  readonly attempt: number;
  /** The event as JSON. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Passes an event to a program; `failure` is null if the program has finished the event. */
export type EventRunner = (
  event: HandedEvent,
  agent: OpenedAgent,
) => Promise<{ readonly end: AttemptEnd; readonly failure: string | null }>;

const noEnd: AttemptEnd = { exitCode: null, signal: null, httpStatus: null };

class FailedAttempt extends Error {
  readonly end: AttemptEnd;

  constructor(message: string, end: AttemptEnd, cause: unknown) {
    super(message, { cause });
    this.end = end;
  }
}

/** Passes events to a shell command, as JSON on stdin. */
export function commandRunner(command: string): EventRunner {
  return async ({ event_id, kind, attempt, body, signal }, { io, profile }) => {
    const env = { AGENTP_EVENT_ID: event_id, AGENTP_EVENT_KIND: kind, AGENTP_ATTEMPT: String(attempt) };
    const stdin = `${body}\n`;
    const end = {
      ...(await runShellCommand(io, command, { stdin, env: { ...env, AGENTP_PROFILE: profile }, signal })),
      httpStatus: null,
    };
    const failure = `The command ended with ${end.signal ?? `the exit code ${end.exitCode}`}.`;
    return { end, failure: end.exitCode === 0 ? null : failure };
  };
}

/** Receives the failures of handlers; the caller must have opened the agent with a hook that calls `onFailure`. */
export type FailureListener = { onFailure: (failure: HandlerFailure) => void };

/** Receives events, leases each to a program, and yields the outcomes. */
export async function* dispatch(
  agent: OpenedAgent,
  { attempt: hand, kinds, isKeepingOthers, leaseMs, isOpening }: ExecutionOptions,
  failures: FailureListener,
): AsyncGenerator<StreamItem> {
  const { platform } = agent;
  const queue = new ItemQueue();
  const ending = new AbortController();
  failures.onFailure = (failure) => {
    if (failure.source === 'event') queue.add(describeFailure(failure));
  };
  platform.events.use(async (event: PlatformEvent, { attempt, signal }) => {
    const { given, fault } = isOpening ? await openEvent(platform, event) : { given: event };
    const { event_id, kind } = event;
    const { end, failure } = await hand({ event_id, kind, attempt, body: JSON.stringify(given), signal }, agent);
    // The cause `fault` means that the message cannot be opened, so the SDK does not retry the event.
    if (failure !== null) throw new FailedAttempt(failure, end, fault);
    queue.add(describeEnd({ event_id, kind, attempt }, 'finished', end, null));
  });
  const signal = AbortSignal.any([agent.signal, ending.signal]);
  const isMakingRoom = kinds !== undefined && !isKeepingOthers;
  queue.endAfter(
    Promise.all([
      platform.events.run({ signal, leaseMs, kinds }),
      isMakingRoom ? keepFinishingOldEvents(agent, kinds, signal) : undefined,
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
  const end = error instanceof FailedAttempt ? error.end : noEnd;
  return describeEnd({ event_id, kind, attempt }, waitMs === null ? 'failed' : 'waiting', end, waitMs);
}

export const attemptSchema = schema.objectOf({
  event_id: schema.id,
  kind: schema.text,
  attempt: schema.integer,
  status: schema.enumOf('finished', 'waiting', 'failed'),
  exit_code: schema.orNull(schema.integer),
  signal: schema.orNull(schema.text),
  http_status: schema.orNull(schema.integer),
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
  { exitCode, signal, httpStatus }: AttemptEnd,
  waitMs: number | null,
): StreamItem {
  const seconds = waitMs === null ? null : Math.ceil(waitMs / 1_000);
  const ofCommand = signal ?? (exitCode === null ? 'no response' : `exit code ${exitCode}`);
  const end = httpStatus === null ? ofCommand : `HTTP ${httpStatus}`;
  const next = {
    finished: 'finished',
    waiting: `attempt ${event.attempt + 1} in ${seconds} s`,
    failed: `parked as failed; to try again: agentp events replay ${event.event_id}`,
  }[status];
  return {
    data: { ...event, status, exit_code: exitCode, signal, http_status: httpStatus, next_attempt_seconds: seconds },
    format: (page) => {
      const paint = status === 'finished' ? 'green' : 'red';
      const kind = toVisibleLine(event.kind);
      return `${page.paint('dim', event.event_id)}  ${page.paint('bold', kind)}  ${page.paint(paint, end)}, ${next}\n`;
    },
  };
}

/** A queue of items, which callbacks add. It ends when the work that adds items has ended. */
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
