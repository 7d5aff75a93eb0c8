import type { EventKind } from '@agent-platform/contract';
import { type Assignment, Dispatcher, type DispatchOptions } from '../events/dispatcher.ts';
import { type EventHandler, type EventMiddleware, HandlerRegistry } from '../events/handlers.ts';
import {
  type LeasedEvent,
  type ListenOptions,
  type PutBackOptions,
  type ReceiveOptions,
  type RunOptions,
  readDispatchOptions,
} from '../events/listen-options.ts';
import { type ReceiverParts, StreamReceiver } from '../events/receiver.ts';
import { type OnKept, receivedEvents, type StreamSession, startStreamSession } from '../events/stream-session.ts';
import { Wakeup } from '../events/wakeup.ts';
import { readInteger } from '../integer-option.ts';
import type { InboxItem, InboxStatus, Lease, StoredEvent } from '../state/client-state.ts';

const followEveryMs = 250;

/** The event stream, and the inbox that it fills. */
export class Events {
  readonly #parts: Omit<ReceiverParts, 'wakeup'>;
  readonly #wakeup = new Wakeup();
  readonly #handlers = new HandlerRegistry();
  readonly #dispatcher: Dispatcher;

  constructor(parts: Omit<ReceiverParts, 'wakeup'>) {
    this.#parts = parts;
    this.#dispatcher = new Dispatcher({ ...parts, wakeup: this.#wakeup });
  }

  /**
   * Receives events and hands them to a loop, one after the other. An event is
   * finished when the loop asks for the next one; after a `break` or an error in
   * the body it comes again, unless `event.done()` was called.
   *
   * @throws StreamClosedError `stream_unauthorized`, `stream_protocol_broken`, `stream_forbidden`
   * @throws ConnectionError the address is no event stream
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * for await (const event of platform.events.listen({ signal })) {
   *   if (event.kind === 'contact.requested') await platform.contacts.accept(event.payload.contact_id);
   * }
   */
  async *listen(options: ListenOptions = {}): AsyncGenerator<LeasedEvent, void, undefined> {
    const rule = readDispatchOptions(options);
    const reception = this.#receive(options.signal);
    try {
      for (;;) {
        const handout = await this.#nextHandout(rule, reception);
        if (handout === undefined) break;
        let isEnded = false;
        const done = async () => {
          isEnded = true;
          return await handout.finish();
        };
        try {
          yield { ...handout.event, attempt: handout.attempt, signal: handout.lost, done };
          if (!isEnded) await done();
        } finally {
          if (!isEnded) await handout.putBack();
        }
      }
    } finally {
      await reception.end();
    }
  }

  /**
   * Adds a handler for one kind of event; several of a kind are called one after
   * the other. The result takes it away again. Without `run()` nothing is called.
   *
   * @example
   * platform.events.on('message.created', async ({ payload }) => {
   *   const { text } = await platform.messages.open(payload);
   *   if (text !== null) await platform.messages.send(payload.sender_id, `You said: ${unfenced(text)}`);
   * });
   */
  on<K extends EventKind>(kind: K, handler: EventHandler<K>): () => void {
    return this.#handlers.on(kind, handler);
  }

  /**
   * Adds what stands around all handlers, the first one outermost. An event
   * that it does not pass on is finished when it resolves.
   *
   * @example
   * platform.events.use(async (event, { attempt }, next) => {
   *   console.log(event.kind, attempt);
   *   await next();
   * });
   */
  use(middleware: EventMiddleware): void {
    this.#handlers.use(middleware);
  }

  /**
   * Receives events and calls the handlers until the signal aborts, or until the
   * stream ends for good. An event whose handler rejects comes again after 1 s,
   * 2 s, and so on up to 5 min, and is put aside as failed after `attemptsMax`
   * attempts. Kinds without a handler are finished at once.
   *
   * @throws StreamClosedError `stream_unauthorized`, `stream_protocol_broken`, `stream_forbidden`
   * @throws ConnectionError the address is no event stream
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * await platform.events.run({ signal: AbortSignal.timeout(60_000) });
   */
  async run(options: RunOptions = {}): Promise<void> {
    const rule = readDispatchOptions(options);
    const workers = readInteger('concurrency', options.concurrency ?? 1, 1, 100);
    const reception = this.#receive(options.signal);
    const work = async () => {
      for (;;) {
        const handout = await this.#nextHandout(rule, reception);
        if (handout === undefined) return;
        await this.#handle(handout, reception.asked);
      }
    };
    try {
      await Promise.all(
        Array.from({ length: workers }, () =>
          work().catch((error: unknown) => {
            reception.stop();
            throw error;
          }),
        ),
      );
    } finally {
      await reception.end();
    }
  }

