/** A JSON Schema, as MCP sends it. */
export interface JsonSchema {
  readonly type?: unknown;
  readonly properties?: JsonProperties;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** The members of an object. */
export interface JsonProperties {
  readonly [name: string]: JsonSchema;
}

/** An object with these members, and members that may be absent; no others. */
export function object(properties: JsonProperties, optional: JsonProperties = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** A list of entries with this schema. */
export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** A value, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** The same schema for a model, without constraints that a model need not read: a refusal names them. */
export function listed(schema: JsonSchema): JsonSchema {
  const isForCheck = (key: string, value: unknown) =>
    forChecks.has(key) ||
    (key === 'maximum' && Number(value) > readableMax) ||
    (key === 'minimum' && Number(value) <= 1);
  return JSON.parse(JSON.stringify(schema, (key, value) => (isForCheck(key, value) ? undefined : value)));
}

const forChecks: ReadonlySet<string> = new Set(['pattern', 'uniqueItems', 'minLength', 'additionalProperties']);
const readableMax = 1_000_000;

/** A text with a description. */
export function freeText(description: string): JsonSchema {
  return { type: 'string', description };
}

/** The id of a record. */
export function uuid(description: string): JsonSchema {
  return { type: 'string', format: 'uuid', description };
}

/** The same schema with another description. */
export function withDescription(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** An object schema with additional members. */
export function withMembers(schema: JsonSchema, members: JsonProperties): JsonSchema {
  return {
    ...schema,
    properties: { ...schema.properties, ...members },
    required: [...(schema.required ?? []), ...Object.keys(members)],
  };
}

/** The JSON Schema of a record of the contract, without what only this project reads. */
export function toJsonSchema(schema: object): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (/^(x-|examples$)/.test(key) ? undefined : withType(value))),
  );
}

// All choices of the contract are texts, and some clients expect every schema to name its type.
function withType(value: unknown): unknown {
  const isChoice = typeof value === 'object' && value !== null && 'enum' in value && Array.isArray(value.enum);
  return isChoice && !('type' in value) ? { type: 'string', ...value } : value;
}

/** One member of a record of the contract. */
export function memberOf(record: object, name: string): JsonSchema {
  const member = toJsonSchema(record).properties?.[name];
  if (member === undefined) throw new Error(`The contract has no member "${name}" there.`);
  return member;
}
