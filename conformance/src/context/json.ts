export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Limits the recursion of functions that walk parsed values; no specified answer is nested this deep. */
const levelsMax = 1_000;

/** Parses a text; returns undefined if it is not JSON or if its values are nested too deep. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    let level: readonly unknown[] = [value];
    for (let count = 0; count < levelsMax && level.length > 0; count += 1)
      level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    return level.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Used to find members whose names are not specified. */
export function listStrings(value: unknown, path = ''): readonly { readonly path: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => listStrings(member, path === '' ? name : `${path}.${name}`));
}
