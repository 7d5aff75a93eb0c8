import type { EventKind } from '@agent-platform/contract';
import type { InboxEvent } from '../contacts/contact-and-message-types.ts';
import type { TokenRotator } from '../credentials/token-rotator.ts';
import { type ActiveLease, EventDispatcher, type LeaseOptions, resolveLeaseOptions } from '../events/dispatcher.ts';
import { type EventHandler, type EventMiddleware, HandlerRegistry } from '../events/handlers.ts';
import { type LeasingSession, startLeasing } from '../events/leasing.ts';
import type { EventItem, EventLease, LeasedEvent, ListenOptions, ReceiveOptions } from '../events/options.ts';
import * as kinds from '../events/options.ts';
import { type ReceiverDependencies, StreamReceiver } from '../events/receiver.ts';
import { type OnStored, receivedEvents, type StreamSession, startStreamSession } from '../events/stream-session.ts';
import { Wakeup } from '../events/wakeup.ts';
import { makeHandlerPool } from '../handler-pool.ts';
import { requireInteger } from '../integer-option.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import type { InboxStatus, StoredEvent } from '../state/client-state.ts';
import { withAnySignal } from '../transport/sleep.ts';

const followEveryMs = 250;

interface EventsDependencies extends Omit<ReceiverDependencies, 'wakeup' | 'onOpen'> {
  readonly tokenRotator: TokenRotator;
  /** Resends pending messages, and reports refused ones as warnings. */
  readonly resumeMessages: (signal: AbortSignal) => Promise<void>;
}

/** The event stream and its inbox. */
export class Events {
  readonly #parts: EventsDependencies;
  readonly #wakeup = new Wakeup();
  readonly #handlers = new HandlerRegistry();
  readonly #dispatcher: EventDispatcher;

  constructor(parts: EventsDependencies) {
    this.#parts = parts;
    this.#dispatcher = new EventDispatcher({ ...parts, wakeup: this.#wakeup });
  }

  /**
   * Receives events and yields them under a lease, one by one. An event is finished when the loop requests the next
   * one. If the loop ends with a `break` or an error, the event is delivered again unless `event.done()` was called.
   *
   * @throws StreamClosedError `stream_unauthorized`, `stream_protocol_broken`, `stream_forbidden`
   * @throws ConnectionError the address is not an event stream
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * for await (const event of platform.events.listen({ signal })) {
   *   if (event.kind === 'contact.requested') await platform.contacts.accept(event.payload.contact_id);
   * }
   */
  async *listen(options: ListenOptions = {}): AsyncGenerator<LeasedEvent, void, undefined> {
    checkOptions('events.listen()', options, kinds.listenOptionKinds);
    const rule = resolveLeaseOptions(options);
    const session = this.#lease(rule, options.signal);
    try {
      for (;;) {
        const assignment = await session.next();
        if (assignment === undefined) break;
        let isEnded = false;
        const done = async () => {
          isEnded = true;
          return await assignment.finish();
        };
        try {
          yield { ...assignment.event, attempt: assignment.attempt, signal: assignment.lost, done };
          if (!isEnded) await done();
        } finally {
          if (!isEnded) await assignment.putBack();
        }
      }
    } finally {
      await session.end();
    }
  }

