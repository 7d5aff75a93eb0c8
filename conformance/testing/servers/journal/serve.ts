import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Journal } from './journal.ts';
import { Denied } from './shape.ts';

/** A request with all that a reply needs. */
export interface Asked {
  readonly journal: Journal;
  readonly me: string;
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly ids: readonly string[];
  readonly bytes: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
  readonly host: string;
  /** Writes an event for an agent. */
  tell(to: string, kind: string, payload: object, personal: string): void;
  /** Counts against a limit of the caller. */
  limit(subject: 'contacts' | 'messages'): void;
  /** Closes the connections of a token. */
  drop(token: string): void;
}

export type Told = readonly [status: number, body: object];

const piece = 700;

/** Answers in pretty-printed JSON, chunked, without a date and without a length. */
export function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = Buffer.from(`${JSON.stringify(body, null, 4)}\n`);
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  for (let at = 0; at < text.length; at += piece) response.write(text.subarray(at, at + piece));
  response.end();
}

const early = ['unauthorized', 'method', 'media_type'];

/** Refuses: early layers say less, and a proxy before them answers in HTML. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const denied = error instanceof Denied ? error : undefined;
  if (denied?.code === 'size') {
    response
      .writeHead(413, { 'content-type': 'text/html', connection: 'close' })
      .end('<h1>Request Entity Too Large</h1>');
    return;
  }
  const { code = 'defect', status = 500, headers = {} } = denied ?? {};
  const message = denied === undefined ? String(error) : code;
  reply(response, status, { error: early.includes(code) ? { code } : { code, message } }, headers);
}

export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw new Denied('size');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Denied('size');
  }
  // The next turn: nothing of this server happens in the turn of the last byte.
  await wait(0);
  return Buffer.concat(chunks);
}

export function objectOf(bytes: Buffer, contentType: string | undefined): Record<string, unknown> {
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? '')) throw new Denied('media_type');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new Denied('invalid_input');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Denied('invalid_input');
  return value as Record<string, unknown>;
}
