import type { ActiveLease, EventDispatcher, LeaseOptions } from './dispatcher.ts';
import type { StreamSession } from './stream-session.ts';

interface LeasingDependencies {
  readonly dispatcher: EventDispatcher;
  /** Starts to receive events; calls `onOpen` whenever the stream opens, before its first event. */
  readonly receive: (onOpen: () => void) => StreamSession;
  readonly resumeMessages: (signal: AbortSignal) => Promise<void>;
}

export interface LeasingSession extends Pick<StreamSession, 'stopped' | 'stop' | 'end'> {
  /** The next due event; undefined when the session is over. */
  next(): Promise<ActiveLease | undefined>;
}

/**
 * Starts to receive and lease events. Whenever the stream opens, the messages in the outbox are sent before handlers
 * can send new ones, and events that failed because of an outage become due.
 */
export function startLeasing(
  { dispatcher, receive, resumeMessages }: LeasingDependencies,
  rule: LeaseOptions,
): LeasingSession {
  let ready = Promise.resolve();
  const recover = async (over: AbortSignal) => {
    try {
      await resumeMessages(over);
    } catch (error) {
      if (!over.aborted) throw error;
    }
    await dispatcher.endOutages();
  };
  const session = receive(() => {
    ready = recover(session.over);
    // `ready` is awaited before the next lease; this catch only prevents an unhandled rejection.
    ready.catch(() => undefined);
  });
  return {
    stopped: session.stopped,
    stop: session.stop,
    end: session.end,
    next: async () => {
      const assignment = await dispatcher.next(rule, session.over, () => ready);
      if (assignment !== undefined || session.stopped.aborted) return assignment;
      // Stored events are still leased before the stream's error is thrown.
      return await dispatcher.take(rule);
    },
  };
}
