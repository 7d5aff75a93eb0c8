type Json = Readonly<Record<string, unknown>>;

/**
 * Selects fields of the data by dotted paths; `missing` lists the paths that do not exist. The result keeps the
 * structure of the data; a path applies to every entry of a list.
 */
export function selectFields(data: Json, fields: readonly string[]) {
  const missing: string[] = [];
  let selected: Json = {};
  for (const field of fields) {
    const picked = pick(data, field.split('.'));
    if (picked === undefined) missing.push(field);
    else selected = merge(selected, picked);
  }
  return { data: selected, missing };
}

/** The value at a path; for a list, the values of its entries. */
export function valueAtPath(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((entry) => valueAtPath(entry, [name, ...rest]));
  return valueAtPath(isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined, rest);
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
