import { expect } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { isObject, type JsonObject } from './json.ts';

/**
 * The records of a list. The name of its container is not stated, so it is the
 * one list of objects at the top of the answer.
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

/** Demands that a record is somewhere in an answer. */
export function expectRecord(exchange: Exchange, id: string, what: string): JsonObject {
  const found = findRecord(exchange.json, id);
  expect(found !== undefined, `${what} (${id}) is missing`, exchange);
  return found;
}

/** Demands that a record is nowhere in an answer. */
export function expectNoRecord(exchange: Exchange, id: string, what: string): void {
  expect(findRecord(exchange.json, id) === undefined, `${what} (${id}) is present`, exchange);
}

/** Compares ids without case, for which one is written is left open. */
export function isSameId(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}
