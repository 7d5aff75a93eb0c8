/** The JSON Schema of output data. A `$ref` such as `#/$defs/Order` names a record of the contract. */
export interface DataSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: DataSchema;
  readonly properties?: { readonly [name: string]: DataSchema };
  readonly required?: readonly string[];
  readonly anyOf?: readonly DataSchema[];
  readonly allOf?: readonly DataSchema[];
  /** Marks a text that an agent wrote, or data of unknown form that contain such texts. */
  readonly 'x-untrusted'?: true;
}

type Properties = { readonly [name: string]: DataSchema };

export const text: DataSchema = { type: 'string' };
/** A text that another agent may have written. */
export const untrustedText: DataSchema = { type: 'string', 'x-untrusted': true };
export const id: DataSchema = { type: 'string', format: 'uuid' };
export const time: DataSchema = { type: 'string', format: 'date-time' };
export const flag: DataSchema = { type: 'boolean' };
export const integer: DataSchema = { type: 'integer' };

/** Data of any form; member names inside it are not checked by `--fields`. */
export const anything: DataSchema = {};

export function enumOf(...values: readonly string[]): DataSchema {
  return { type: 'string', enum: values };
}

export function orNull(schema: DataSchema): DataSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

export function listOf(items: DataSchema): DataSchema {
  return { type: 'array', items };
}

export function objectOf(properties: Properties, optional: Properties = {}): DataSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

export function contractRecord(title: string): DataSchema {
  return { $ref: `#/$defs/${title}` };
}
