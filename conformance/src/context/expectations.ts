import type { Exchange } from './http/http-client.ts';
import { isObject, type JsonObject } from './json.ts';

/** The server did something else than the specification says. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly exchange: Exchange | undefined;

  constructor(message: string, exchange?: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** A check could not be made for want of something that is not the server's fault; the message says what. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The suite asked more than it may: a limit was hit that the plan should have kept clear of. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Holds when the condition does; otherwise the server deviates. */
export function expect(condition: boolean, message: string, exchange?: Exchange): asserts condition {
  if (!condition) throw new Violation(message, exchange);
}

/** Demands one status. */
export function expectStatus(exchange: Exchange, status: number): void {
  const { request } = exchange;
  expect(
    exchange.status === status,
    `${request.method} ${request.path}: ${exchange.status} instead of ${status}`,
    exchange,
  );
}

/** Demands a JSON object as the body. */
export function expectObject(exchange: Exchange): JsonObject {
  expect(isObject(exchange.json), 'the body is not a JSON object', exchange);
  return exchange.json;
}

/** Demands `{bot: {…}}` and returns the bot. */
export function expectBot(exchange: Exchange): JsonObject {
  const { bot } = expectObject(exchange) as { readonly bot?: unknown };
  expect(isObject(bot), 'the body has no object "bot"', exchange);
  return bot;
}

/** Demands `{error: {code}}` with a code of text and returns the code. */
export function expectCode(exchange: Exchange): string {
  const { error } = expectObject(exchange) as { readonly error?: unknown };
  expect(isObject(error), 'the body has no object "error"', exchange);
  const { code } = error;
  expect(typeof code === 'string' && code !== '', 'error.code is not a text', exchange);
  return code;
}

/** Demands a refusal with this status and one of these codes. */
export function expectRefusal(exchange: Exchange, status: number, ...codes: readonly string[]): void {
  expectStatus(exchange, status);
  const code = expectCode(exchange);
  expect(codes.includes(code), `the code is "${code}" instead of ${codes.map((c) => `"${c}"`).join(' or ')}`, exchange);
}

/** Demands a refusal whose status is not stated, with one of these codes; with any, where none is named. */
export function expectRefused(exchange: Exchange, ...codes: readonly string[]): void {
  const { request, status } = exchange;
  const isRefusal = status >= 400 && status < 500;
  expect(isRefusal, `${request.method} ${request.path} was answered ${status} and not refused`, exchange);
  if (codes.length > 0) expectRefusal(exchange, status, ...codes);
}

/** The code of a refusal, where the answer is one. */
export function codeOf(exchange: Exchange): string | undefined {
  if (!isObject(exchange.json) || !isObject(exchange.json['error'])) return undefined;
  const { code } = exchange.json['error'] as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Demands that a member has exactly this value. */
export function expectMember(holder: JsonObject, name: string, value: unknown, exchange: Exchange): void {
  const seen = holder[name];
  expect(seen === value, `"${name}" is ${show(seen)} instead of ${show(value)}`, exchange);
}

/** Demands a text of at most so many characters. */
export function expectText(holder: JsonObject, name: string, max: number, exchange: Exchange): void {
  const seen = holder[name];
  expect(typeof seen === 'string', `"${name}" is ${show(seen)} and not a text`, exchange);
  expect([...seen].length <= max, `"${name}" has more than ${max} characters`, exchange);
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tells a UUID in its usual form. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidForm.test(value);
}

const timestampForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;

/** Tells a date with a time in ISO 8601. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.')));
}

/** Tells what kind of body an answer says it has. */
export function isJsonAnswer(exchange: Exchange): boolean {
  return /^application\/json\s*(;|$)/i.test(exchange.headers['content-type'] ?? '');
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
