import type { CachedCredential } from '../credentials/cached-credential.ts';
import { ConnectionError, StreamClosedError, type StreamErrorCode } from '../errors.ts';
import type { Settings } from '../options.ts';
import type { OrderChangeNotifier } from '../orders/order-change-notifier.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { InboxStore, StoredEvent } from '../state/client-state.ts';
import { callHook, type StreamChange } from '../transport/hooks.ts';
import { TokenRedactor } from '../transport/token-redactor.ts';
import { parseFrame, topicOf } from './event-frame.ts';
import { decideReconnect, type StreamEnding } from './reconnect.ts';
import { openConnection, type StreamConnection } from './stream-connection.ts';
import type { Wakeup } from './wakeup.ts';

/** What receiving works with. */
export interface ReceiverParts {
  readonly settings: Settings;
  readonly credential: CachedCredential;
  readonly state: CachedState;
  /** Told of streams and events, for those who watch orders. */
  readonly orderChanges: OrderChangeNotifier;
  /** Woken when an event was kept. */
  readonly wakeup: Wakeup;
}

/** Told of an event that was not there before; the next one waits for it. */
type OnKept = (event: StoredEvent) => Promise<void> | void;

// A server that keeps to its window of 64 never fills this; of another one the
// rest waits in its own buffers.
const queueMax = 256;
const fullLookMs = 1_000;
// The file of a credential may be written a moment after the token in it has
// been put into force by another process.
const newTokenLooksMs = [0, 250, 500, 1_000, 2_000];

const stops: Readonly<Record<number, { readonly code: StreamErrorCode; readonly message: string }>> = {
  4400: {
    code: 'stream_protocol_broken',
    message: 'The server says that this client broke the protocol of the stream. Update this package, and check wsUrl.',
  },
  4401: {
    code: 'stream_unauthorized',
    message:
      'The token is not valid any more, and the credential store has no newer one. Rotate it where it still works; when it is lost, register another agent.',
  },
  4403: {
    code: 'stream_forbidden',
    message: 'The agent is suspended. Only the operator of the server can change that.',
  },
};

/**
 * Receives events for as long as it may: connects, keeps each event in the inbox
 * and acknowledges it only then and only there, and connects again.
 */
export class StreamReceiver {
  readonly #parts: ReceiverParts;
  readonly #tokens = new TokenRedactor();

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /**
   * Runs until the signal aborts, and then resolves.
   *
   * @param onKept told of each event that was not there before
   * @throws StreamClosedError, ConnectionError (no event stream there), StateError, CredentialError
   */
  async run(signal: AbortSignal, onKept: OnKept): Promise<void> {
    const { settings, credential, state } = this.#parts;
    const { inbox } = await state.opened();
    let failures = 0;
    while (!signal.aborted) {
      const token = await credential.bearer.token();
      this.#tokens.add(token);
      const { ending, why, broughtSomething } = await this.#connect(token, inbox, signal, onKept);
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
        `${this.#parts.settings.wsUrl.href} answered HTTP ${status} instead of opening the event stream. Is it the address of one? Give wsUrl if the stream has an address of its own.`,
      );
    }
    if (decision.action === 'renew-token' && (await this.#hasNewToken(token, signal))) return decision.waitMs;
    const closeCode = decision.action === 'stop' ? decision.closeCode : 4401;
    const stop = stops[closeCode];
    throw new StreamClosedError(stop?.code ?? 'stream_protocol_broken', closeCode, stop?.message ?? '');
  }

  async #hasNewToken(refused: string, signal: AbortSignal): Promise<boolean> {
    for (const waitMs of newTokenLooksMs) {
      await this.#sleep(waitMs, signal);
      // Aborted: whoever asked is not interested any more.
      if (signal.aborted || (await this.#parts.credential.bearer.replacementFor(refused)) !== undefined) return true;
    }
    return false;
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    await this.#parts.settings.sleep(milliseconds, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #connect(token: string, inbox: InboxStore, signal: AbortSignal, onKept: OnKept) {
    const { settings, orderChanges } = this.#parts;
    let isOpen = false;
    const intake = new Intake(inbox, this.#parts, onKept);
    const connection = await openConnection({
      url: settings.wsUrl,
      token,
      timeoutMs: settings.timeoutMs,
      silenceMs: settings.streamSilenceMs,
      onOpen: () => {
        isOpen = true;
        orderChanges.onOpen();
        callHook<StreamChange>(settings.hooks.onStream, { state: 'open' });
      },
      onText: (text) => intake.take(text),
    });
    const onAbort = () => connection.close();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      intake.serve(connection);
      const ended = await connection.ended;
      await intake.end();
      return { ...ended, broughtSomething: intake.taken > 0 };
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (isOpen) orderChanges.onEnd();
    }
  }
}

/** Takes in what comes on one connection, one event after the other. */
class Intake {
  taken = 0;
  readonly #inbox: InboxStore;
  readonly #parts: ReceiverParts;
  readonly #onKept: OnKept;
  readonly #ended = new AbortController();
  #connection: StreamConnection | undefined;
  #queue: string[] = [];
  #work: Promise<void> | undefined;
  #isPaused = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(inbox: InboxStore, parts: ReceiverParts, onKept: OnKept) {
    this.#inbox = inbox;
    this.#parts = parts;
    this.#onKept = onKept;
  }

  serve(connection: StreamConnection): void {
    this.#connection = connection;
    this.#start();
  }

  take(text: string): void {
    this.#queue.push(text);
    if (this.#queue.length >= queueMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#connection?.pause();
    }
    this.#start();
  }

  /** What was not taken in by now comes again on the next connection. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#work;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #start(): void {
    if (this.#connection === undefined || this.#work !== undefined) return;
    const connection = this.#connection;
    this.#work = this.#takeAll(connection)
      .catch((error: unknown) => {
        this.#failure = { error };
        connection.drop('the inbox failed');
      })
      .finally(() => {
        this.#work = undefined;
      });
  }

  async #takeAll(connection: StreamConnection): Promise<void> {
    for (;;) {
      const text = this.#queue.shift();
      if (text === undefined || this.#ended.signal.aborted) return;
      await this.#takeOne(text, connection);
      if (this.#isPaused && this.#queue.length < queueMax / 4) {
        this.#isPaused = false;
        connection.resume();
      }
    }
  }

  async #takeOne(text: string, connection: StreamConnection): Promise<void> {
    const frame = parseFrame(text);
    if (frame.kind === 'malformed') connection.drop('a frame came that is no event');
    if (frame.kind !== 'event') return;
    for (;;) {
      const kept = await this.#inbox.keep(frame.event, topicOf(frame.event), this.#parts.settings.now());
      if (kept === 'full') {
        // Not acknowledged, so the server keeps it and, beyond its window, all that follow.
        await this.#parts.wakeup.wait(fullLookMs, this.#ended.signal);
        if (this.#ended.signal.aborted) return;
        continue;
      }
      if (kept === 'kept') {
        this.#parts.wakeup.wake();
        await this.#onKept(frame.event);
      }
      this.#parts.orderChanges.onEvent(frame.event);
      // Only here: an ack holds for the connection that brought the event.
      connection.send(JSON.stringify({ type: 'ack', event_id: frame.sentId }));
      this.taken += 1;
      return;
    }
  }
}
