import type { TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import type { BodyErrorCodes, Endpoint } from '../endpoint.ts';
import { type ErrorCode, isErrorCode } from '../error-codes.ts';
import { findNearestName } from '../nearest-name.ts';
import { StrictObject } from '../schemas.ts';
import { InvalidRequestError, type ValidationDetail } from './invalid-request.ts';
import { escapePointer, findTextFault, parseJsonBody } from './json-body.ts';

const detailsMax = 10;

/** Names of request members are cut to this length in a response. */
const pathShownMax = 200;

const noMembers = StrictObject({});

/** Validates path, query and body of a request, and throws with the error code of the invalid part. */
export type RequestValidator = ReturnType<typeof makeRequestValidator>;

/** Makes a validator for the requests of one operation. */
export function makeRequestValidator(operation: Endpoint) {
  const params = prepare(operation.params ?? noMembers);
  const query = prepare(operation.query ?? noMembers);
  const body = operation.body === undefined ? undefined : prepare(operation.body);
  const hasNumbers = body !== undefined && Object.values(body.schema.properties).some(isNumber);
  const refusal = operation.refusal ?? { invalid: 'invalid_input', unknownMember: 'invalid_input' };
  const paramsRefusal: BodyErrorCodes = { invalid: 'invalid_id', unknownMember: 'invalid_id' };
  const queryRefusal: BodyErrorCodes = { invalid: refusal.invalid, unknownMember: 'invalid_input' };
  return {
    params: (raw: Readonly<Record<string, string>>) =>
      check(params, lowerUuids(params.schema, { ...raw }), paramsRefusal),
    query: (search: string) => check(query, readQuery(search, query.schema), queryRefusal),
    body: (bytes: Uint8Array) => {
      if (body === undefined) return undefined;
      return check(body, lowerUuids(body.schema, parseJsonBody(bytes, hasNumbers)), refusal);
    },
  };
}

/** Makes a validator that applies the rules for requests to other values. `schema` describes an object. */
export function makeValueValidator(schema: { readonly type?: unknown }): (value: unknown) => unknown {
  const part = prepare(schema as TObject);
  return (value) => check(part, value, { invalid: 'invalid_input', unknownMember: 'invalid_input' });
}

function isNumber(schema: TSchema): boolean {
  return Reflect.get(schema, 'type') === 'integer';
}

interface Part {
  readonly schema: TObject;
  readonly validator: () => Validator;
}

// Compiled at the first request, so that a program starts without compiling all operations.
function prepare(schema: TObject): Part {
  let validator: Validator | undefined;
  return { schema, validator: () => (validator ??= Compile(schema)) };
}

function check(part: Part, value: unknown, refusal: BodyErrorCodes): unknown {
  const fault = findTextFault(value);
  if (fault !== undefined) throw refuseText(part.schema, fault, refusal);
  if (part.validator().Check(value)) return value;
  const faults = findFaults(part, value);
  // The nearest name is only computed for the faults that are reported.
  const details = faults
    .slice(0, detailsMax)
    .map((found) => ({ path: found.path, message: describeFault(part, found) }));
  throw refuse(chooseCode(part.schema, faults, refusal), details);
}

interface Fault extends ValidationDetail {
  readonly kind: 'unknown' | 'missing' | 'wrong';
}

function chooseCode(schema: TObject, faults: readonly Fault[], refusal: BodyErrorCodes): ErrorCode {
  const { invalid, unknownMember, missingMember, forbiddenMembers } = refusal;
  const isForbidden = ({ kind, path }: Fault) => kind === 'unknown' && forbiddenMembers?.names.includes(path.slice(1));
  if (forbiddenMembers !== undefined && faults.some(isForbidden)) return forbiddenMembers.code;
  if (missingMember !== undefined && faults.some(({ kind }) => kind === 'missing')) return missingMember;
  const first = faults[0];
  if (first === undefined) return invalid;
  return first.kind === 'unknown' ? unknownMember : (codeOf(schema, first.path) ?? invalid);
}

// Finds one fault per path. Unknown members come first, because a misspelled member explains the missing one.
function findFaults(part: Part, value: unknown): Fault[] {
  const faults = new Map<string, Fault>();
  const add = (path: string, message: string, kind: Fault['kind']) => {
    if (!faults.has(path)) faults.set(path, { path, message, kind });
  };
  const addUnknown = (place: string, name: string) =>
    add(`${place}/${escapePointer(name)}`, 'is unknown; remove it', 'unknown');
  // The validator stops after a few errors, so this code finds all unknown top-level members.
  const names = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const isStrict = Reflect.get(part.schema, 'additionalProperties') === false;
  for (const name of isStrict ? names : []) if (!Object.hasOwn(part.schema.properties, name)) addUnknown('', name);
  const [, errors] = part.validator().Errors(value);
  for (const error of errors) {
    if (error.keyword === 'additionalProperties') {
      for (const name of error.params.additionalProperties) addUnknown(error.instancePath, name);
    } else if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) {
        add(`${error.instancePath}/${escapePointer(name)}`, 'is required', 'missing');
      }
    } else if (error.keyword !== 'boolean') {
      const message =
        error.keyword === 'enum' ? `must be one of ${error.params.allowedValues.join(', ')}` : error.message;
      add(error.instancePath, formOf(part.schema, error.instancePath) ?? message, 'wrong');
    }
  }
  const rank = ({ kind }: Fault) => Number(kind !== 'unknown');
  return [...faults.values()].sort((one, other) => rank(one) - rank(other));
}

