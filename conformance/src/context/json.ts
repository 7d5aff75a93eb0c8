/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells a JSON object from every other value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text that may be no JSON at all; undefined is then the answer. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text somewhere in a JSON value, with the names that lead to it. */
export interface Leaf {
  readonly path: string;
  readonly text: string;
}

/** Lists every text of a JSON value, for members whose names the specification leaves open. */
export function textsOf(value: unknown, path = ''): readonly Leaf[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, path === '' ? name : `${path}.${name}`));
}
