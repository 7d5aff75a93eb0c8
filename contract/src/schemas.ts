import Type, { type TObject, type TProperties, type TSchema, type TSchemaOptions } from 'typebox';
import type { ErrorCode } from './error-codes.ts';

// Besides JSON Schema keywords, a field may have an `x-refusal`, which is the code for an invalid value (otherwise, the
// operation's code applies), and an `x-form`, which describes in words what the pattern checks.

/** An object with these members and no others. */
export function StrictObject<P extends TProperties>(properties: P, options: TSchemaOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/** The schema of a UUID; an invalid value causes this error code. */
export function uuidWithCode(refusal: ErrorCode) {
  return Type.String({ format: 'uuid', pattern: uuidPattern, 'x-refusal': refusal, 'x-form': 'a UUID' });
}

/** A UUID in its 8-4-4-4-12 form; case does not matter, and responses use lower case (§1.24). */
export const Uuid = uuidWithCode('invalid_id');

/** A timestamp in UTC with milliseconds and `Z` (§1.26). */
export const Timestamp = Type.String({
  format: 'date-time',
  examples: ['2026-11-21T09:03:24.250Z'],
});

/** The format of every error, whichever layer reports it. */
export const ErrorReply = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'For programs, together with the status.' }),
      message: Type.String({ description: 'For people: the cause and a hint.' }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: 'JSON Pointer into the body, or the name of the parameter.' }),
            message: Type.String(),
          }),
          { description: 'The failed validations. Clients must not depend on them.' },
        ),
      ),
    }),
  },
  { title: 'Error' },
);
export type ErrorReply = Type.Static<typeof ErrorReply>;
