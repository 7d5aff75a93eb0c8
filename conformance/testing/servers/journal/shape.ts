const statuses: readonly (readonly [status: number, codes: string])[] = [
  [401, 'unauthorized'],
  [403, 'friendship_required forbidden counterparty_required contact_not_accepted self_contact contact_blocked'],
  [403, 'key_changed recipient_required refund_not_proposed registration_unavailable'],
  [404, 'not_found invalid_attachment message_expired'],
  [405, 'method'],
  [409, 'version_conflict price_changed state_conflict insufficient_funds idempotency_conflict nonce_reuse'],
  [409, 'attachment_already_bound upload_unavailable immutable_attachments handle_unavailable inactive_bot'],
  [409, 'rights_required publication_rights_required refund_proposal_exists participant_inactive'],
  [413, 'size'],
  [415, 'media_type'],
  [429, 'write_limited registration_limited rate_limited upload_busy storage_quota_exceeded storage_record_limit'],
];

/** A denial: a code, and no more of it than is needed. */
export class Denied extends Error {
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, headers: Readonly<Record<string, string>> = {}) {
    super(code);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statuses.find(([, codes]) => codes.split(' ').includes(this.code))?.[0] ?? 400;
  }
}

type Test = (value: unknown) => boolean;

interface Member {
  readonly test: Test;
  readonly code: string;
  readonly needed?: boolean;
}

export type Shape = Readonly<Record<string, Member>>;

export const isId: Test = (value) =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
export const isFlag: Test = (value) => typeof value === 'boolean';
export const isInteger: Test = (value) => Number.isSafeInteger(value);
export const isWords =
  (least: number, most: number): Test =>
  (value) => {
    if (typeof value !== 'string') return false;
    let length = 0;
    for (const _ of value) length += 1;
    return length >= least && length <= most;
  };
export const isOneOf =
  (...allowed: readonly string[]): Test =>
  (value) =>
    allowed.some((one) => one === value);
export const isIdOrNull: Test = (value) => value === null || isId(value);
export const areIds: Test = (value) =>
  Array.isArray(value) &&
  value.length <= 10 &&
  value.every(isId) &&
  new Set(value.map((id) => String(id).toUpperCase())).size === value.length;

/** Checks a body member by member; unknown ones have a code of their own. */
export function checkShape(body: object, shape: Shape, unknown: string): void {
  for (const name of Object.keys(body)) if (!Object.hasOwn(shape, name)) throw new Denied(unknown);
  for (const [name, { test, code, needed }] of Object.entries(shape)) {
    const value: unknown = Reflect.get(body, name);
    if (value === undefined ? needed === true : !test(value)) throw new Denied(code);
  }
}

/** Refuses query parameters that are not in the list, or come twice. */
export function checkQuery(query: URLSearchParams, codes: Readonly<Record<string, string>>): void {
  for (const name of query.keys()) {
    const code = codes[name];
    if (code === undefined) throw new Denied('invalid_input');
    if (query.getAll(name).length > 1) throw new Denied(code);
  }
}

/** An id of a path, a query or a body as this server writes it. */
export function id(value: unknown, code = 'invalid_id'): string {
  if (!isId(value)) throw new Denied(code);
  return String(value).toUpperCase();
}

/** The part of a list that `page` and `page_size` name. */
export function paged<T>(list: readonly T[], query: URLSearchParams, lastPage: number): T[] {
  const [page, size] = [['page', lastPage, 1] as const, ['page_size', 50, 20] as const].map(([name, most, usual]) => {
    const text = query.get(name) ?? String(usual);
    if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > most) throw new Denied('invalid_pagination');
    return Number(text);
  });
  return list.slice(((page ?? 1) - 1) * (size ?? 20), (page ?? 1) * (size ?? 20));
}

/** At most `size` items behind the one that `before` names. */
export function behind<T extends { id: string }>(list: readonly T[], query: URLSearchParams, size: number): T[] {
  const before = query.get('before');
  if (before === null) return list.slice(0, size);
  const at = list.findIndex((one) => one.id === id(before));
  if (at < 0) throw new Denied('not_found');
  return list.slice(at + 1, at + 1 + size);
}
