import Type from 'typebox';
import { Value } from 'typebox/value';
import { type FileVerdict, faults, mediaTypes } from './verdict.ts';

const Side = Type.Integer({ minimum: 1 });

const VerdictForm = Type.Union([
  Type.Object({
    kind: Type.Literal('accepted'),
    mediaType: Type.Enum([...mediaTypes]),
    width: Type.Union([Side, Type.Null()]),
    height: Type.Union([Side, Type.Null()]),
    pageCount: Type.Union([Side, Type.Null()]),
    preview: Type.Object({ width: Side, height: Side }),
  }),
  Type.Object({ kind: Type.Literal('refused'), fault: Type.Enum([...faults]) }),
]);

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
