import type { EventKind } from '@agent-platform/contract';
import type { PlatformEvent } from '../contacts/contact-and-message-types.ts';

/** What a handler is given beside the event. */
export interface EventContext {
  /** 1 for the first time that this event is handed out. */
  readonly attempt: number;
  /** Aborted when the run ends, or when the event was leased to another process. */
  readonly signal: AbortSignal;
}

/** Does the work of one event. When it resolves, the event is finished; when it rejects, the event comes again. */
export type EventHandler<K extends EventKind = EventKind> = (
  event: PlatformEvent<K>,
  context: EventContext,
) => Promise<void> | void;

/** Stands around all handlers: it may look at an event, pass it on with `next()`, or keep it from them. */
export type EventMiddleware = (event: PlatformEvent, context: EventContext, next: () => Promise<void>) => Promise<void>;

type AnyHandler = (event: PlatformEvent, context: EventContext) => Promise<void> | void;

/** The handlers and middlewares of a client, in the order in which they were added. */
export class HandlerRegistry {
  readonly #handlers = new Map<EventKind, AnyHandler[]>();
  readonly #middlewares: EventMiddleware[] = [];

  /** Adds a handler; the result takes it away again. */
  on<K extends EventKind>(kind: K, handler: EventHandler<K>): () => void {
    // The map hands a handler events of its own kind alone.
    const added = handler as AnyHandler;
    this.#handlers.set(kind, [...(this.#handlers.get(kind) ?? []), added]);
    return () => {
      const rest = (this.#handlers.get(kind) ?? []).filter((one) => one !== added);
      this.#handlers.set(kind, rest);
    };
  }

  use(middleware: EventMiddleware): void {
    this.#middlewares.push(middleware);
  }

  /** Lets one event pass through all of them. */
  async handle(event: PlatformEvent, context: EventContext): Promise<void> {
    const through = async (index: number): Promise<void> => {
      const middleware = this.#middlewares[index];
      if (middleware !== undefined) return await middleware(event, context, () => through(index + 1));
      for (const handler of this.#handlers.get(event.kind) ?? []) await handler(event, context);
    };
    await through(0);
  }
}
