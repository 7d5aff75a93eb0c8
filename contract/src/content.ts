import Type, { type TSchema } from 'typebox';

/** The bytes of a file, in chunks, so that the file is never completely in memory. */
export type FileBytes = AsyncIterable<Uint8Array>;

/** The schema of a reply that is a file with one of these media types, instead of JSON. */
export function makeFileSchema(mediaTypes: readonly string[]) {
  return Type.Unsafe<FileBytes>({ type: 'string', format: 'binary', 'x-media-types': mediaTypes });
}

/** The schema of a reply without a body. */
export const NoContent = Type.Unsafe<null>({ 'x-media-types': [] });

/** The media types of a reply: those of its file, none without a body, otherwise JSON. */
export function mediaTypesOf(schema: TSchema): readonly string[] {
  const types: unknown = Reflect.get(schema, 'x-media-types');
  return Array.isArray(types) ? types.map(String) : ['application/json'];
}

export function isJsonReply(schema: TSchema): boolean {
  return Reflect.get(schema, 'x-media-types') === undefined;
}