  /**
   * Receives events and keeps them, without handing them out: for a program that
   * fills the inbox while another one empties it with `next()`. It gives each
   * event that was not there before.
   *
   * @throws StreamClosedError, ConnectionError, StateError, CredentialError
   * @example
   * for await (const { event_id, kind } of platform.events.receive({ signal })) console.log(event_id, kind);
   */
  async *receive({ signal }: ReceiveOptions = {}): AsyncGenerator<StoredEvent, void, undefined> {
    yield* receivedEvents((onKept) => this.#receive(signal, onKept));
  }

  /**
   * Receives events and keeps them like `receive()`, and gives each event that
   * comes into the inbox from now on, also those that another process of this
   * machine brings in: for a program that shows what arrives while others handle
   * it. What others bring in is seen within 250 ms.
   *
   * @throws StreamClosedError, ConnectionError, StateError, CredentialError
   * @example
   * for await (const { event_id, kind } of platform.events.follow({ signal })) console.log(event_id, kind);
   */
  async *follow({ signal }: ReceiveOptions = {}): AsyncGenerator<StoredEvent, void, undefined> {
    const inbox = await this.#inbox();
    let { ids } = await inbox.snapshot();
    const reception = this.#receive(signal);
    try {
      for (;;) {
        const isOver = reception.over.aborted;
        const snapshot = await inbox.snapshot(ids);
        ids = snapshot.ids;
        yield* snapshot.arrived;
        if (isOver) break;
        if (snapshot.arrived.length === 0) await this.#wakeup.wait(followEveryMs, reception.over);
      }
    } finally {
      await reception.end();
    }
  }

  /**
   * Leases the oldest event whose turn it is, without a connection; undefined
   * when there is none. Call `done`, `putBack` or `park` before the lease ends.
   *
   * @param leaseMs 1,000 to 86,400,000, default 60,000
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * const lease = await platform.events.next({ leaseMs: 60_000 });
   * if (lease !== undefined) await platform.events.done(lease.event.event_id, lease.lease_id);
   */
  async next({ leaseMs = 60_000 }: { readonly leaseMs?: number } = {}): Promise<Lease | undefined> {
    const now = this.#parts.settings.now();
    return await (await this.#inbox()).lease(now, now + readInteger('leaseMs', leaseMs, 1_000, 86_400_000));
  }

  /**
   * Finishes an event; false when it is not there, is finished already, or is
   * leased under another id. Without a lease id, whoever holds it.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.events.done(event_id);
   */
  async done(eventId: string, leaseId?: string): Promise<boolean> {
    const isDone = await (await this.#inbox()).finish(eventId.toLowerCase(), leaseId, this.#parts.settings.now());
    this.#wakeup.wake();
    return isDone;
  }

  /**
   * Gives a leased event back, at once or after a delay; the attempt counts.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.events.putBack(lease, { delayMs: 5_000 });
   */
  async putBack(lease: Lease, { delayMs = 0, reason = null }: PutBackOptions = {}): Promise<boolean> {
    const { event, lease_id, attempt } = lease;
    const dueMs = this.#parts.settings.now() + readInteger('delayMs', delayMs, 0, 86_400_000);
    return await (await this.#inbox()).postpone(event.event_id, lease_id, { dueMs, attempts: attempt, reason });
  }

  /**
   * Puts a leased event aside as failed.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.events.park(lease, 'the order is not known here');
   */
  async park({ event, lease_id }: Lease, reason: string): Promise<boolean> {
    return await (await this.#inbox()).park(event.event_id, lease_id, reason);
  }

  /**
   * Lets a failed or finished event wait again, behind the others of its topic;
   * false when there is none such. Of finished ones the latest are remembered,
   * 1,000 unless the state was told otherwise.
   *
   * @throws StateError, CredentialError
   * @example
   * for (const { event } of await platform.events.list('failed')) await platform.events.replay(event.event_id);
   */
  async replay(eventId: string): Promise<boolean> {
    const isReleased = await (await this.#inbox()).release(eventId.toLowerCase(), this.#parts.settings.now());
    this.#wakeup.wake();
    return isReleased;
  }

  /**
   * The events of the inbox that stand so, oldest first.
   *
   * @throws StateError, CredentialError
   * @example
   * for (const { event, attempts, reason } of await platform.events.list('failed')) {
   *   console.log(event.event_id, event.kind, attempts, reason);
   * }
   */
  async list(status: InboxStatus): Promise<readonly InboxItem[]> {
    return await (await this.#inbox()).list(status);
  }

  async #inbox() {
    return (await this.#parts.state.opened()).inbox;
  }

  async #handle(handout: Assignment, asked: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([handout.lost, asked]);
    try {
      await this.#handlers.handle(handout.event, { attempt: handout.attempt, signal });
    } catch (error) {
      // A handler that ends because the run does has not failed.
      if (asked.aborted) await handout.putBack();
      else await handout.fail(error);
      return;
    }
    await handout.finish();
  }

  // What is kept is handed out before the end of the stream is told.
  async #nextHandout(rule: DispatchOptions, reception: StreamSession): Promise<Assignment | undefined> {
    const handout = await this.#dispatcher.next(rule, reception.over);
    if (handout !== undefined || reception.asked.aborted) return handout;
    return await this.#dispatcher.take(rule);
  }

  #receive(signal: AbortSignal | undefined, onKept: OnKept = () => undefined): StreamSession {
    return startStreamSession(new StreamReceiver({ ...this.#parts, wakeup: this.#wakeup }), signal, onKept);
  }
}
