import { formatValidationDetail, InvalidRequestError, makeValueValidator } from '@agent-platform/contract/validation';
import { ToolFailure } from '../tool-failure.ts';
import type { JsonSchema } from './json-schema.ts';

/** The check returns the arguments without members that count as absent. */
export function prepareInputCheck(name: string, schema: JsonSchema): (values: unknown) => unknown {
  const check = makeValueValidator(schema);
  const members = Object.keys(schema.properties ?? {});
  const required = schema.required ?? [];
  const named = members.map((member) => (required.includes(member) ? member : `${member} (optional)`)).join(', ');
  const hint = members.length === 0 ? `${name} has no arguments.` : `Arguments of ${name}: ${named}.`;
  return (values) => {
    try {
      return check(withoutNulls(schema, values ?? {}));
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      // Models read only the message, so it contains all faults.
      const faults = (error.details ?? []).map((detail) => formatValidationDetail(detail, 'The call'));
      throw new ToolFailure(error.code, faults.length > 1 ? `${faults.join('; ')}.` : error.message, hint);
    }
  };
}

/** Removes optional members that are null, because models often send null instead of omitting a member. */
function withoutNulls(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {}, required = [] } = schema;
  const isAbsent = (member: string, given: unknown) =>
    given === null &&
    properties[member] !== undefined &&
    !required.includes(member) &&
    !permitsNull(properties[member]);
  const kept = Object.entries(value).filter(([member, given]) => !isAbsent(member, given));
  return Object.fromEntries(kept.map(([member, given]) => [member, withoutNulls(properties[member] ?? {}, given)]));
}

function permitsNull({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some(permitsNull);
}
