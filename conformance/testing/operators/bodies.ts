import type { Endpoint } from '@agent-platform/contract';
import { parseJsonObject, refusal, tokenOf, withJson } from '../faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';
import {
  changeMember,
  changeOperationRequests,
  countCodePoints,
  type GeneratedFault,
  makeFaultFactory,
} from './generated.ts';
import {
  type BodyMember,
  type ContractSchema,
  isCallOf,
  isSuccessful,
  type MemberChange,
  membersOf,
  testedOperations,
} from './places.ts';

/** Makes a fault in how a server accepts a member; undefined if the operator does not apply to the member's schema. */
type MakeFault = (member: BodyMember, operation: Endpoint) => (() => Fault) | undefined;

// The maximum length of encoded values is ignored, because shortened ones would be invalid.
const isEncoded = ({ schema: { pattern = '' } }: BodyMember) => pattern.includes('A-Za-z0-9+/');
const maxOf = (member: BodyMember) => (isEncoded(member) ? undefined : member.schema.maxLength);
const cutTo =
  (max: number): MemberChange =>
  (value) =>
    typeof value === 'string' ? [...value].slice(0, max).join('') : value;
const cutListTo =
  (max: number): MemberChange =>
  (value) =>
    Array.isArray(value) ? value.slice(0, max) : value;

/** Changes a member in requests before they reach the server. */
const takes =
  (isMeant: (member: BodyMember) => boolean, change: (member: BodyMember) => MemberChange): MakeFault =>
  (member, operation) => {
    if (!isMeant(member)) return undefined;
    return () => changeOperationRequests(operation, (request) => changeMember(request, member.path, change(member)));
  };

const refuses =
  (isMeant: (member: BodyMember) => boolean, isRefused: (value: unknown, member: BodyMember) => boolean): MakeFault =>
  (member, operation) => {
    if (!isMeant(member)) return undefined;
    const { refusal: codes } = operation;
    const refused = refusal(400, member.schema['x-refusal'] ?? codes?.invalid ?? 'invalid_input');
    return () =>
      changeOperationRequests(operation, (request) => (isRefused(sentIn(request, member), member) ? refused : request));
  };

const has = (name: keyof ContractSchema) => (member: BodyMember) => member.schema[name] !== undefined;
const isText = (member: BodyMember) => maxOf(member) !== undefined;
// In most members with a pattern, the pattern already refuses other characters.
const isFree = (member: BodyMember) =>
  isText(member) && (member.schema.pattern === undefined || member.path[0] === 'display_name');
const isWhole = ({ schema }: BodyMember) => schema.type === 'integer';
const isId = ({ schema }: BodyMember) => schema.format === 'uuid';
const isTruth = ({ schema }: BodyMember) => schema.type === 'boolean';
const isRequired = ({ isOptional }: BodyMember) => !isOptional;
const isDate = ({ schema }: BodyMember) => schema.format === 'date-time';
const hasMinimum = (member: BodyMember) => isFree(member) && (member.schema.minLength ?? 0) > 0;
const onlyIf =
  (isWrong: (value: unknown) => boolean, right: unknown): MemberChange =>
  (value) =>
    isWrong(value) ? right : value;

const lengths = 'a text has at most the specified number of characters';
const types = 'a value of the wrong type is refused with 400';
const stored = 'a value is stored as sent';

