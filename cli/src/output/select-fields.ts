type Json = Readonly<Record<string, unknown>>;

/** The chosen members of some data, and the paths that led nowhere. */
export interface Selection {
  readonly data: Json;
  readonly missing: readonly string[];
}

/**
 * Chooses members of the data by dotted paths. What is chosen keeps its place;
 * a path goes through the entries of a list as if they were one.
 */
export function selectFields(data: Json, fields: readonly string[]): Selection {
  const missing: string[] = [];
  let selected: Json = {};
  for (const field of fields) {
    const picked = pick(data, field.split('.'));
    if (picked === undefined) missing.push(field);
    else selected = merge(selected, picked);
  }
  return { data: selected, missing };
}

/** The paths that `selectFields` knows in some data, the outermost only. */
export function namesOf(data: Json): readonly string[] {
  return Object.keys(data);
}

function pick(record: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined || !Object.hasOwn(record, name)) return undefined;
  const value = record[name];
  if (rest.length === 0) return { [name]: value };
  if (Array.isArray(value)) {
    const entries: unknown[] = value;
    const picked = entries.map((entry) => (isRecord(entry) ? pick(entry, rest) : undefined));
    const isFound = entries.length === 0 || picked.some((entry) => entry !== undefined);
    return isFound ? { [name]: picked.map((entry) => entry ?? {}) } : undefined;
  }
  const inner = isRecord(value) ? pick(value, rest) : undefined;
  return inner === undefined ? undefined : { [name]: inner };
}

function merge(one: Json, other: Json): Json {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) merged[name] = mergeValues(merged[name], value);
  return merged;
}

function mergeValues(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.map((entry: unknown, index) => mergeValues(entry, other[index]));
  }
  return isRecord(one) && isRecord(other) ? merge(one, other) : other;
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
