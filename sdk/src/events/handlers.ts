import type { EventKind } from '@agent-platform/contract';
import { eventKinds } from '@agent-platform/contract/client';
import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { checkHandler, checkOneOf } from '../known-options.ts';

/** The context of a handler call. */
export interface EventContext {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborted when the run ends, or when the event has been leased to another process. */
  readonly signal: AbortSignal;
}

/** Handles one event. The event is finished when the handler resolves, and retried when it rejects. */
export type EventHandler<K extends EventKind = EventKind> = (
  event: PlatformEvent<K>,
  context: EventContext,
) => Promise<void> | void;

/** Wraps all handlers: it can inspect an event and either pass it on with `next()` or skip the handlers. */
export type EventMiddleware = (event: PlatformEvent, context: EventContext, next: () => Promise<void>) => Promise<void>;

type AnyHandler = (event: PlatformEvent, context: EventContext) => Promise<void> | void;

/** The handlers and middlewares of a client, in the order in which they were added. */
export class HandlerRegistry {
  readonly #handlers = new Map<EventKind, AnyHandler[]>();
  readonly #middlewares: EventMiddleware[] = [];

  /**
   * Adds a handler; returns a function that removes it.
   *
   * @throws ConfigurationError the kind does not exist, or the handler is not a function
   */
  on<K extends EventKind>(kind: K, handler: EventHandler<K>): () => void {
    checkOneOf('The kind of an event', kind, eventKinds);
    checkHandler(`events.on(${JSON.stringify(kind)})`, handler, 'the event');
    // The cast is safe, because handlers are looked up by kind and only called with events of their kind.
    const added = handler as AnyHandler;
    this.#handlers.set(kind, [...(this.#handlers.get(kind) ?? []), added]);
    return () => {
      const rest = (this.#handlers.get(kind) ?? []).filter((one) => one !== added);
      this.#handlers.set(kind, rest);
    };
  }

  use(middleware: EventMiddleware): void {
    checkHandler('events.use()', middleware, 'the event');
    this.#middlewares.push(middleware);
  }

  /** Passes an event through all middlewares to its handlers. */
  async handle(event: PlatformEvent, context: EventContext): Promise<void> {
    const through = async (index: number): Promise<void> => {
      const middleware = this.#middlewares[index];
      if (middleware !== undefined) return await middleware(event, context, () => through(index + 1));
      for (const handler of this.#handlers.get(event.kind) ?? []) await handler(event, context);
    };
    await through(0);
  }
}