function describeFault({ schema }: Part, { kind, path, message }: Fault): string {
  const nearest = kind === 'unknown' ? findNearestName(path.slice(1), Object.keys(schema.properties)) : undefined;
  return nearest === undefined ? message : `is unknown; did you mean "${nearest}"? Otherwise remove it`;
}

// Describes the required form in words, which are easier to understand than a pattern.
function formOf(schema: TObject, path: string): string | undefined {
  const form = findOnMember(schema, path, (member) => Reflect.get(member, 'x-form'));
  return typeof form === 'string' ? `must be ${form}` : undefined;
}

function refuseText(schema: TObject, fault: ValidationDetail, refusal: BodyErrorCodes): InvalidRequestError {
  const name = fault.path.split('/')[1] ?? '';
  const isKnown = fault.path === '' || Object.hasOwn(schema.properties, name);
  const code = chooseCode(schema, [{ ...fault, kind: isKnown ? 'wrong' : 'unknown' }], refusal);
  return refuse(code, [fault]);
}

function refuse(code: ErrorCode, found: readonly ValidationDetail[]): InvalidRequestError {
  // Cuts long names; otherwise the response would repeat a name of 60 KB several times.
  const details = found.map(({ path, message }) => ({ path: cutPath(path), message }));
  return new InvalidRequestError(code, describe(details), details);
}

function cutPath(path: string): string {
  return path.length <= pathShownMax ? path : `${path.slice(0, pathShownMax).toWellFormed()}…`;
}

function describe(details: readonly ValidationDetail[]): string {
  const [first] = details;
  if (first === undefined) return 'The request is malformed.';
  const more = details.length === 1 ? '' : ` (and ${details.length - 1} more, see details)`;
  return `${formatValidationDetail(first, 'The body')}${more}.`;
}

/** Formats a fault as the start of a sentence; `whole` names the value if the fault concerns no member. */
export function formatValidationDetail({ path, message }: ValidationDetail, whole: string): string {
  return `${path === '' ? whole : path.slice(1).replaceAll('/', '.')} ${message}`;
}

// The schema of a top-level member determines the error code of the whole member.
function codeOf(schema: TObject, path: string): ErrorCode | undefined {
  const code = findOnMember(schema, path, (member) => Reflect.get(member, 'x-refusal'));
  return typeof code === 'string' && isErrorCode(code) ? code : undefined;
}

