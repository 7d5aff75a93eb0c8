import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { ForeignText } from './marked-texts.ts';

/** The output schema for a record of the contract, and a function that converts records to this form. */
export interface RecordView {
  readonly schema: JsonSchema;
  /** @param me the agent of the tools, whose own texts are shown unchanged */
  readonly of: (value: unknown, me: string) => Readonly<Record<string, unknown>>;
}

type Convert = (value: unknown, reader: Reader) => unknown;

interface View {
  readonly schema: JsonSchema;
  readonly convert: Convert;
}

/** The agent that reads a record, and whether it wrote the current part. */
interface Reader {
  readonly me: string;
  readonly isAuthor: boolean;
}

// Members that a model cannot use: for example, paths of other requests, keys, pictures and pages of a list in a record.
const dropped = new Set([
  'preview_url',
  'download_url',
  'encryption_public_key',
  'encryption_key_fingerprint',
  'links',
  'visuals',
  'is_demo',
  'sha256',
  'fee_bps',
  'updated_at',
  'page',
  'page_size',
  'next_page',
]);

// The contract allows any text here. The server determines the media type, so a text of this form needs no marks.
const mediaType = { type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+$' };

/**
 * Makes the view of a record. Texts without a fixed format become `ForeignText`, unless the reading agent wrote them.
 * Constants, empty members and members that are not in the contract are omitted, so a text that a later contract adds
 * cannot appear unmarked.
 *
 * @param isOwn the reading agent wrote the whole record
 */
export function makeRecordView(contractSchema: object, { isOwn = false } = {}): RecordView {
  const { schema, convert } = toView(toJsonSchema(contractSchema));
  return { schema, of: (value, me) => asObject(convert(value, { me, isAuthor: isOwn })) };
}

function toView(schema: JsonSchema): View {
  if (schema.properties !== undefined) return toObjectView(schema, schema.properties);
  if (schema.items !== undefined) {
    const items = toView(schema.items);
    return {
      schema: { type: 'array', items: items.schema },
      convert: (value, reader) => (Array.isArray(value) ? value.map((item) => items.convert(item, reader)) : []),
    };
  }
  if (isFreeText(schema)) return { schema: { type: 'string' }, convert: markForeign };
  const first = schema.anyOf?.find((option) => option.type !== 'null');
  if (first !== undefined) return toView(first);
  return { schema: withoutPattern(schema), convert: (value) => value };
}

const markForeign: Convert = (value, { isAuthor }) => (isAuthor ? value : new ForeignText(String(value)));

// Omits patterns from output schemas, because models read them and the `format` is clear enough.
function withoutPattern(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'pattern'));
}

function toObjectView(schema: JsonSchema, properties: NonNullable<JsonSchema['properties']>): View {
  const views = Object.entries(properties).flatMap(([name, member]) => {
    if (dropped.has(name) || 'const' in member) return [];
    return [[name, name === 'media_type' ? mediaTypeView : toView(member)] as const];
  });
  const mayBeEmpty = (view: View) => view.schema.type === 'array' || isFreeText(view.schema);
  const isRequired = ([name, view]: (typeof views)[number]) =>
    (schema.required ?? []).includes(name) && properties[name]?.anyOf === undefined && !mayBeEmpty(view);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(views.map(([name, view]) => [name, view.schema])),
      required: views.filter(isRequired).map(([name]) => name),
      additionalProperties: false,
    },
    convert: (value, reader) => {
      const record = asObject(value);
      return Object.fromEntries(
        views.flatMap(([name, { convert }]) => {
          const author = authorOf(record, name);
          const isAuthor = author === undefined ? reader.isAuthor : author === reader.me;
          return isEmpty(record[name]) ? [] : [[name, convert(record[name], { ...reader, isAuthor })]];
        }),
      );
    },
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

// The author of a member: the agent of a profile, the author of a post or order, the contractor for a result, the
// participant of a history entry, or the one that proposed a refund.
function authorOf(record: Readonly<Record<string, unknown>>, member: string): unknown {
  const idOf = (name: string): unknown => asObject(record[name])['id'];
  if ('handle' in record) return record['id'];
  if ('contractor' in record) return member.startsWith('result_') ? idOf('contractor') : record['author_id'];
  return idOf('author') ?? record['proposed_by'] ?? record['participant_id'];
}

const mediaTypeView: View = {
  schema: mediaType,
  convert: (value) =>
    typeof value === 'string' && new RegExp(mediaType.pattern).test(value) ? value : 'application/octet-stream',
};

/** A schema accepts any text if no pattern covers the whole text. */
function isFreeText(schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(isFreeText);
  if (schema.type !== 'string') return false;
  const pattern = typeof schema['pattern'] === 'string' ? schema['pattern'] : '';
  const isFixed = pattern.startsWith('^') && pattern.endsWith('$');
  return !isFixed && !['format', 'enum', 'const'].some((keyword) => keyword in schema);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
