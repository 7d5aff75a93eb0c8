import { setTimeout as wait } from 'node:timers/promises';
import { type FakeConnection, FakePlatform, servePlatform } from '@agent-platform/sdk/testing';
import { isObject, type JsonObject, parseJson } from '../context/json.ts';
import type { Trace, TracedFrame, TracedRequest } from './trace.ts';

type Stream = Awaited<ReturnType<FakeConnection['openStream']>>;

const slowMs = 15;

/** The server of a scenario, on a local port. It records everything that a program sends, and injects faults. */
export class WatchedPlatform {
  readonly trace: Trace = { requests: [], frames: [] };
  readonly fake = new FakePlatform();
  /** How many of the next event connections to refuse. */
  cuts = 0;
  /** How many times each event is sent on a connection. */
  copies = 1;
  /** How many milliseconds to wait before an answer is dropped. */
  lossDelayMs = 0;
  onAck: ((event: JsonObject) => void) | undefined;
  beforeRequest: ((request: TracedRequest) => Promise<void>) | undefined;
  #open = 0;

  async serve() {
    return await servePlatform({ fetch: this.#fetch, options: { openStream: this.#openStream } });
  }

  isConnected(): boolean {
    return this.#open > 0;
  }

  readonly #fetch = async (url: string | URL, init?: object): Promise<Response> => {
    const sent = new Request(url, init);
    const bytes = Buffer.from(await sent.arrayBuffer());
    const request = trace(sent, bytes.toString('utf8'));
    this.trace.requests.push(request);
    await wait(slowMs);
    await this.beforeRequest?.(request);
    try {
      const answer = await this.fake.fetch(url, { ...init, ...withoutInvitation(request) });
      request.answer = await answer.clone().text();
      request.headers = Object.fromEntries(answer.headers);
      request.status = answer.status;
      return answer;
    } catch (error) {
      // Waits after the operation, so that a client that retries early repeats a completed operation.
      await wait(this.lossDelayMs);
      throw error;
    }
  };

  readonly #openStream = async (options: Parameters<FakeConnection['openStream']>[0]): Promise<Stream> => {
    const { pathname, search } = options.url;
    this.#note(this.cuts > 0 ? 'refuse' : 'open', '', `${pathname}${search}`);
    this.cuts -= 1;
    if (this.cuts >= 0) throw new Error('The scenario refuses this connection.');
    const stream = await this.fake.options.openStream(options);
    this.#open += 1;
    stream.ended.then(() => {
      this.#open -= 1;
    });
    const received = new Map<unknown, JsonObject>();
    return {
      ended: stream.ended,
      texts: this.#watchTexts(stream, received),
      send: (text) => this.#receive(stream, received, text),
      close: () => stream.close(),
      drop: (why) => stream.drop(why),
    };
  };

  async *#watchTexts({ texts }: Stream, received: Map<unknown, JsonObject>) {
    for await (const together of texts)
      for (const text of together) {
        const event = parseJson(text);
        const isEvent = isObject(event) && event['type'] === 'event';
        if (isEvent) {
          received.set(event['event_id'], event);
          this.#note('event', String(event['event_id']));
        }
        yield Array.from({ length: isEvent ? this.copies : 1 }, () => text);
      }
  }

  #receive(stream: Stream, received: ReadonlyMap<unknown, JsonObject>, text: string): boolean {
    const frame = parseJson(text);
    const id = isObject(frame) && frame['type'] === 'ack' ? frame['event_id'] : undefined;
    const event = received.get(id);
    if (typeof id !== 'string') this.#note('invalid frame', text.slice(0, 100));
    else this.#note(event === undefined ? 'ack of nothing' : 'ack', id);
    const isSent = stream.send(text);
    if (event !== undefined) this.onAck?.(event);
    return isSent;
  }

  #note(did: TracedFrame['did'], eventId: string, url = ''): void {
    this.trace.frames.push({ at: Date.now(), did, eventId, url });
  }
}

function trace({ method, url, headers }: Request, body: string): TracedRequest {
  const { pathname: path, search: query } = new URL(url);
  const json = parseJson(body);
  return {
    at: Date.now(),
    method,
    path,
    query,
    body,
    json: isObject(json) ? json : {},
    token: /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1],
    contentType: headers.get('content-type') ?? undefined,
    status: 0,
    answer: '',
    headers: {},
  };
}

/** Removes the invitation code: the fake platform would refuse it, because it has no invitations. */
function withoutInvitation({ path, json: { invitation, ...registration } }: TracedRequest): { readonly body?: string } {
  const isInvited = path === '/api/v1/bots/register' && invitation !== undefined;
  return isInvited ? { body: JSON.stringify(registration) } : {};
}
