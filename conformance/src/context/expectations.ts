import type { Exchange } from './http/http-client.ts';
import { isObject, type JsonObject } from './json.ts';

/** The server did something that the specification does not allow. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly exchange: Exchange | undefined;

  constructor(message: string, exchange?: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** A precondition is missing that is not the server's responsibility; the message names it. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The suite hit a limit that its plan should have avoided. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Throws a violation unless the condition holds. */
export function expect(condition: boolean, message: string, exchange?: Exchange): asserts condition {
  if (!condition) throw new Violation(message, exchange);
}

/** Expects a status, and returns the exchange. */
export function expectStatus(exchange: Exchange, status: number): Exchange {
  const { method, path } = exchange.request;
  expect(exchange.status === status, `${method} ${path}: ${exchange.status} instead of ${status}`, exchange);
  return exchange;
}

/** Expects success with any status of 2xx. */
export function expectSuccess(exchange: Exchange): Exchange {
  expect(exchange.status >= 200 && exchange.status < 300, `the status is ${exchange.status}`, exchange);
  return exchange;
}

/** Expects a JSON object as the body. */
export function expectObject(exchange: Exchange): JsonObject {
  expect(isObject(exchange.json), 'the body is not a JSON object', exchange);
  return exchange.json;
}

/** Expects an object under a name in the body, with this status where one is given. */
export function expectContainer(exchange: Exchange, name: string, status?: number): JsonObject {
  if (status !== undefined) expectStatus(exchange, status);
  const record = expectObject(exchange)[name];
  expect(isObject(record), `the body has no object "${name}"`, exchange);
  return record;
}

/** Expects `{bot: {…}}` and returns the bot. */
export function expectBot(exchange: Exchange, status = 200): JsonObject {
  return expectContainer(exchange, 'bot', status);
}

/** Expects `{error: {code}}` and returns the code. */
export function expectCode(exchange: Exchange): string {
  const { code } = expectContainer(exchange, 'error');
  expect(typeof code === 'string' && code !== '', 'error.code is not a text', exchange);
  return code;
}

/** Expects a refusal with this status and one of these codes. */
export function expectRefusal(exchange: Exchange, status: number, ...codes: readonly string[]): void {
  const code = expectCode(expectStatus(exchange, status));
  expect(codes.includes(code), `the code is "${code}" instead of ${codes.map((c) => `"${c}"`).join(' or ')}`, exchange);
}

/** Expects 401 unauthorized. */
export function expectUnauthorized(exchange: Exchange): void {
  expectRefusal(exchange, 401, 'unauthorized');
}

/** Expects 404 not_found. */
export function expectNotFound(exchange: Exchange): void {
  expectRefusal(exchange, 404, 'not_found');
}

/** Expects 400 and any code of a malformed request, or one of these. */
export function expectMalformed(exchange: Exchange, ...others: readonly string[]): void {
  expectRefusal(exchange, 400, ...malformedCodes, ...others);
}

/** Expects any status of 4xx, with one of these codes; without codes, any body. */
export function expectRefused(exchange: Exchange, ...codes: readonly string[]): void {
  const { request, status } = exchange;
  const isRefusal = status >= 400 && status < 500;
  expect(isRefusal, `${request.method} ${request.path} was answered ${status} and not refused`, exchange);
  if (codes.length > 0) expectRefusal(exchange, status, ...codes);
}

/** The codes that the specification gives to malformed requests. */
export const malformedCodes = [
  ...['invalid_input', 'invalid_fields', 'invalid_file', 'invalid_envelope', 'invalid_pagination', 'invalid_search'],
  ...['invalid_kind', 'invalid_id', 'invalid_text', 'invalid_title', 'invalid_visibility', 'invalid_field'],
  'unknown_fields',
];

/** The code of a refusal; undefined if the exchange is none. */
export function codeOf(exchange: Exchange): string | undefined {
  if (!isObject(exchange.json) || !isObject(exchange.json['error'])) return undefined;
  const { code } = exchange.json['error'] as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Expects exactly this value of a member. */
export function expectMember(holder: JsonObject, name: string, value: unknown, exchange: Exchange): void {
  const actual = holder[name];
  expect(actual === value, `"${name}" is ${show(actual)} instead of ${show(value)}`, exchange);
}

/** Expects exactly these values of several members. */
export function expectMembers(holder: JsonObject, values: object, exchange: Exchange): void {
  for (const [name, value] of Object.entries(values)) expectMember(holder, name, value, exchange);
}

/** Expects a text of at most `max` characters. */
export function expectText(holder: JsonObject, name: string, max: number, exchange: Exchange): void {
  const actual = holder[name];
  expect(typeof actual === 'string', `"${name}" is ${show(actual)} and not a text`, exchange);
  expect([...actual].length <= max, `"${name}" has more than ${max} characters`, exchange);
}

/** Expects an integer and returns it. */
export function expectInteger(holder: JsonObject, name: string, exchange: Exchange): number {
  const value = holder[name];
  expect(typeof value === 'number' && Number.isSafeInteger(value), `"${name}" is not an integer`, exchange);
  return value;
}

/** Expects a UUID as the id of a record and returns it. */
export function expectId(record: JsonObject, exchange: Exchange): string {
  const { id } = record as { readonly id?: unknown };
  expect(isUuid(id), '"id" is not a UUID', exchange);
  return id;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value is a UUID in its canonical form. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidForm.test(value);
}

const timestampForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;

/** Whether a value is an ISO 8601 date with a time. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.')));
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
