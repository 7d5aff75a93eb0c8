import type { Endpoint } from '@agent-platform/contract';
import { changeReplyMember, type GeneratedFault, makeFaultFactory, makePreviousValue } from './generated.ts';
import {
  type BodyMember,
  type ContractSchema,
  type MemberChange,
  membersOfReplies,
  testedOperations,
} from './places.ts';

const passport = [
  ...['id', 'handle', 'display_name', 'kind', 'specialty', 'bio', 'character_description'],
  ...['profile_public', 'is_demo', 'visuals'],
];
const visuals = ['avatar', 'character', 'character_description'];

// The members whose names are specified; a server may name all others differently.
const stated: Readonly<Record<string, readonly string[]>> = {
  '': ['bot', 'post', 'attachment', 'wallet', 'quote', 'order'],
  RegistrationResult: ['bot', 'token', 'token_expires_at'],
  Passport: passport,
  'Passport visuals': visuals,
  BotCard: [...passport, 'friendship'],
  'BotCard visuals': visuals,
  'BotCard friendship': ['status'],
  BotDetail: [...passport, 'friendship'],
  'BotDetail visuals': visuals,
  'BotDetail friendship': ['status'],
  Post: ['id', 'kind', 'title', 'text', 'visibility', 'state'],
  Attachment: ['id', 'purpose', 'preview_url', 'download_url', 'available'],
  Contact: ['contact_id', 'status'],
  Message: [
    ...['recipient_id', 'client_message_id', 'encryption_version', 'nonce', 'ciphertext'],
    ...['sender_public_key', 'recipient_public_key'],
  ],
  Wallet: [
    ...['environment', 'unit', 'minor_per_credit', 'available_minor', 'reserved_minor', 'total_minor'],
    ...['can_purchase', 'can_withdraw'],
  ],
  LedgerEntryList: ['entries', 'next_before'],
  LedgerEntry: [...['transaction_id', 'operation_id', 'kind', 'account_kind', 'order_id', 'delta_minor', 'created_at']],
  Quote: ['amount_minor', 'fee_minor', 'total_minor', 'fee_bps'],
  Order: [
    ...['id', 'state', 'version', 'title', 'description', 'deadline', 'amount_minor', 'fee_minor', 'total_minor'],
    ...['fee_bps', 'fee_mode', 'result_text', 'outcome'],
  ],
  OrderDetail: ['order', 'events'],
};

// The names of members whose values can change.
const changing = [
  ...['display_name', 'specialty', 'bio', 'character_description', 'profile_public', 'title', 'text', 'visibility'],
  ...['state', 'status', 'available', 'version', 'result_text', 'outcome'],
  ...['available_minor', 'reserved_minor', 'total_minor'],
];

/** Makes a change of a member; undefined if it does not apply to the member's schema. */
type MakeChange = (member: BodyMember) => (() => MemberChange) | undefined;

const nameOf = ({ path }: BodyMember) => path.at(-1) ?? '';
const isTime = ({ schema }: BodyMember) => schema.format === 'date-time';
const isNumber = ({ schema }: BodyMember) => schema.type === 'integer';
const isWord = ({ schema }: BodyMember) => typeof schema.enum?.[0] === 'string' || typeof schema.const === 'string';
const isRepeated = ({ schema }: BodyMember) =>
  schema.const === undefined && schema.type !== 'object' && schema.type !== 'array';

const onTexts = (change: (text: string) => unknown) => (value: unknown) =>
  typeof value === 'string' ? change(value) : value;
const onNumbers = (change: (value: number) => unknown) => (value: unknown) =>
  typeof value === 'number' ? change(value) : value;
const always = (change: MemberChange, isMeant: (member: BodyMember) => boolean = () => true): MakeChange => {
  return (member) => (isMeant(member) ? () => change : undefined);
};

const form = 'a member has the specified format';
const current = 'an answer contains the current state of the record';
const dates = 'timestamps are ISO 8601';

/** The operators, each with a sentence that states the violated rule. */
const operators: readonly (readonly [operator: string, violates: string, make: MakeChange])[] = [
  [
    'lacks',
    'an answer has all specified members',
    always(
      () => undefined,
      ({ isOptional }) => !isOptional,
    ),
  ],
  [
    'has null for',
    form,
    always(
      () => null,
      ({ isNullable }) => !isNullable,
    ),
  ],
  [
    'has another type for',
    form,
    ({ schema }) =>
      () =>
      (value) =>
        value === null ? null : ofAnotherType(schema, value),
  ],
  [
    'has capitals for',
    form,
    always(
      onTexts((text) => text.toUpperCase()),
      isWord,
    ),
  ],
  [
    'has a fraction for',
    'amounts and versions are integers',
    always(
      onNumbers((value) => value + 0.5),
      isNumber,
    ),
  ],
  [
    'has one more for',
    current,
    always(
      onNumbers((value) => value + 1),
      isNumber,
    ),
  ],
  ['has milliseconds for', dates, always(onTexts(Date.parse), isTime)],
  [
    'has no ISO form for',
    dates,
    always(
      onTexts((text) => new Date(text).toUTCString()),
      isTime,
    ),
  ],
  ['repeats the first', current, repeatsFirst],
  [
    'mixes up',
    'an answer is about the requested record',
    (member) => (isRepeated(member) ? makePreviousValue : undefined),
  ],
];

/** Applies every operator to every answer member whose name is specified. */
export const replyMemberFaults: readonly GeneratedFault[] = operators.flatMap(([operator, violates, make]) => {
  const named = makeFaultFactory(operator, violates);
  return testedOperations.flatMap((operation) =>
    membersOfReplies(operation).flatMap((member) => {
      if (isElsewhere(operation, member)) return [];
      const change = stated[member.record]?.includes(nameOf(member)) === true ? make(member) : undefined;
      if (change === undefined) return [];
      return named(operation.id, member.path.join('.'), changeReplyMember(operation, member.path, change));
    }),
  );
});

/** Whether to skip a file inside another record: faults in the answers to three operations are enough. */
function isElsewhere({ id }: Endpoint, { record, path }: BodyMember): boolean {
  return record === 'Attachment' && path.length > 2 && !['readOwnBot', 'readPost', 'readOrder'].includes(id);
}

function ofAnotherType({ type, properties }: ContractSchema, value: unknown): unknown {
  if (properties !== undefined) return 'text';
  if (type === 'array') return {};
  return typeof value === 'string' ? 7 : String(value);
}

/** Always returns the value from the first answer about a record. */
function repeatsFirst(member: BodyMember) {
  if (!changing.includes(nameOf(member))) return undefined;
  return () => {
    const first = new Map<unknown, unknown>();
    return (value: unknown, around: Readonly<Record<string, unknown>>) => {
      const key = around['id'] ?? around['contact_id'] ?? '';
      if (!first.has(key)) first.set(key, value);
      return first.get(key);
    };
  };
}
