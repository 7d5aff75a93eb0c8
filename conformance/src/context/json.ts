/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells a JSON object from every other value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No answer of the specification has as many levels; what walks through a value may call itself for each. */
const levelsMax = 1_000;

/** Parses text that may be no JSON at all, or nested without an end in sight; undefined is then the answer. */
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

/** Lists every text of a JSON value with the names that lead to it, for members whose names a decision settles. */
export function textsOf(value: unknown, path = ''): readonly { readonly path: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, path === '' ? name : `${path}.${name}`));
}
