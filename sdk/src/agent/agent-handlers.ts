import type { AgentIdResolver } from '../contacts/agent-ids.ts';
import type { Contact, PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { stableId } from '../crypto/stable-id.ts';
import { ConfigurationError } from '../errors.ts';
import type { EventContext } from '../events/handlers.ts';
import type { RunOptions } from '../events/options.ts';
import { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import { isFinalFailure } from '../handler-failures/handler-retry.ts';
import { checkHandler, optionKinds } from '../known-options.ts';
import type { MessageOutbox } from '../messages/outbox.ts';
import { combineOrderHandlers, type OrderHandler, type OrderHandlers } from '../orders/order-worker.ts';
import type { WorkOptions } from '../orders/work-orders.ts';
import type { Contacts } from '../resources/contacts.ts';
import type { Events } from '../resources/events.ts';
import type { Messages } from '../resources/messages.ts';
import type { Orders } from '../resources/orders.ts';
import type { Hooks } from '../transport/hooks.ts';
import type { Arrival, ContactRequest, IncomingMessage } from './arrivals.ts';
import { callHandlers, type Handler, type Predicate, parseHandlerArguments } from './handler-chain.ts';

/** Wraps all handlers: it may inspect the arrival, pass it on with `next()`, or drop it. */
export type Middleware = (arrival: Arrival, next: () => Promise<void>) => Promise<void> | void;

/**
 * Handles an error that a handler threw. If it resolves without calling `next()`, the error counts as handled;
 * `next()` passes the error to the next error handler, or finally to the retry rule.
 */
export type ErrorMiddleware = (error: unknown, arrival: Arrival, next: () => Promise<void>) => Promise<void> | void;

const acceptNone = () => false;

/** Selects the agents whose contact requests are accepted. */
export type AcceptRule = 'all' | ((contact: Contact) => boolean | Promise<boolean>);

interface AgentDependencies {
  readonly agents: AgentIdResolver;
  readonly outbox: MessageOutbox;
  readonly messages: Messages;
  readonly contacts: Contacts;
  readonly events: Events;
  readonly orders: Orders;
  readonly hooks: Hooks;
}

type Entry<Subject> = { readonly accepts: Predicate<Subject>; readonly handler: Handler<Subject> };

const value = {
  form: 'a string or a RegExp',
  accepts: (one: unknown) => typeof one === 'string' || one instanceof RegExp,
};

export class AgentHandlers {
  readonly #parts: AgentDependencies;
  readonly #failures: HandlerFailureReporter;
  readonly #messages: Entry<IncomingMessage>[] = [];
  readonly #requests: Entry<ContactRequest>[] = [];
  readonly #works: { readonly handler: OrderHandler; readonly options: Omit<WorkOptions, 'signal'> }[] = [];
  readonly #middlewares: Middleware[] = [];
  readonly #errorMiddlewares: ErrorMiddleware[] = [];
  readonly #listening = new Set<string>();
  #accept: AcceptRule = acceptNone;

  constructor(parts: AgentDependencies) {
    this.#parts = parts;
    this.#failures = new HandlerFailureReporter(parts.hooks);
  }

  onMessage(args: readonly unknown[]): void {
    const kinds = { text: value, handle: value, senderId: optionKinds.text };
    this.#messages.push(parseHandlerArguments<IncomingMessage>('onMessage', kinds, args));
    this.#listen('message.created', (event, context) => this.#handleMessage(event, context));
  }

  onContactRequest(args: readonly unknown[]): void {
    this.#requests.push(parseHandlerArguments<ContactRequest>('onContactRequest', { handle: value }, args));
    this.#listenForRequests();
  }

  onOrder(given: OrderHandler | OrderHandlers, options: Omit<WorkOptions, 'signal'>): void {
    const handler = combineOrderHandlers('onOrder()', given);
    const { role } = options;
    const isTaken = this.#works.some(
      ({ options: { role: other } }) => role === undefined || other === undefined || role === other,
    );
    if (isTaken)
      throw new ConfigurationError(
        'onOrder() already has a handler for this role. Branch on the order in that handler, or give each handler a role.',
      );
    this.#works.push({ handler, options });
  }

  use(middleware: Middleware): void {
    checkHandler('use()', middleware, 'a message, contact request or order');
    this.#middlewares.push(middleware);
  }

  onError(middleware: ErrorMiddleware): void {
    checkHandler('onError()', middleware, 'the error');
    this.#errorMiddlewares.push(middleware);
  }

  /** Runs the event handlers and order work until the signal aborts. If one fails, the others are stopped too. */
  async run(events: RunOptions & { readonly signal: AbortSignal }, accept: AcceptRule | undefined): Promise<void> {
    this.#accept = accept ?? acceptNone;
    if (accept !== undefined) this.#listenForRequests();
    const failed = new AbortController();
    const signal = AbortSignal.any([events.signal, failed.signal]);
    const works = this.#works.map(({ handler, options }) => {
      const { concurrency = options.concurrency } = events;
      const around: OrderHandler = (order, actions, context) =>
        this.#handle({ kind: 'order', order, actions, ...context }, async () => {
          await handler(order, actions, context);
        });
      return this.#parts.orders.work(around, { ...options, concurrency, signal });
    });
    const running = [this.#parts.events.run({ ...events, signal }), ...works];
    for (const one of running) one.catch(() => failed.abort());
    const ended = await Promise.allSettled(running);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  #listenForRequests(): void {
    this.#listen('contact.requested', (event, context) => this.#handleRequest(event, context));
  }

  #listen<K extends 'message.created' | 'contact.requested'>(
    kind: K,
    handle: (event: PlatformEvent<K>, context: EventContext) => Promise<void>,
  ): void {
    if (this.#listening.has(kind)) return;
    this.#listening.add(kind);
    this.#parts.events.on(kind, async (event, context) => {
      try {
        await handle(event, context);
      } catch (error) {
        if (!isFinalFailure(error)) throw error;
        this.#failures.reportFinal(event, context.attempt, error);
      }
    });
  }

  async #handleMessage(
    { event_id: eventId, payload }: PlatformEvent<'message.created'>,
    context: EventContext,
  ): Promise<void> {
    const { messages, outbox, agents } = this.#parts;
    const { sender_id: senderId } = payload;
    const { text, bytes } = await messages.open(payload);
    const handle = await agents.handleOf(senderId, { signal: context.signal });
    let replies = 0;
    const message: IncomingMessage = {
      kind: 'message',
      eventId,
      senderId,
      handle,
      text,
      bytes,
      ...context,
      reply: async (content, options = {}) => {
        replies += 1;
        const id = stableId('reply', eventId, String(replies));
        const plaintext = typeof content === 'string' ? { text: content } : content;
        return (await outbox.decide(senderId, plaintext, id, options)).data;
      },
    };
    await this.#handle(message, () => callHandlers(this.#messages, message));
  }

  async #handleRequest(
    { event_id: eventId, payload: contact }: PlatformEvent<'contact.requested'>,
    context: EventContext,
  ): Promise<void> {
    const accept = async (options?: Parameters<Contacts['accept']>[1]) =>
      await this.#parts.contacts.accept(contact.contact_id, options);
    const { handle } = contact.peer;
    const request: ContactRequest = { kind: 'contactRequest', eventId, contact, handle, ...context, accept };
    await this.#handle(request, () =>
      callHandlers(this.#requests, request, async () => {
        if (this.#accept === 'all' || (await this.#accept(contact))) await accept();
      }),
    );
  }

  async #handle(arrival: Arrival, handle: () => Promise<void>): Promise<void> {
    const through = async (index: number): Promise<void> => {
      const middleware = this.#middlewares[index];
      if (middleware === undefined) await handle();
      else await middleware(arrival, () => through(index + 1));
    };
    try {
      await through(0);
    } catch (error) {
      await this.#handleError(error, arrival);
    }
  }

  async #handleError(error: unknown, arrival: Arrival): Promise<void> {
    const through = async (index: number): Promise<void> => {
      const middleware = this.#errorMiddlewares[index];
      if (middleware === undefined) throw error;
      await middleware(error, arrival, () => through(index + 1));
    };
    await through(0);
  }
}
