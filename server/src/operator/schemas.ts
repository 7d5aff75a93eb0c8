import Type, { type TObject, type TProperties, type TSchema } from 'typebox';

/** An object that has these members and no other. */
export function Closed<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false });
}

/** A value or null. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}
