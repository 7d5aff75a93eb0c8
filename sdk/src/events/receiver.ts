import type { CachedCredential } from '../credentials/cached-credential.ts';
import { ConnectionError, StreamClosedError, type StreamErrorCode } from '../errors.ts';
import { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import type { ClientSettings } from '../options.ts';
import type { OrderChangeNotifier } from '../orders/order-change-notifier.ts';
import type { OrderPeerFinder } from '../orders/order-peers.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { InboxStore, ReceivedEvent, StoredEvent } from '../state/client-state.ts';
import type { StreamConnection, StreamEnding } from '../transport/call-options.ts';
import { callHook, type StreamChange } from '../transport/hooks.ts';
import { sleep } from '../transport/sleep.ts';
import { TokenRedactor } from '../transport/token-redactor.ts';
import { inboxShareOf, parseFrame, topicOf } from './event-frame.ts';
import { decideReconnect } from './reconnect.ts';
import type { Wakeup } from './wakeup.ts';

export interface ReceiverDependencies {
  readonly settings: ClientSettings;
  readonly credential: CachedCredential;
  readonly state: CachedState;
  /** Notified when a stream opens or ends, and of each event, so that `orders.watch` reads the order again. */
  readonly orderChanges: OrderChangeNotifier;
  readonly findOrderPeers: OrderPeerFinder;
  readonly wakeup: Wakeup;
  /** Called when a stream opens, before its first event. */
  readonly onOpen?: (() => void) | undefined;
}

/** Called for each new event, before it is acknowledged. */
type OnEventStored = (event: StoredEvent) => Promise<void> | void;

// In each period, the stream waits up to this long for space in a full inbox, which delays all events.
const roomWaitMs = 2_000;
const roomPeriodMs = 60_000;
const roomPollMs = 50;
const crowdedReason =
  'The inbox had no room for more events of this kind, and this was the newest event of the largest sender (an agent, or all contact requests). Handle events faster, or block an agent that floods this one.';

const stops: Readonly<Record<number, { readonly code: StreamErrorCode; readonly message: string }>> = {
  4400: {
    code: 'stream_protocol_broken',
    message: 'The server reports a protocol error by this client. Update this package and check wsUrl.',
  },
  4401: {
    code: 'stream_unauthorized',
    message:
      'The token is no longer valid, and the credential store has no newer token. If the token was rotated elsewhere, update the store; if it is lost, register another agent.',
  },
  4403: {
    code: 'stream_forbidden',
    message: 'The agent is suspended. Only the operator of the server can change that.',
  },
};

/**
 * Receives events until it is stopped: connects, stores each event in the inbox, then acknowledges it on the same
 * connection, and reconnects.
 */
export class StreamReceiver {
  readonly #parts: ReceiverDependencies;
  readonly #tokens = new TokenRedactor();
  readonly #failures: HandlerFailureReporter;
  /** The start of the latest period in which the stream waited for space. */
  #roomPeriodAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReceiverDependencies) {
    this.#parts = parts;
    this.#failures = new HandlerFailureReporter(parts.settings.hooks);
  }

  /**
   * Receives events until the signal aborts, then resolves.
   *
   * @throws StreamClosedError, ConnectionError (no event stream there), StateError, CredentialError
   */
  async run(signal: AbortSignal, onStored: OnEventStored): Promise<void> {
    const { settings, credential, state } = this.#parts;
    const { inbox } = await state.opened();
    let failures = 0;
    while (!signal.aborted) {
      const token = await credential.bearer.token();
      this.#tokens.add(token);
      const { ending, why, broughtSomething } = await this.#connect(token, inbox, signal, onStored);
      if (signal.aborted) return;
      if (broughtSomething) failures = 0;
      const waitMs = await this.#waitAfter(ending, failures, token, signal);
      callHook(settings.hooks.onStream, { state: 'closed', why: this.#tokens.hide(why), waitMs });
      failures += 1;
      await this.#sleep(waitMs, signal);
    }
  }

  async #waitAfter(ending: StreamEnding, failures: number, token: string, signal: AbortSignal): Promise<number> {
    const decision = decideReconnect(ending, failures, this.#parts.settings.random());
    if (decision.action === 'reconnect') return decision.waitMs;
    if (decision.action === 'give-up') {
      const status = ending.kind === 'refused' ? ending.status : 0;
      throw new ConnectionError(
        status >= 300 && status < 400 ? 'redirect_refused' : 'unreadable_answer',
        `${this.#parts.settings.wsUrl.href} returned HTTP ${status} instead of opening the event stream. Check the address, and set wsUrl if the stream has a separate address.`,
      );
    }
    if (decision.action === 'renew-token' && (await this.#hasNewToken(token, signal))) return decision.waitMs;
    const closeCode = decision.action === 'stop' ? decision.closeCode : 4401;
    const stop = stops[closeCode];
    throw new StreamClosedError(stop?.code ?? 'stream_protocol_broken', closeCode, stop?.message ?? '');
  }

  async #hasNewToken(refused: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#parts.credential.awaitReplacement(refused, signal)) !== undefined;
    } catch (error) {
      // After an abort, the caller ignores the result.
      if (signal.aborted) return true;
      throw error;
    }
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    await this.#parts.settings.sleep(milliseconds, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #connect(token: string, inbox: InboxStore, signal: AbortSignal, onStored: OnEventStored) {
    const { settings, orderChanges } = this.#parts;
    let isOpen = false;
    const connection = await settings.openStream({
      url: settings.wsUrl,
      token,
      timeoutMs: settings.timeoutMs,
      silenceMs: settings.streamSilenceMs,
      onOpen: () => {
        isOpen = true;
        this.#parts.onOpen?.();
        orderChanges.onOpen();
        callHook<StreamChange>(settings.hooks.onStream, { state: 'open' });
      },
    });
    const onAbort = () => connection.close();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const over = new AbortController();
    const ended = connection.ended.finally(() => over.abort());
    let stored = 0;
    try {
      for await (const texts of connection.texts) {
        // Events that are not stored yet are sent again on the next connection.
        if (over.signal.aborted) break;
        stored += await this.#storeAll(texts, connection, inbox, over.signal, onStored);
      }
      return { ...(await ended), broughtSomething: stored > 0 };
    } catch (error) {
      connection.drop('the inbox failed');
      await ended;
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (isOpen) orderChanges.onEnd();
    }
  }

  #mayWaitForRoom(): boolean {
    const now = performance.now();
    if (now - this.#roomPeriodAt >= roomPeriodMs) this.#roomPeriodAt = now;
    return now - this.#roomPeriodAt < roomWaitMs;
  }

  /**
   * Stores and acknowledges events that arrived together: in one transaction, or in several if they do not all fit.
   * Returns the number of events stored before the connection ended.
   */
  async #storeAll(
    texts: readonly string[],
    connection: StreamConnection,
    inbox: InboxStore,
    over: AbortSignal,
    onStored: OnEventStored,
  ): Promise<number> {
    const { wakeup, orderChanges, findOrderPeers } = this.#parts;
    const frames = texts.map(parseFrame);
    if (frames.some(({ kind }) => kind === 'malformed')) connection.drop('received a frame that is not an event');
    const arrived = frames.flatMap((frame) =>
      frame.kind === 'event' ? { ...frame, topic: topicOf(frame.event) } : [],
    );
    const orders = arrived.filter(({ event }) => event.kind === 'order.changed').map(({ topic }) => topic);
    const peers = await findOrderPeers(orders, over);
    let rest = arrived.map((one) => ({ ...one, share: inboxShareOf(one.event, peers) }));
    while (rest.length > 0) {
      const results = await inbox.keepAll(rest);
      if (results.includes('kept')) wakeup.wake();
      for (const [index, { event, sentId }] of rest.slice(0, results.length).entries()) {
        if (results[index] === 'kept') await onStored(event);
        orderChanges.onEvent(event);
        // Sends the ack here, because it is only valid on the connection that delivered the event.
        connection.send(JSON.stringify({ type: 'ack', event_id: sentId }));
      }
      rest = rest.slice(results.length);
      if (rest.length > 0) await this.#makeRoom(rest, inbox, over);
      // The remaining events are not acknowledged, so the server sends them again.
      if (over.aborted) break;
    }
    return arrived.length - rest.length;
  }

  /** Waits for space for the first of these events, or parks stored events of its kind. */
  async #makeRoom(events: readonly ReceivedEvent[], inbox: InboxStore, over: AbortSignal): Promise<void> {
    const { settings } = this.#parts;
    const [kind = ''] = events.map(({ event }) => event.kind);
    const count = events.filter(({ event }) => event.kind === kind).length;
    const parked = this.#mayWaitForRoom() ? [] : await inbox.makeRoom(kind, count, crowdedReason);
    // Pauses until several events may fit, because each write to the inbox is a separate commit.
    if (parked.length === 0) await sleep(roomPollMs, over).catch(() => undefined);
    for (const { event, attempts } of parked) this.#failures.reportParked(event, attempts, crowdedReason);
    this.#failures.reportDropped(await inbox.dropFailed(settings.now()));
  }
}
