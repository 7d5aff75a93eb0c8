import type { CachedCredential } from '../credentials/cached-credential.ts';
import { ConnectionError, StreamClosedError, type StreamErrorCode } from '../errors.ts';
import { HandlerFailures } from '../handler-failures/handler-failures.ts';
import type { Settings } from '../options.ts';
import type { OrderChangeNotifier } from '../orders/order-change-notifier.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { InboxStore, StoredEvent } from '../state/client-state.ts';
import type { StreamConnection, StreamEnding } from '../transport/call-options.ts';
import { callHook, type StreamChange } from '../transport/hooks.ts';
import { TokenRedactor } from '../transport/token-redactor.ts';
import { parseFrame, topicOf } from './event-frame.ts';
import { decideReconnect } from './reconnect.ts';
import { openConnection } from './stream-connection.ts';
import type { Wakeup } from './wakeup.ts';

/** The parts of a receiver. */
export interface ReceiverParts {
  readonly settings: Settings;
  readonly credential: CachedCredential;
  readonly state: CachedState;
  /** Informed of streams and events, for watches of orders. */
  readonly orderChanges: OrderChangeNotifier;
  /** Woken when an event was stored. */
  readonly wakeup: Wakeup;
  /** Called when a stream opens, before its first event. */
  readonly onOpen?: (() => void) | undefined;
}

/** Called for each new event; the next one is stored afterwards. */
type OnEventStored = (event: StoredEvent) => Promise<void> | void;

// How long the stream waits for room in a full inbox, in any period: what follows may come from other agents.
const roomWaitMs = 2_000;
const roomPeriodMs = 60_000;
const roomPollMs = 250;
const crowdedReason =
  'The inbox was full, and most of its events were of this agent, or of orders: handle events faster, or block an agent that floods this one.';

const stops: Readonly<Record<number, { readonly code: StreamErrorCode; readonly message: string }>> = {
  4400: {
    code: 'stream_protocol_broken',
    message: 'The server reports a protocol error of this client. Update this package and check wsUrl.',
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
 * Receives events until it is stopped: connects, stores each event in the inbox
 * and acknowledges it afterwards on the same connection, and reconnects.
 */
export class StreamReceiver {
  readonly #parts: ReceiverParts;
  readonly #tokens = new TokenRedactor();
  readonly #failures: HandlerFailures;
  /** When the latest period began in which the stream waited for room. */
  #roomPeriodAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#failures = new HandlerFailures(parts.settings.hooks);
  }

  /**
   * Runs until the signal aborts, and then resolves.
   *
   * @param onStored called for each new event
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
        `${this.#parts.settings.wsUrl.href} answered HTTP ${status} instead of opening the event stream. Check the address, and set wsUrl if the stream has a separate address.`,
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
      // Then the result is not needed.
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
    const openStream = settings.openStream ?? openConnection;
    const connection = await openStream({
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
      for await (const text of connection.texts) {
        // What is not stored by now is sent again on the next connection.
        if (over.signal.aborted) break;
        if (await this.#store(text, connection, inbox, over.signal, onStored)) stored += 1;
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

  /** Stores and acknowledges the event of a frame; false when it had none, or the connection ended before there was room. */
  async #store(
    text: string,
    connection: StreamConnection,
    inbox: InboxStore,
    over: AbortSignal,
    onStored: OnEventStored,
  ): Promise<boolean> {
    const { settings, wakeup, orderChanges } = this.#parts;
    const frame = parseFrame(text);
    if (frame.kind === 'malformed') connection.drop('received a frame that is not an event');
    if (frame.kind !== 'event') return false;
    const store = () => inbox.keep(frame.event, topicOf(frame.event), settings.now());
    let result = await store();
    while (result === 'full') {
      const parked = this.#mayWaitForRoom() ? undefined : await inbox.makeRoom(frame.event.kind, crowdedReason);
      if (parked === undefined) await wakeup.wait(roomPollMs, over);
      else this.#failures.reportParked(parked.event, parked.attempts, crowdedReason);
      await this.#failures.dropBeyondLimit(() => inbox.dropFailed(settings.now()));
      // Not acknowledged, so the server sends it again.
      if (over.aborted) return false;
      result = await store();
    }
    if (result === 'kept') {
      wakeup.wake();
      await onStored(frame.event);
    }
    orderChanges.onEvent(frame.event);
    // Only here: an ack is valid for the connection that delivered the event.
    connection.send(JSON.stringify({ type: 'ack', event_id: frame.sentId }));
    return true;
  }
}