  /**
   * Adds a handler for one event kind; several handlers of a kind are called one after another. Returns a function that
   * removes the handler. Only `run()` calls handlers.
   *
   * @throws ConfigurationError the kind does not exist, or the handler is not a function
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
   * Adds a middleware around all handlers; the first one added is outermost. If it does not call `next`, the event is
   * finished when the middleware resolves.
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
   * Receives events and calls the handlers until the signal aborts, or until the stream ends permanently. An event
   * whose handler rejects is retried after 1 s, 2 s, and so on up to 5 min, and is parked as failed after `attemptsMax`
   * attempts; attempts during server outages do not count. Events of kinds without a handler are finished immediately.
   *
   * @throws StreamClosedError `stream_unauthorized`, `stream_protocol_broken`, `stream_forbidden`
   * @throws ConnectionError the address is not an event stream
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * await platform.events.run({ signal: AbortSignal.timeout(60_000) });
   */
  async run(options: kinds.RunOptions = {}): Promise<void> {
    checkOptions('events.run()', options, kinds.runOptionKinds);
    const rule = resolveLeaseOptions(options);
    const workers = requireInteger('concurrency', options.concurrency ?? 1, 1, 100);
    const session = this.#lease(rule, options.signal);
    let changed = Promise.withResolvers<void>();
    const pool = makeHandlerPool(workers, () => {
      if (pool.hasFailed()) session.stop();
      changed.resolve();
    });
    try {
      for (;;) {
        for (; !pool.hasRoom(); await changed.promise) changed = Promise.withResolvers();
        const assignment = await session.next();
        if (assignment === undefined) break;
        pool.start(() => this.#handle(assignment, session.stopped));
      }
    } catch (error) {
      session.stop();
      throw error;
    } finally {
      await pool.settle().finally(session.end);
    }
  }

  /**
   * Receives, stores and yields events without leasing them, for a program that fills the inbox while another one
   * handles the events with `next()`.
   *
   * @throws StreamClosedError, ConnectionError, StateError, CredentialError
   * @example
   * for await (const { event_id, kind } of platform.events.receive({ signal })) console.log(event_id, kind);
   */
  async *receive(options: ReceiveOptions = {}): AsyncGenerator<InboxEvent, void, undefined> {
    checkOptions('events.receive()', options, kinds.receiveOptionKinds);
    yield* receivedEvents((onStored) => this.#receive(options.signal, onStored));
  }

  /**
   * Receives and stores events like `receive()`, but yields every new event in the inbox within 250 ms, including those
   * that other processes on this machine store. For programs that show new events while other programs handle them.
   *
   * @throws StreamClosedError, ConnectionError, StateError, CredentialError
   * @example
   * for await (const { event_id, kind } of platform.events.follow({ signal })) console.log(event_id, kind);
   */
  async *follow(options: ReceiveOptions = {}): AsyncGenerator<InboxEvent, void, undefined> {
    checkOptions('events.follow()', options, kinds.receiveOptionKinds);
    const inbox = await this.#inbox();
    let { ids } = await inbox.snapshot();
    const session = this.#receive(options.signal);
    try {
      for (;;) {
        const isOver = session.over.aborted;
        const snapshot = await inbox.snapshot(ids);
        ids = snapshot.ids;
        yield* snapshot.arrived as readonly InboxEvent[];
        if (isOver) break;
        if (snapshot.arrived.length === 0) await this.#wakeup.wait(followEveryMs, session.over);
      }
    } finally {
      await session.end();
    }
  }

  /**
   * Leases the oldest due event without opening a connection; undefined if no event is due. Call `done`, `putBack` or
   * `park` before the lease ends.
   *
   * @param leaseMs 1,000 to 86,400,000, default 60,000
   * @throws StateError, CredentialError, ConfigurationError
   * @example
   * const lease = await platform.events.next({ leaseMs: 60_000 });
   * if (lease !== undefined) await platform.events.done(lease.event.event_id, lease.lease_id);
   */
  async next(options: { readonly leaseMs?: number } = {}): Promise<EventLease | undefined> {
    checkOptions('events.next()', options, { leaseMs: optionKinds.number });
    const leaseMs = requireInteger('leaseMs', options.leaseMs ?? 60_000, 1_000, 86_400_000);
    const now = this.#parts.settings.now();
    return (await (await this.#inbox()).lease(now, now + leaseMs)) as EventLease | undefined;
  }

  /**
   * Finishes an event; returns false if it does not exist, is already finished, or has another lease id.
   * Without a lease id, the lease is not checked.
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
   * Releases a leased event, so that it is due again immediately or after a delay. The attempt counts.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.events.putBack(lease, { delayMs: 5_000 });
   */
  async putBack(lease: EventLease, options: kinds.PutBackOptions = {}): Promise<boolean> {
    checkOptions('events.putBack()', options, kinds.putBackOptionKinds);
    const { delayMs = 0, reason = null } = options;
    const { event, lease_id, attempt } = lease;
    const dueMs = this.#parts.settings.now() + requireInteger('delayMs', delayMs, 0, 86_400_000);
    return await (await this.#inbox()).postpone(event.event_id, lease_id, { dueMs, attempts: attempt, reason });
  }

  /**
   * Parks a leased event as failed.
   *
   * @throws StateError, CredentialError
   * @example
   * await platform.events.park(lease, 'unknown order');
   */
  async park({ event, ...lease }: EventLease, reason: string): Promise<boolean> {
    return await this.#dispatcher.park(await this.#inbox(), { event: event as StoredEvent, ...lease }, reason);
  }

  /**
   * Returns a failed or finished event to the status `waiting`, after the other events of its topic; returns false if
   * there is no such event. The inbox keeps the latest finished events, by default 1,000.
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
   * Returns the events with this status from the inbox, oldest first.
   *
   * @throws ConfigurationError the status does not exist
   * @throws StateError, CredentialError
   * @example
   * for (const { event, attempts, reason } of await platform.events.list('failed')) {
   *   console.log(event.event_id, event.kind, attempts, reason);
   * }
   */
  async list(status: InboxStatus): Promise<readonly EventItem[]> {
    kinds.checkInboxStatus(status);
    return (await (await this.#inbox()).list(status)) as readonly EventItem[];
  }

  async #inbox() {
    return (await this.#parts.state.opened()).inbox;
  }

  async #handle(assignment: ActiveLease, stopped: AbortSignal): Promise<void> {
    const { event, attempt, lost } = assignment;
    try {
      await withAnySignal([lost, stopped], (signal) => this.#handlers.handle(event, { attempt, signal }));
    } catch (error) {
      // A handler that rejects because the run is stopped has not failed.
      if (stopped.aborted) await assignment.putBack();
      else await assignment.fail(error);
      return;
    }
    await assignment.finish();
  }

  #lease(rule: LeaseOptions, signal: AbortSignal | undefined): LeasingSession {
    const receive = (onOpen: () => void) => this.#receive(signal, undefined, onOpen);
    return startLeasing({ ...this.#parts, dispatcher: this.#dispatcher, receive }, rule);
  }

  #receive(signal: AbortSignal | undefined, onStored: OnStored = () => undefined, onOpen?: () => void): StreamSession {
    const receiver = new StreamReceiver({ ...this.#parts, wakeup: this.#wakeup, onOpen });
    const session = startStreamSession(receiver, signal, onStored);
    const stopRotating = this.#parts.tokenRotator.start();
    return { ...session, end: () => session.end().finally(stopRotating) };
  }
}