function findOnMember(schema: TObject, path: string, read: (member: TSchema) => unknown): unknown {
  const name = path.split('/')[1];
  const member = name !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  return member === undefined ? undefined : findOnBranches(member, read);
}

function findOnBranches(schema: TSchema, read: (member: TSchema) => unknown): unknown {
  const own = read(schema);
  if (own !== undefined) return own;
  const branches: unknown = Reflect.get(schema, 'anyOf');
  if (!Array.isArray(branches)) return undefined;
  return branches.map((branch: TSchema) => findOnBranches(branch, read)).find((found) => found !== undefined);
}

// Upper and lower case in a UUID mean the same id (§1.24), so all are converted to lower case before comparisons: in
// paths, queries and body members.
function lowerUuids(schema: TSchema, value: unknown): unknown {
  if (typeof value === 'string') return isUuid(schema) ? value.toLowerCase() : value;
  const items: unknown = Reflect.get(schema, 'items');
  if (Array.isArray(value)) {
    const seen = cutList(schema, value);
    return isSchema(items) ? seen.map((item) => lowerUuids(items, item)) : seen;
  }
  const properties: unknown = Reflect.get(schema, 'properties');
  if (value === null || typeof value !== 'object' || !isSchema(properties)) return value;
  for (const [name, member] of Object.entries(value)) {
    const inner: unknown = Object.hasOwn(properties, name) ? Reflect.get(properties, name) : undefined;
    if (isSchema(inner)) Reflect.set(value, name, lowerUuids(inner, member));
  }
  return value;
}

// Keeps one surplus item, which is enough to refuse the list: comparing thousands of items would take seconds.
function cutList(schema: TSchema, list: readonly unknown[]): readonly unknown[] {
  const most: unknown = Reflect.get(schema, 'maxItems');
  return typeof most === 'number' ? list.slice(0, most + 1) : list;
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null;
}

function isUuid(schema: TSchema): boolean {
  return findOnBranches(schema, (member) => Reflect.get(member, 'format')) === 'uuid';
}

/** Reads a query string. A parameter that is unknown or occurs twice is refused; numbers must be plain digits. */
function readQuery(search: string, schema: TObject): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const [name, text] = decodePair(pair);
    const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (member === undefined) {
      throw refuse('invalid_input', [
        { path: `/${name}`, message: 'is not a query parameter of this path; remove it' },
      ]);
    }
    if (Object.hasOwn(values, name)) {
      throw refuse(codeOf(schema, `/${name}`) ?? 'invalid_input', [
        { path: `/${name}`, message: 'occurs more than once in the query; send it once' },
      ]);
    }
    values[name] = convert(text, member);
  }
  return withDefaults(values, schema);
}

function decodePair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  const name = at === -1 ? pair : pair.slice(0, at);
  const text = at === -1 ? '' : pair.slice(at + 1);
  try {
    return [decodeURIComponent(name.replaceAll('+', ' ')), decodeURIComponent(text.replaceAll('+', ' '))];
  } catch {
    throw new InvalidRequestError('invalid_input', 'The query is not valid percent-encoded UTF-8. Encode it again.');
  }
}

function convert(text: string, schema: TSchema): unknown {
  const type: unknown = Reflect.get(schema, 'type');
  if (type === 'integer') return isInteger(text, Reflect.get(schema, 'format')) ? Number(text) : text;
  return isUuid(schema) ? text.toLowerCase() : text;
}

// A 64-bit bound is accepted; above 2^53 it is rounded, which does not matter because no entry number is that large.
function isInteger(text: string, format: unknown): boolean {
  if (format === 'int64') return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return /^-?\d{1,16}$/.test(text);
}

function withDefaults(values: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  for (const [name, member] of Object.entries(schema.properties)) {
    const fallback: unknown = Reflect.get(member, 'default');
    if (fallback !== undefined && !Object.hasOwn(values, name)) values[name] = fallback;
  }
  return values;
}
