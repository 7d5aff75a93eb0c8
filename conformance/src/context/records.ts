import { expect } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { isObject, type JsonObject } from './json.ts';

/**
 * The records of a list: the only list of objects at the top of the answer, as the
 * specification does not name the member.
 */
export function expectList(exchange: Exchange): readonly JsonObject[] {
  const { json } = exchange;
  const lists = (Array.isArray(json) ? [json] : isObject(json) ? Object.values(json) : [])
    .filter((value): value is unknown[] => Array.isArray(value))
    .filter((list) => list.every(isObject));
  const [list] = lists.toSorted((one, other) => other.length - one.length);
  expect(list !== undefined, 'the body contains no list of records', exchange);
  return list.filter(isObject);
}

/** Finds a record by its id, wherever it stands in an answer. */
export function findRecord(json: unknown, id: string): JsonObject | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (isObject(json) && isSameId(json['id'], id)) return json;
  for (const member of Object.values(json)) {
    const found = findRecord(member, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Expects a record anywhere in an answer. */
export function expectRecord(exchange: Exchange, id: string, what: string): JsonObject {
  const found = findRecord(exchange.json, id);
  expect(found !== undefined, `${what} (${id}) is missing`, exchange);
  return found;
}

/** Expects that a record is not in an answer. */
export function expectNoRecord(exchange: Exchange, id: string, what: string): void {
  expect(findRecord(exchange.json, id) === undefined, `${what} (${id}) is present`, exchange);
}

/** The ids of a list, in its order. */
export function listedIds(exchange: Exchange): readonly unknown[] {
  return expectList(exchange).map(({ id }) => id);
}

/** Expects that a list has these records in this order; others may stand between them. */
export function expectInOrder(exchange: Exchange, ids: readonly string[], what: string): void {
  const listed = listedIds(exchange);
  const places = ids.map((id) => listed.findIndex((one) => isSameId(one, id)));
  expect(!places.includes(-1), `${what} that was just created is not in the list`, exchange);
  const isAscending = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
  expect(isAscending, 'the list is not in the stated order', exchange);
}

/** Reads pages and expects the part of the whole list that each query selects. */
export async function expectPages(
  read: (query: string) => Promise<Exchange>,
  parts: readonly (readonly [query: string, start: number, end: number])[],
): Promise<void> {
  const whole = await read('page_size=50');
  const all = listedIds(whole);
  for (const [query, start, end] of parts) {
    const page = await read(query);
    expect(String(listedIds(page)) === String(all.slice(start, end)), `?${query} returns other records`, page);
  }
}

/** Compares ids without case: the specification does not state their case. */
export function isSameId(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}
