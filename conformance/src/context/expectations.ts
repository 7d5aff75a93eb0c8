import type { Exchange } from './http/http-client.ts';
import { apiAreaOf, requirementOfOperation } from './http/operations.ts';
import { isObject, type JsonObject } from './json.ts';

/** The server violated the specification. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly exchange: Exchange | undefined;
  /** The id of the violated requirement; if undefined, the one that the check was testing. */
  requirement: string | undefined;
  /** Equal for violations with the same cause. Only the first one is reported; for the others, nothing is judged. */
  readonly symptom: string | undefined;

  constructor(
    message: string,
    exchange?: Exchange,
    { requirement, symptom }: { readonly requirement?: string | undefined; readonly symptom?: string } = {},
  ) {
    super(message);
    this.exchange = exchange;
    this.requirement = requirement;
    this.symptom = symptom;
  }
}

/** The server was busy or did not answer. This is not a violation, but nothing can be judged. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError';
  readonly exchange: Exchange;

  constructor(message: string, exchange: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** A precondition that the server is not responsible for is missing; the message names it. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

/** The run lacks an option that few servers support. The run still counts as complete. */
export class NotJudgedError extends Error {
  override readonly name = 'NotJudgedError';
  /** The id of another requirement that must pass before this one can be judged, if any. */
  readonly because: string | undefined;

  constructor(message: string, because?: string) {
    super(message);
    this.because = because;
  }
}

/** The run reached a limit of its budget; the plan should have prevented this. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
}

export function expect(condition: boolean, message: string, exchange?: Exchange): asserts condition {
  if (!condition) throw new Violation(message, exchange);
}

expect.status = (exchange: Exchange, status: number): Exchange => {
  if (exchange.status === status) return exchange;
  throw toStatus(exchange, status);
};

/** For operations that a check does not test itself: if one fails, the requirement of that operation fails. */
expect.works = (exchange: Exchange, status = 200): Exchange => {
  if (exchange.status === status) return exchange;
  throw toStatus(exchange, status, requirementOfOperation(exchange.request));
};

function toStatus(exchange: Exchange, status: number | string, requirement?: string): Violation {
  const { request, status: actual } = exchange;
  const message = `${request.method} ${request.path}: ${actual} instead of ${status}`;
  // All redirects violate the same requirement: no operation may require a client to follow one.
  const isRedirect = actual >= 300 && actual < 400;
  // If the server refuses a valid token, all operations fail; this is reported only once.
  const isTokenLost = actual === 401 && Number(status) < 300 && request.headers['authorization'] !== undefined;
  return new Violation(message, exchange, {
    requirement: isRedirect ? 'AP-TRANSPORT-008' : requirement,
    ...(isTokenLost ? { symptom: 'a valid token is refused with 401' } : {}),
  });
}

expect.success = (exchange: Exchange): Exchange => {
  if (exchange.status >= 200 && exchange.status < 300) return exchange;
  throw toStatus(exchange, '2xx');
};

expect.object = (exchange: Exchange): JsonObject => {
  if (isObject(exchange.json)) return exchange.json;
  throw toOperation('the body is not a JSON object', exchange);
};

expect.container = (exchange: Exchange, name: string, status?: number): JsonObject => {
  if (status !== undefined) expect.status(exchange, status);
  const record = expect.object(exchange)[name];
  if (isObject(record)) return record;
  throw toOperation(`the body has no object "${name}"`, exchange);
};

// Blames the requirement of the operation instead of the tested one, because all its answers have this fault.
function toOperation(message: string, exchange: Exchange): Violation {
  return new Violation(message, exchange, { requirement: requirementOfOperation(exchange.request) });
}

expect.bot = (exchange: Exchange, status = 200): JsonObject => expect.container(exchange, 'bot', status);

expect.code = (exchange: Exchange): string => {
  const code = errorCodeOf(exchange);
  if (code !== undefined && code !== '') return code;
  throw new Violation('the body is not {error: {code, message}}', exchange, { requirement: 'AP-ERR-001' });
};

// The requirements that all refusals with this status must meet.
const refusalsOfStatus: Readonly<Record<number, string>> = { 400: 'AP-ERR-002', 401: 'AP-ERR-004' };

expect.refusal = (exchange: Exchange, status: number, ...codes: readonly string[]): void => {
  const { status: actual } = exchange;
  // A success status with an error in the body is probably a refusal with a wrong status.
  if (actual < 400)
    throw errorCodeOf(exchange) === undefined
      ? toStatus(exchange, status)
      : toRefusal(exchange, `${status}`, undefined, status);
  if (actual !== status) throw toRefusal(exchange, `${status} ${codes.join(' or ')}`, refusalsOfStatus[status], status);
  const code = expect.code(exchange);
  // A malformed-request code other than the expected ones violates the tested requirement.
  const isMalformed = status === 400 && malformedCodes.includes(code);
  if (!codes.includes(code))
    throw toRefusal(exchange, codes.join(' or '), isMalformed ? undefined : refusalsOfStatus[status], status);
};

