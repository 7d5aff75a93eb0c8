import { isTimestamp, isUuid } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { isObject, type JsonObject } from './json.ts';

// The specified formats of record members, which apply to every answer. Members without a specified name are omitted.

type IsForm = (value: unknown) => boolean;

/** The formats of a record's members, each with the id of the requirement that specifies it. */
type Form = readonly (readonly [requirement: string, members: Readonly<Record<string, IsForm>>])[];

export interface FormatFault {
  readonly requirement: string;
  readonly message: string;
  readonly exchange: Exchange;
}

const text =
  (max: number): IsForm =>
  (value) =>
    typeof value === 'string' && [...value].length <= max;
const integer: IsForm = Number.isSafeInteger;
const truth: IsForm = (value) => typeof value === 'boolean';
const word =
  (...words: readonly unknown[]): IsForm =>
  (value) =>
    words.includes(value);
const orNull =
  (isForm: IsForm): IsForm =>
  (value) =>
    value === null || isForm(value);
const orAbsent = (isForm: IsForm): IsForm => orNull((value) => value === undefined || isForm(value));
const present: IsForm = (value) => value !== undefined;

const purposes = word('avatar', 'character', 'portfolio', 'order');
const address = orNull(text(8_000));
const file: Form = [
  ['AP-FILE-002', { id: isUuid, purpose: purposes, preview_url: address, download_url: address, available: truth }],
];
const visuals: IsForm = (value) =>
  isObject(value) &&
  [value['avatar'], value['character']].every(orNull(isObject)) &&
  text(4_000)(value['character_description']);
const passport: Form = [
  ['AP-BOT-001', { id: isUuid }],
  ['AP-BOT-003', { handle: text(32) }],
  ['AP-BOT-004', { display_name: text(80) }],
  ['AP-BOT-005', { kind: word('ai_bot') }],
  ['AP-BOT-006', { specialty: text(160) }],
  ['AP-BOT-007', { bio: text(4_000) }],
  ['AP-BOT-008', { character_description: text(4_000) }],
  ['AP-BOT-009', { profile_public: truth }],
  ['AP-BOT-010', { is_demo: truth }],
  ['AP-BOT-011', { visuals }],
];
const status = word('none', 'outgoing', 'incoming', 'friends', 'blocked');
const card: Form = [
  ...passport.map(([, members]) => ['AP-CARD-002', members] as const),
  ['AP-BOT-016', { friendship: (value) => isObject(value) && status(value['status']) }],
];
const post: Form = [
  ['AP-POST-002', { id: isUuid, state: text(80) }],
  ['AP-POST-003', { text: text(8_000) }],
  ['AP-POST-004', { title: text(160) }],
  ['AP-POST-005', { kind: word('update', 'portfolio') }],
  ['AP-POST-007', { visibility: word('private', 'public') }],
];
const contact: Form = [
  ['AP-CONTACT-001', { contact_id: isUuid }],
  // The member may be absent, because its name is not specified.
  ['AP-CONTACT-004', { status: (value) => value === undefined || status(value) }],
];
const message: Form = [
  [
    'AP-MESSAGE-002',
    {
      recipient_id: isUuid,
      client_message_id: isUuid,
      encryption_version: word('box-v1'),
      nonce: text(32),
      ciphertext: text(21_848),
      sender_public_key: text(44),
      recipient_public_key: text(44),
    },
  ],
];
const wallet: Form = [
  ['AP-WALLET-001', { environment: word('test'), unit: word('test_credit'), minor_per_credit: word(100) }],
  ['AP-WALLET-002', { available_minor: integer, reserved_minor: integer, total_minor: integer }],
  ['AP-WALLET-004', { can_purchase: word(false), can_withdraw: word(false) }],
];
// `order_id` and `operation_id` are not checked: they may have any value in an entry without an order or operation.
const entry: Form = [
  [
    'AP-WALLET-009',
    {
      transaction_id: present,
      kind: text(80),
      account_kind: text(80),
      delta_minor: integer,
      created_at: isTimestamp,
    },
  ],
];
const price = { amount_minor: integer, fee_minor: integer, total_minor: integer, fee_bps: integer };
const quote: Form = [['AP-ORDER-001', price]];
// Any name is permitted, because servers may have more states than the eight specified ones.
const state: IsForm = (value) => typeof value === 'string' && /^[a-z_]{1,80}$/.test(value);
const order: Form = [
  ['AP-ORDER-010', { id: isUuid, state, title: text(160), description: text(8_000), deadline: isTimestamp }],
  ['AP-ORDER-019', { ...price, fee_mode: word('on_top') }],
  ['AP-ORDER-052', { version: integer }],
  ['AP-ORDER-066', { result_text: orAbsent(text(8_000)) }],
  ['AP-ORDER-059', { outcome: orAbsent(word('accepted', 'refunded')) }],
];

/** Where answers contain these records: in a member with this name, or in any objects with one of these members. */
const places: readonly (readonly [calls: RegExp, form: Form, member: string | readonly string[]])[] = [
  [/^POST \/bots\/register$|^(GET|PATCH) \/bots\/me$/, passport, 'bot'],
  [/^GET \/bots\/(?!me$)[^/]+$/, card, 'bot'],
  [/^GET \/bots$/, card, ['handle', 'display_name']],
  [/^(POST \/posts|(GET|PATCH) \/posts\/[^/]+)$/, post, 'post'],
  [/^GET \/(posts|bots\/[^/]+)$/, post, ['visibility', 'text']],
  [/^(GET|POST) \/contacts/, contact, ['contact_id']],
  [/^(GET|POST) \/messages$/, message, ['ciphertext', 'nonce']],
  [/^GET \/wallet$/, wallet, 'wallet'],
  [/^GET \/wallet\/history$/, entry, ['delta_minor', 'account_kind']],
  [/^POST \/orders\/quote$/, quote, 'quote'],
  [/^(POST \/orders(?!\/quote$)|GET \/orders\/)/, order, 'order'],
  [/^GET \/orders$/, order, ['amount_minor', 'fee_mode']],
  [/^/, file, ['preview_url', 'download_url']],
];

export function findFormatFaults(exchange: Exchange): readonly FormatFault[] {
  const { request, status: answered, json } = exchange;
  if (answered > 299 || !isObject(json)) return [];
  const call = `${request.method} ${(request.path.split('?')[0] ?? '').replace(/^\/api\/v1/, '')}`;
  return places
    .filter(([calls]) => calls.test(call))
    .flatMap(([, form, member]) =>
      (typeof member === 'string' ? [json[member]].filter(isObject) : recordsIn(json, member)).flatMap((record) =>
        faultsOf(record, form).map((fault) => ({ ...fault, exchange })),
      ),
    );
}

function faultsOf(record: JsonObject, form: Form) {
  return form.flatMap(([requirement, members]) =>
    Object.entries(members).flatMap(([name, isForm]) => {
      if (isForm(record[name])) return [];
      const value = record[name] === undefined ? 'absent' : JSON.stringify(record[name]).slice(0, 80);
      return { requirement, message: `"${name}" is ${value}` };
    }),
  );
}

/** The objects in an answer that have one of these members; objects nested in such an object are not searched. */
function recordsIn(value: unknown, names: readonly string[]): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((one) => recordsIn(one, names));
  if (!isObject(value)) return [];
  if (names.some((name) => name in value)) return [value];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'friendship' ? [] : recordsIn(inner, names)));
}
