import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { faults, mediaTypes } from './verdict.ts';

const Side = Type.Integer({ minimum: 1 });

const AcceptedForm = Type.Object({
  kind: Type.Literal('accepted'),
  mediaType: Type.Enum([...mediaTypes]),
  /** Of the upright image; null for a PDF. */
  width: Type.Union([Side, Type.Null()]),
  height: Type.Union([Side, Type.Null()]),
  /** Null for an image. */
  pageCount: Type.Union([Side, Type.Null()]),
  preview: Type.Object({ width: Side, height: Side }),
});
const RefusedForm = Type.Object({ kind: Type.Literal('refused'), fault: Type.Enum([...faults]) });
const VerdictForm = Type.Union([AcceptedForm, RefusedForm]);

/** The properties of an accepted file. */
export type AcceptedVerdict = Readonly<Static<typeof AcceptedForm>>;

/** The result of an inspection. */
export type FileVerdict = AcceptedVerdict | Readonly<Static<typeof RefusedForm>>;

/**
 * Parses the answer of an inspector. Undefined for anything but a verdict: a
 * process with a hostile file is not trusted.
 */
export function parseVerdict(line: string): FileVerdict | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return Value.Check(VerdictForm, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
