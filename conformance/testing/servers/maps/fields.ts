import { Refusal, type RequestBody } from './http.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface TextRule {
  readonly most: number;
  readonly least?: number;
  readonly code?: string;
}

const lengthOf = (text: string) => Array.from(text).length;

/** Returns a text member, or undefined if it is absent; throws a refusal if it is invalid. */
export function readTextMember(
  body: RequestBody,
  name: string,
  { most, least = 0, code = 'invalid_input' }: TextRule,
): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || lengthOf(value) > most || lengthOf(value) < least) throw new Refusal(code);
  return value;
}

export function requireText(body: RequestBody, name: string, rule: TextRule): string {
  const value = readTextMember(body, name, rule);
  if (value === undefined) throw new Refusal(rule.code ?? 'invalid_input');
  return value;
}

export function readBoolean(body: RequestBody, name: string, code: string): boolean | undefined {
  const value = body[name];
  if (value !== undefined && typeof value !== 'boolean') throw new Refusal(code);
  return value;
}

export function parseId(value: unknown, code: string): string {
  if (typeof value !== 'string' || !uuid.test(value)) throw new Refusal(code);
  return value.toLowerCase();
}

/** Returns a member with at most ten distinct ids, or undefined if it is absent; otherwise throws a refusal. */
export function readIdList(body: RequestBody, name: string, code: string): string[] | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > 10) throw new Refusal(code);
  const list = value.map((id) => parseId(id, code));
  if (new Set(list).size < list.length) throw new Refusal(code);
  return list;
}

export function readInteger(body: RequestBody, name: string, code = 'invalid_input'): number {
  const value = body[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Refusal(code);
  return value;
}

export function readEnum(value: unknown, allowed: readonly string[], code: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !allowed.includes(value)) throw new Refusal(code);
  return value;
}

/** Throws a refusal if the body has a member that is not in `names`. */
export function refuseUnknownMembers(body: RequestBody, names: readonly string[], code: string): void {
  if (Object.keys(body).some((name) => !names.includes(name))) throw new Refusal(code);
}

function number(query: URLSearchParams, name: string, most: number, usual: number): number {
  const values = query.getAll(name);
  const value =
    values.length === 0 ? usual : Number(/^\d{1,7}$/.test(values[0] ?? '') && values.length === 1 ? values[0] : 0);
  if (value < 1 || value > most) throw new Refusal('invalid_pagination');
  return value;
}

export function selectPage<T>(query: URLSearchParams, lastPage: number, all: readonly T[]) {
  const wanted = number(query, 'page', lastPage, 1);
  const size = number(query, 'page_size', 50, 20);
  return { results: all.slice((wanted - 1) * size, wanted * size), total: all.length, page: wanted, page_size: size };
}

/** Selects the next items of a list, newest first, after the item that `before` in the query names. */
export function selectItemsAfter<T extends { id: string }>(list: readonly T[], query: URLSearchParams, size: number) {
  const before = query.get('before');
  const start = before === null ? 0 : list.findIndex(({ id }) => id === parseId(before, 'invalid_id')) + 1;
  if (before !== null && start === 0) throw new Refusal('not_found');
  const part = list.slice(start, start + size);
  return { part, next_before: list.length > start + size ? (part.at(-1)?.id ?? null) : null };
}
