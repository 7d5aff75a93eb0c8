import { warn } from '../host.ts';
import { callHook, type HandlerFailure, type Hooks } from '../transport/hooks.ts';

// Above this number of entries, the oldest one is dropped, and its error may be reported again.
const warnedMax = 1_000;

type EventName = { readonly event_id: string; readonly kind: string };
type ParkedEvent = { readonly event: EventName; readonly attempts: number; readonly reason: string | null };

/** Reports failed handlers to the hook `onHandlerFailure`, or as process warnings if it is not set. */
export class HandlerFailureReporter {
  readonly #hooks: Hooks;
  /** The last reported error of each event or order. */
  readonly #warned = new Map<string, string>();

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** Reports a failed attempt. A warning is not repeated for the same error, except when the event is parked. */
  report(failure: HandlerFailure): void {
    const { onHandlerFailure } = this.#hooks;
    if (onHandlerFailure !== undefined) {
      callHook(onHandlerFailure, failure);
      return;
    }
    const { error, waitMs } = failure;
    const subject = failure.source === 'event' ? failure.eventId : failure.orderId;
    const isRepeat = this.#warned.get(subject) === describe(error);
    this.#warned.delete(subject);
    if (waitMs !== null) this.#remember(subject, describe(error));
    if (waitMs !== null && isRepeat) return;
    warn(describeFailure(failure), 'AgentPlatformHandlerWarning', error instanceof Error ? error.stack : undefined);
  }

  /** Reports an event that is finished although its handler failed, because a retry would fail in the same way. */
  reportFinal({ event_id: eventId, kind }: EventName, attempt: number, error: unknown): void {
    this.report({ source: 'event', eventId, kind, attempt, error, waitMs: null, isOutage: false, isFinal: true });
  }

  /** Reports an event that was parked without calling a handler. */
  reportParked({ event_id: eventId, kind }: EventName, attempt: number, reason: string): void {
    const error = new Error(reason);
    this.report({ source: 'event', eventId, kind, attempt, error, waitMs: null, isOutage: false, isFinal: false });
  }

  reportDropped(dropped: readonly ParkedEvent[]): void {
    for (const { event, attempts, reason } of dropped) {
      const text = `The event was dropped and counts as finished, because too many are parked. Its error: ${reason}`;
      this.reportParked(event, attempts, text);
    }
  }

  #remember(subject: string, error: string): void {
    this.#warned.set(subject, error);
    const [oldest] = this.#warned.keys();
    if (this.#warned.size > warnedMax && oldest !== undefined) this.#warned.delete(oldest);
  }
}

function describeFailure(failure: HandlerFailure): string {
  const { kind, attempt, error, waitMs } = failure;
  const subject =
    failure.source === 'event' ? `event ${failure.eventId}` : `order ${failure.orderId}, version ${failure.version}`;
  const failed = `${kind} (${subject}) failed in attempt ${attempt}: ${describe(error)}`;
  if (failure.source === 'event' && failure.isFinal) {
    return `${failed}\nThe event counts as finished, because a retry would fail in the same way.`;
  }
  if (failure.source === 'event' && waitMs === null) {
    return `${failed}\nTHE EVENT IS PARKED: it is not retried automatically. Fix the cause, then call platform.events.replay('${failure.eventId}').`;
  }
  if (failure.source === 'event' && failure.isOutage) {
    return `${failed}\nThe server is not available. The event is not parked; it is retried when the server is available again.`;
  }
  const seconds = ((waitMs ?? 0) / 1_000).toFixed(1);
  return `${failed}\nThe handler will be called again in ${seconds} s. Set the hook onHandlerFailure to replace this warning.`;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
