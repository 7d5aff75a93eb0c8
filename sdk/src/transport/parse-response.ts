import { type ClientEndpoint, isErrorCode } from '@agent-platform/contract/client';
import { ApiError, ConnectionError, type ErrorDetail } from '../errors.ts';
import { isRecord, parseJson } from '../json.ts';
import type { ResponseMetadata } from './api-promise.ts';
import type { ResponseHeaders } from './http/response-headers.ts';
import type { ReadableBody } from './read-body.ts';
import { mayRetryLater } from './retry.ts';
import { parseRetryAfter } from './retry-after.ts';

const messageMaxLength = 2_000;
const detailsMax = 100;

/** `bytes` is undefined if the body was too long to read. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly bytes: Uint8Array | undefined;
  /** The unread body of a response with a file. */
  readonly body?: ReadableBody;
}

type ParsedResponse =
  | { readonly kind: 'data'; readonly data: unknown; readonly response: ResponseMetadata }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'unreadable'; readonly error: ConnectionError };

class Metadata implements ResponseMetadata {
  readonly status: number;
  readonly requestId: string | null;
  readonly #headers: ResponseHeaders;

  constructor(status: number, headers: ResponseHeaders, requestId: string | null) {
    this.status = status;
    this.#headers = headers;
    this.requestId = requestId;
  }

  get headers(): Headers {
    return this.#headers.all;
  }
}

/** Whether the data of a success response has the members that the caller needs. */
export type ResponseCheck = (data: unknown, status: number) => boolean;

interface ParseOptions {
  readonly accepts: ResponseCheck;
  readonly nowMs: number;
  /** Replaces known secrets in a text. */
  readonly hide: (text: string) => string;
}

export function getRequestId(headers: ResponseHeaders, hide: ParseOptions['hide']): string | null {
  const requestId = headers.get('request-id');
  return requestId === null ? null : hide(requestId);
}

/** Never throws: a proxy may have sent the response, so it may be HTML or empty. */
export function parseResponse(operation: ClientEndpoint, response: RawResponse, reader: ParseOptions): ParsedResponse {
  const { status, headers } = response;
  const { accepts } = reader;
  const metadata = new Metadata(status, headers, getRequestId(headers, reader.hide));
  if (response.body !== undefined) return { kind: 'data', data: response.body, response: metadata };
  const data = decodeJson(response.bytes);
  const isDeclared = Object.hasOwn(operation.replies, status);
  if ((isDeclared || isSuccess(status)) && accepts(data, status)) {
    return { kind: 'data', data, response: metadata };
  }
  if (isSuccess(status)) {
    return { kind: 'unreadable', error: new ConnectionError('unreadable_answer', describeUnreadable(response)) };
  }
  return { kind: 'refused', error: toApiError(operation, response, data, reader) };
}

/**
 * The check covers only the required members of a reply and their JSON types, and no nested records: a server that
 * sends slightly more or less than this version expects must not break its clients.
 */
export function makeReplyCheck(operation: ClientEndpoint): ResponseCheck {
  return (data, status) => {
    if (!isRecord(data)) return false;
    const schema: unknown = operation.replies[status] ?? operation.replies[firstSuccess(operation)];
    if (!isRecord(schema) || !isRecord(schema['properties']) || !Array.isArray(schema['required'])) return true;
    const properties = schema['properties'];
    return schema['required'].every((name) => hasType(data[String(name)], properties[String(name)]));
  };
}

function hasType(value: unknown, schema: unknown): boolean {
  const type = isRecord(schema) ? schema['type'] : undefined;
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'string' || type === 'number' || type === 'boolean') return typeof value === type;
  return value !== undefined;
}

function firstSuccess(operation: ClientEndpoint): number {
  return Object.keys(operation.replies).map(Number).find(isSuccess) ?? 200;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decodeJson(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return parseJson(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

function toApiError(
  operation: ClientEndpoint,
  response: RawResponse,
  data: unknown,
  { nowMs, hide }: ParseOptions,
): ApiError {
  const { status, headers } = response;
  const error = isRecord(data) && isRecord(data['error']) ? data['error'] : {};
  const sentCode = typeof error['code'] === 'string' ? error['code'] : null;
  const code = sentCode !== null && isErrorCode(sentCode) ? sentCode : 'unknown';
  const serverCode = sentCode === null ? null : hide(sentCode).slice(0, messageMaxLength);
  const message = typeof error['message'] === 'string' ? hide(error['message']).slice(0, messageMaxLength) : '';
  return new ApiError({
    status,
    code,
    serverCode,
    message: message === '' ? `The server returned ${status}${serverCode === null ? '' : ` ${serverCode}`}.` : message,
    requestId: getRequestId(headers, hide),
    retryAfterSeconds: parseRetryAfter(headers, nowMs),
    details: readDetails(error['details'], hide),
    retryable: mayRetryLater(operation.repeat, status, code),
  });
}

function readDetails(details: unknown, hide: ParseOptions['hide']): ErrorDetail[] {
  if (!Array.isArray(details)) return [];
  return details.slice(0, detailsMax).flatMap((detail: unknown) => {
    if (!isRecord(detail)) return [];
    const { path, message } = detail;
    return typeof path === 'string' && typeof message === 'string'
      ? [{ path: hide(path), message: hide(message) }]
      : [];
  });
}

function describeUnreadable({ status, bytes }: RawResponse): string {
  const what = bytes === undefined ? 'a body over 4 MiB' : bytes.length === 0 ? 'no body' : 'an unexpected body';
  return `The server returned ${status} with ${what}. Check that this is the address of an Agent Platform server.`;
}
