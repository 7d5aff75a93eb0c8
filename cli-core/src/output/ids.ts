import type { DataSchema } from '../surface/data-schema.ts';
import { membersOf, type RecordSchemas } from './output-fields.ts';
import { valueAtPath } from './select-fields.ts';

const idNames = ['id', 'contact_id', 'event_id', 'bot_id', 'client_message_id', 'transaction_id', 'operation_id'];
const depthMax = 3;

/** Returns the path of the ids, from the first level of the data that contains any; undefined if there are none. */
export function findIdPath(schema: DataSchema, definitions: RecordSchemas): readonly string[] | undefined {
  let level: readonly (readonly [path: readonly string[], schema: DataSchema])[] = [[[], schema]];
  for (let depth = 0; depth < depthMax; depth += 1) {
    const inside = level.flatMap(([path, record]) => {
      const members = membersOf(record, definitions);
      return members === 'any' ? [] : [...members].map(([name, member]) => [[...path, name], member] as const);
    });
    const names = idNames
      .map((name) => inside.find(([path]) => path.at(-1) === name))
      .filter((member) => member !== undefined);
    const [found] = names;
    if (found !== undefined) return found[0];
    level = inside;
  }
  return undefined;
}

export function formatIds(data: object, path: readonly string[]): string {
  const found = [valueAtPath(data, path)].flat(depthMax);
  return found.flatMap((id) => (typeof id === 'string' || typeof id === 'number' ? [`${id}\n`] : [])).join('');
}
