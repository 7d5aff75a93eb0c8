import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Bot, currentTimeOf, type ServerState } from './world.ts';

const statuses: Readonly<Record<number, readonly string[]>> = {
  401: ['unauthorized'],
  403: [
    'friendship_required',
    'forbidden',
    'counterparty_required',
    'contact_not_accepted',
    'rights_required',
    'inactive_bot',
  ],
  404: ['not_found', 'invalid_attachment'],
  405: ['wrong_method'],
  409: [
    'version_conflict',
    'price_changed',
    'state_conflict',
    'insufficient_funds',
    'idempotency_conflict',
    'attachment_already_bound',
    'upload_unavailable',
    'nonce_reuse',
    'immutable_attachments',
    'handle_unavailable',
    'contact_blocked',
    'recipient_required',
    'self_contact',
  ],
  410: ['message_expired'],
  412: ['key_changed', 'deadline_passed', 'refund_not_proposed', 'refund_proposal_exists'],
  413: ['too_large'],
  415: ['wrong_media_type'],
  422: ['publication_rights_required', 'encrypted_envelope_required', 'unsupported_encryption', 'invalid_invitation'],
  429: [
    'write_limited',
    'registration_limited',
    'rate_limited',
    'upload_busy',
    'storage_quota_exceeded',
    'storage_record_limit',
  ],
};

const statusOf = (code: string) =>
  Number(Object.entries(statuses).find(([, codes]) => codes.includes(code))?.[0] ?? 400);

export class Refusal extends Error {
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(code: string, headers: Readonly<Record<string, string>> = {}) {
    super(`Denied: ${code.replaceAll('_', ' ')}.`);
    this.code = code;
    this.headers = headers;
    this.status = statusOf(code);
  }
}

export type RequestBody = Readonly<Record<string, unknown>>;

export interface HandlerContext {
  readonly world: ServerState;
  readonly request: IncomingMessage;
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly bot: Bot;
  readonly token: string;
  readonly body: RequestBody;
}

export type JsonAnswer = [status: number, body: unknown];

/** Reads the bytes of a body; throws the refusal `too_large` if there are more than `most`. */
export async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw new Refusal('too_large', { Connection: 'close' });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most) throw new Refusal('too_large', { Connection: 'close' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readJson(request: IncomingMessage): Promise<RequestBody> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal('wrong_media_type', { Connection: 'close' });
  const bytes = await readBytes(request, 65_536);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RequestBody;
  } catch {}
  throw new Refusal('invalid_input');
}

/** Answers with JSON; the unusual case of the header names is intended. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'CONTENT-TYPE': 'Application/JSON; Charset="UTF-8"',
    'content-LENGTH': String(text.length),
    'x-Served-By': 'maps',
    ...headers,
  });
  response.end(text);
}

/** Counts a request of `subject`. Throws a refusal if it has already sent `most` requests in the last `seconds`. */
export function enforceRateLimit(
  world: ServerState,
  subject: string,
  most: number,
  seconds: number,
  code: string,
): void {
  const now = currentTimeOf(world);
  const recent = (world.moments.get(subject) ?? []).filter((moment) => moment > now - seconds * 1000);
  const first = recent[0];
  if (first !== undefined && recent.length >= most)
    throw new Refusal(code, { 'Retry-After': String(Math.ceil((first + seconds * 1000 - now) / 1000)) });
  world.moments.set(subject, [...recent, now]);
}
