import type { StreamConnection, StreamEnding } from '../transport/call-options.ts';

type Ended = Awaited<StreamConnection['ended']>;

export class FakeStream implements StreamConnection {
  readonly ended: Promise<Ended>;
  readonly texts: AsyncIterable<readonly string[]>;
  readonly #received: (text: string) => void;
  readonly #onEnd: () => void;
  readonly #frames: string[] = [];
  readonly #resolve: (ended: Ended) => void;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  /** `received` is called with each frame from the client, and `onEnd` when the client has closed the connection. */
  constructor(received: (text: string) => void, onEnd: () => void) {
    this.#received = received;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    this.#resolve = resolve;
    this.texts = this.#read();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends a frame to the client. */
  push(text: string): void {
    this.#frames.push(text);
    this.#wake();
  }

  send(text: string): boolean {
    if (this.#hasEnded) return false;
    this.#received(text);
    return true;
  }

  close(): void {
    this.#onEnd();
    this.#end({ kind: 'closed', code: 1000 }, 'close code 1000');
  }

  drop(why: string): void {
    this.#onEnd();
    this.#end({ kind: 'lost' }, why);
  }

  /** Closes the connection from the server side. */
  closeWith(code: number): void {
    this.#end({ kind: 'closed', code }, `close code ${code}`);
  }

  refuse(status: number): void {
    this.#end({ kind: 'refused', status, retryAfterSeconds: null }, `received HTTP ${status} instead of the stream`);
  }

  #end(ending: StreamEnding, why: string): void {
    this.#hasEnded = true;
    this.#resolve({ ending, why });
    this.#wake();
  }

  async *#read(): AsyncGenerator<readonly string[], void, undefined> {
    for (;;) {
      const texts = this.#frames.splice(0);
      if (texts.length > 0) yield texts;
      else if (this.#hasEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