// Equal wrong refusals in one area of the API share a symptom, so that the fault is reported only once.
function toRefusal(exchange: Exchange, wanted: string, requirement?: string, status?: number): Violation {
  const { request, status: actual } = exchange;
  const seen = `${actual} ${errorCodeOf(exchange)}`;
  const symptom = `${apiAreaOf(request)}: ${seen} instead of ${status}`;
  return new Violation(`${request.method} ${request.path}: ${seen} instead of ${wanted}`, exchange, {
    requirement,
    symptom,
  });
}

expect.unauthorized = (exchange: Exchange): void => expect.refusal(exchange, 401, 'unauthorized');

expect.notFound = (exchange: Exchange): void => expect.refusal(exchange, 404, 'not_found');

/** Expects 400 with any of the codes for malformed requests, or with one of `others`. */
expect.malformed = (exchange: Exchange, ...others: readonly string[]): void =>
  expect.refusal(exchange, 400, ...malformedCodes, ...others);

/** Expects any 4xx status with one of these codes; if no codes are given, any body is accepted. */
expect.refused = (exchange: Exchange, ...codes: readonly string[]): void => {
  if (exchange.status < 400 || exchange.status > 499) throw toStatus(exchange, 'a refusal');
  if (codes.length === 0 || codes.includes(expect.code(exchange))) return;
  throw toRefusal(exchange, codes.join(' or '));
};

/** The codes that the specification defines for malformed requests. */
export const malformedCodes = [
  ...['invalid_input', 'invalid_fields', 'invalid_file', 'invalid_envelope', 'invalid_pagination', 'invalid_search'],
  ...['invalid_kind', 'invalid_id', 'invalid_text', 'invalid_title', 'invalid_visibility', 'invalid_field'],
  'unknown_fields',
];

export function errorCodeOf(exchange: Exchange): string | undefined {
  if (!isObject(exchange.json) || !isObject(exchange.json['error'])) return undefined;
  const { code } = exchange.json['error'] as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

expect.member = (holder: JsonObject, name: string, value: unknown, exchange: Exchange): void => {
  const actual = holder[name];
  expect(actual === value, `"${name}" is ${show(actual)} instead of ${show(value)}`, exchange);
};

expect.members = (holder: JsonObject, values: object, exchange: Exchange): void => {
  for (const [name, value] of Object.entries(values)) expect.member(holder, name, value, exchange);
};

expect.text = (holder: JsonObject, name: string, max: number, exchange: Exchange): void => {
  const actual = holder[name];
  expect(typeof actual === 'string', `"${name}" is ${show(actual)} and not a string`, exchange);
  expect([...actual].length <= max, `"${name}" has more than ${max} characters`, exchange);
};

expect.integer = (holder: JsonObject, name: string, exchange: Exchange): number => {
  const value = holder[name];
  expect(typeof value === 'number' && Number.isSafeInteger(value), `"${name}" is not an integer`, exchange);
  return value;
};

expect.id = (record: JsonObject, exchange: Exchange): string => {
  const { id } = record as { readonly id?: unknown };
  expect(isUuid(id), '"id" is not a UUID', exchange);
  return id;
};

/** Returns the longest top-level array of objects, because the specification does not name the member of a list. */
expect.list = (exchange: Exchange): readonly JsonObject[] => {
  const { json } = exchange;
  const lists = (Array.isArray(json) ? [json] : isObject(json) ? Object.values(json) : [])
    .filter((value): value is unknown[] => Array.isArray(value))
    .filter((list) => list.every(isObject));
  const [list] = lists.toSorted((one, other) => other.length - one.length);
  if (list === undefined) throw toOperation('the body contains no list of records', exchange);
  return list.filter(isObject);
};

/** Finds a record with this id at any depth of an answer. */
export function findRecord(json: unknown, id: string): JsonObject | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (isObject(json) && isSameId(json['id'], id)) return json;
  for (const member of Object.values(json)) {
    const found = findRecord(member, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

expect.record = (exchange: Exchange, id: string, what: string): JsonObject => {
  const found = findRecord(exchange.json, id);
  expect(found !== undefined, `${what} (${id}) is missing`, exchange);
  return found;
};

expect.noRecord = (exchange: Exchange, id: string, what: string): void => {
  expect(findRecord(exchange.json, id) === undefined, `${what} (${id}) is present`, exchange);
};

export function idsInList(exchange: Exchange): readonly unknown[] {
  return expect.list(exchange).map(({ id }) => id);
}

/** Expects a list to contain these ids in this order, possibly with others between them. */
expect.inOrder = (exchange: Exchange, ids: readonly string[], what: string): void => {
  const listed = idsInList(exchange);
  const places = ids.map((id) => listed.findIndex((one) => isSameId(one, id)));
  expect(!places.includes(-1), `${what} that was just created is not in the list`, exchange);
  const isAscending = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
  expect(isAscending, 'the list is not in the specified order', exchange);
};

/** Ignores letter case, because the specification does not define the case of ids. */
export function isSameId(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidForm.test(value);
}

const timestampForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;

export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.')));
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
