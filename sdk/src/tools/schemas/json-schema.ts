/** A JSON Schema, as sent over MCP. */
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

export function objectSchema(properties: JsonProperties, optional: JsonProperties = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export function arraySchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function nullableSchema(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Removes constraints that a model does not need to read, because the error for a violation describes them. */
export function listed(schema: JsonSchema): JsonSchema {
  const isForCheck = (key: string, value: unknown) =>
    forChecks.has(key) ||
    (key === 'maximum' && Number(value) > readableMax) ||
    (key === 'minimum' && Number(value) <= 1);
  return JSON.parse(JSON.stringify(schema, (key, value) => (isForCheck(key, value) ? undefined : value)));
}

const forChecks: ReadonlySet<string> = new Set(['pattern', 'uniqueItems', 'minLength', 'additionalProperties']);
const readableMax = 1_000_000;

export function textSchema(description: string): JsonSchema {
  return { type: 'string', description };
}

export function uuidSchema(description: string): JsonSchema {
  return { type: 'string', format: 'uuid', description };
}

export function withDescription(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** Adds required members to an object schema. */
export function withMembers(schema: JsonSchema, members: JsonProperties): JsonSchema {
  return {
    ...schema,
    properties: { ...schema.properties, ...members },
    required: [...(schema.required ?? []), ...Object.keys(members)],
  };
}

/** Removes `examples` and the keywords of this project (`x-…`) from a schema of the contract. */
export function toJsonSchema(schema: object): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (/^(x-|examples$)/.test(key) ? undefined : withType(value))),
  );
}

// Adds a `type` to enums, because some clients expect one in every schema. All enum values of the contract are texts.
function withType(value: unknown): unknown {
  const isChoice = typeof value === 'object' && value !== null && 'enum' in value && Array.isArray(value.enum);
  return isChoice && !('type' in value) ? { type: 'string', ...value } : value;
}

export function memberSchema(record: object, name: string): JsonSchema {
  const member = toJsonSchema(record).properties?.[name];
  if (member === undefined) throw new Error(`The record has no member "${name}" in the contract.`);
  return member;
}