const operators: readonly (readonly [operator: string, violates: string, make: MakeFault])[] = [
  ['cuts the longest', lengths, takes(isText, (member) => cutTo(maxOf(member) ?? 0))],
  ['cuts a character of', stored, takes(isText, (member) => cutTo((maxOf(member) ?? 0) - 1))],
  [
    'accepts one character more for',
    lengths,
    takes(
      isText,
      (member) => (value) =>
        countCodePoints(value) === (maxOf(member) ?? 0) + 1 ? cutTo(maxOf(member) ?? 0)(value, {}) : value,
    ),
  ],
  ['refuses the longest', lengths, refuses(isText, (value, member) => countCodePoints(value) === maxOf(member))],
  [
    'counts the bytes of',
    lengths,
    refuses(isFree, (value, member) => typeof value === 'string' && Buffer.byteLength(value) > (maxOf(member) ?? 0)),
  ],
  ['accepts an empty text for', lengths, takes(hasMinimum, () => onlyIf((value) => value === '', 'a'))],
  [
    'lowers the case of',
    stored,
    takes(isText, () => (value) => (typeof value === 'string' ? value.toLowerCase() : value)),
  ],
  [
    'drops what is not ASCII from',
    stored,
    takes(isFree, () => (value) => (typeof value === 'string' ? value.replaceAll(/[^ -~\s]/g, '') || 'a' : value)),
  ],
  [
    'escapes',
    stored,
    takes(isFree, () => (value) => (typeof value === 'string' ? value.replaceAll('<', '&lt;') : value)),
  ],
  ['accepts a number for', types, takes(isFree, () => (value) => (typeof value === 'number' ? String(value) : value))],
  [
    'accepts a text for',
    types,
    takes(isWhole, () => (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
  ],
  ['accepts a boolean for', types, takes(isWhole, () => (value) => (typeof value === 'boolean' ? 1 : value))],
  [
    'accepts a fraction for',
    types,
    takes(
      isWhole,
      () => (value) => (typeof value === 'number' && !Number.isInteger(value) ? Math.round(value) : value),
    ),
  ],
  [
    'accepts words and numbers for',
    types,
    takes(
      isTruth,
      () => (value) =>
        typeof value === 'boolean' || value === null || value === undefined ? value : value !== 'false' && value !== 0,
    ),
  ],
  ['takes any id for', types, takesLast(isId, (value) => typeof value !== 'string' || !/^[0-9a-f-]{36}$/i.test(value))],
  ['needs no', 'a required member may not be missing', needsNo],
  [
    'accepts any word for',
    'a value is one of the specified values',
    takes(
      ({ schema }) => schema.enum !== undefined || typeof schema.const === 'string',
      ({ schema }) =>
        onlyIf((value) => ![schema.const, ...(schema.enum ?? [])].includes(value), schema.enum?.[0] ?? schema.const),
    ),
  ],
  [
    'accepts only the first word of',
    'each specified value is accepted',
    takes(has('enum'), ({ schema }) => onlyIf((value) => (schema.enum ?? []).includes(value), schema.enum?.[0])),
  ],
  [
    'cuts the longest list of',
    'a list has at most the specified number of items',
    takes(has('maxItems'), ({ schema }) => cutListTo(schema.maxItems ?? 0)),
  ],
  ['loses the last of', stored, takes(has('maxItems'), ({ schema }) => cutListTo((schema.maxItems ?? 0) - 1))],
  [
    'ignores',
    stored,
    takes(
      (member) => !isRequired(member),
      () => () => undefined,
    ),
  ],
  [
    'ignores the zone of',
    'a time is compared with its time zone taken into account',
    takes(isDate, () => (value) => (typeof value === 'string' ? value.replace(/[+-]\d\d:?\d\d$/, 'Z') : value)),
  ],
  [
    'needs no zone for',
    'a time has a time zone',
    takes(isDate, () => (value) => (typeof value === 'string' && /^[^Z+]*T[^Z+-]*$/.test(value) ? `${value}Z` : value)),
  ],
  ['needs no future for', 'a deadline is in the future', needsNoFuture],
];

const memberFaults = operators.flatMap(([operator, violates, make]) => {
  const named = makeFaultFactory(operator, violates);
  return testedOperations.flatMap((operation) =>
    membersOf(operation.body as ContractSchema | undefined).flatMap((member) => {
      const fault = make(member, operation);
      return fault === undefined ? [] : named(operation.id, member.path.join('.'), fault);
    }),
  );
});

const namedUnknown = makeFaultFactory('ignores unknown members of', 'a body has no unknown members');
const namedKept = makeFaultFactory('clears what an update leaves out:', 'an update changes the members that are sent');
const bodies = testedOperations.flatMap((operation) => {
  const members = membersOf(operation.body as ContractSchema | undefined);
  const names = members.map(({ path: [name = ''] }) => name);
  if (operation.body === undefined) return [];
  const known = (body: object) => Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
  const ignores = () => changeOperationRequests(operation, (request) => withJson(request, known));
  const cleared = members.filter(({ schema }) => operation.method === 'PATCH' && schema.maxLength !== undefined);
  return [
    namedUnknown(operation.id, '', ignores),
    ...cleared.map(({ path: [name = ''], schema }) => {
      const empty = (schema.minLength ?? 0) > 0 ? 'a' : '';
      return namedKept(operation.id, name, () =>
        changeOperationRequests(operation, (request) => withJson(request, (body) => ({ [name]: empty, ...body }))),
      );
    }),
  ];
});

export const bodyFaults: readonly GeneratedFault[] = [...memberFaults, ...bodies];

function sentIn(request: ProxiedRequest, { path: [name = ''] }: BodyMember): unknown {
  return parseJsonObject(request.body)?.[name];
}

function takesLast(isMeant: (member: BodyMember) => boolean, isWrong: (value: unknown) => boolean): MakeFault {
  return (member, operation) => (isMeant(member) ? () => remembersRight(operation, member, isWrong) : undefined);
}

function needsNo(member: BodyMember, operation: Endpoint): (() => Fault) | undefined {
  return isRequired(member) ? () => remembersRight(operation, member, (value) => value === undefined) : undefined;
}

/** Replaces a wrong value by the last value that the server accepted from the same agent. */
function remembersRight(operation: Endpoint, member: BodyMember, isWrong: (value: unknown) => boolean): Fault {
  const [name = ''] = member.path;
  const right = new Map<string | undefined, unknown>();
  return {
    onRequest: (request) => {
      if (!isCallOf(operation, request) || parseJsonObject(request.body) === undefined) return request;
      const known = right.get(tokenOf(request)) ?? [...right.values()].at(-1) ?? plainValueOf(member);
      const isReplaced = isWrong(sentIn(request, member)) && known !== undefined;
      return isReplaced ? withJson(request, (body) => ({ ...body, [name]: known })) : request;
    },
    onReply: (reply, request) => {
      const value = isCallOf(operation, request) && isSuccessful(reply) ? sentIn(request, member) : undefined;
      if (value !== undefined) right.set(tokenOf(request), value);
      return reply;
    },
  };
}

function needsNoFuture(member: BodyMember, operation: Endpoint): (() => Fault) | undefined {
  if (!isDate(member)) return undefined;
  return () => {
    // The time follows the `Date` of answers, because a test may have moved the server's clock.
    let nowMs = Date.now();
    const become: MemberChange = (value) =>
      typeof value === 'string' && Date.parse(value) < nowMs ? new Date(nowMs + 86_400_000).toISOString() : value;
    return {
      ...changeOperationRequests(operation, (request) => changeMember(request, member.path, become)),
      onReply: (reply) => {
        nowMs = Date.parse(String(reply.headers['date'])) || nowMs;
        return reply;
      },
    };
  };
}

/** An arbitrary valid value for a member; undefined if none is known. */
function plainValueOf({ path: [name = ''], schema }: BodyMember): unknown {
  if (name === 'operation_id' || name === 'client_message_id') return crypto.randomUUID();
  if (schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.format === 'date-time') return new Date(Date.now() + 86_400_000).toISOString();
  return schema.maxLength === undefined || schema.pattern !== undefined ? undefined : 'a';
}
