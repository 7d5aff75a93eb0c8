import { type Endpoint, operations as everyOperation } from '@agent-platform/contract';
import type { MutableObject } from '../faults.ts';
import type { ProxiedReply, ProxiedRequest } from '../passing.ts';

/** The keywords of JSON Schema that the contract uses. */
export interface ContractSchema {
  readonly title?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly required?: readonly string[];
  readonly items?: ContractSchema;
  readonly anyOf?: readonly ContractSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly 'x-refusal'?: string;
}

/** A member of a JSON body. Its path starts with the names of the outer objects; names of lists end with `[]`. */
export interface BodyMember {
  readonly path: readonly string[];
  /** The object around the member: its schema title, such as `Order`, or `Passport visuals`; empty at the top level. */
  readonly record: string;
  readonly schema: ContractSchema;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
}

/** The operations of the API, without health and contract documents, which have no rules to violate. */
export const testedOperations = everyOperation.filter(({ tag }) => tag !== 'Health' && tag !== 'Contract');

const patterns = new Map(
  everyOperation.map((operation) => [
    operation,
    new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?.*)?$`, 's'),
  ]),
);

export function isCallOf(operation: Endpoint, { method, path }: ProxiedRequest): boolean {
  if (method !== operation.method || patterns.get(operation)?.test(path) !== true) return false;
  // A path without parameters takes precedence over one that ends with a parameter.
  return !operation.path.endsWith('}') || !everyOperation.some((other) => other !== operation && isFixed(other, path));
}

function isFixed({ path }: Endpoint, asked: string): boolean {
  return !path.includes('{') && asked.split('?')[0] === path;
}

export function isSuccessful({ status }: ProxiedReply): boolean {
  return status < 300;
}

/** Includes the members of inner objects and lists. */
export function membersOf(
  schema: ContractSchema | undefined,
  around: readonly string[] = [],
  outer = '',
): readonly BodyMember[] {
  const record = schema?.title ?? [outer, around.at(-1) ?? ''].filter((part) => part !== '').join(' ');
  return Object.entries(schema?.properties ?? {}).flatMap(([name, own]) => {
    const isOptional = schema?.required?.includes(name) !== true;
    const isNullable = own.anyOf?.some(({ type }) => type === 'null') === true;
    const inner = own.anyOf?.find(({ type }) => type !== 'null') ?? own;
    const isList = inner.type === 'array';
    const path = [...around, name];
    return [
      { path, record, schema: inner, isOptional, isNullable },
      ...membersOf(isList ? inner.items : inner, isList ? [...around, `${name}[]`] : path, record),
    ];
  });
}

export function membersOfReplies({ replies }: Endpoint): readonly BodyMember[] {
  const [schema] = Object.values(replies) as readonly ContractSchema[];
  return membersOf(schema);
}

/** Returns the new value of a member, given its value and the object around it; `undefined` removes the member. */
export type MemberChange = (value: unknown, around: MutableObject) => unknown;

/** Changes a member wherever it occurs in a body. */
export function applyToMember(body: unknown, [name = '', ...inner]: readonly string[], change: MemberChange): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const object = body as MutableObject;
  const own = name.replace(/\[\]$/, '');
  if (!(own in object)) return body;
  const value = object[own];
  const list = own === name || !Array.isArray(value) ? undefined : value;
  const become = (one: unknown) => (inner.length === 0 ? change(one, object) : applyToMember(one, inner, change));
  return { ...object, [own]: list === undefined ? become(value) : list.map(become) };
}
