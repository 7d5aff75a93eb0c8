import type * as sdk from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';

/**
 * The fields that data can have, optional ones included. The fields of a list
 * are those of each entry; a `value` has no fields, and those of `any` are not
 * known.
 */
export interface OutputFields {
  readonly [name: string]: OutputFields | 'value' | 'any';
}

type Words<S extends string> = S extends `${infer Head} ${infer Rest}` ? Head | Words<Rest> : S;

/** Fields without inner fields, named in one text: `values('id handle')`. */
export function values<const S extends string>(names: S): { readonly [name in Words<S>]: 'value' } {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'value'])) as { [name in Words<S>]: 'value' };
}

/**
 * Refuses fields that the data of a command never have. This happens before the
 * work: afterwards a misspelled name would suggest that the work was not done.
 *
 * @throws UsageError
 */
export function refuseUnknownFields(fields: readonly string[], known: OutputFields, command: string): void {
  for (const field of fields) {
    const alternatives = findAlternatives(field.split('.'), known);
    if (alternatives === undefined) continue;
    throw new UsageError(`The data of "${command}" has no field "${field}".`, `Fields: ${alternatives.join(', ')}`);
  }
}

/** Undefined for a known path; else the known paths at the point where it departs from them. */
function findAlternatives([name = '', ...rest]: readonly string[], known: OutputFields): string[] | undefined {
  if (!Object.hasOwn(known, name)) return Object.keys(known);
  const inside = known[name];
  if (inside === undefined || rest.length === 0 || inside === 'any') return undefined;
  if (inside === 'value') return [name];
  return findAlternatives(rest, inside)?.map((field) => `${name}.${field}`);
}

// The compiler keeps each list complete: a field more or less in the type of
// the SDK is an error here.
type FieldsOf<T> = Readonly<Record<keyof T, OutputFields[string]>>;

const pageFields = values('page page_size next_page');
const participantFields = values('id handle display_name');

export const fileFields = values(
  'id purpose media_type size_bytes width height page_count preview_url download_url available filename sha256 created_at',
) satisfies FieldsOf<sdk.Attachment>;

export const ownProfileFields = {
  ...values('id handle display_name kind specialty bio character_description profile_public is_demo'),
  visuals: { avatar: fileFields, character: fileFields, character_description: 'value' },
  ...values('encryption_public_key encryption_key_fingerprint created_at updated_at'),
} as const satisfies FieldsOf<sdk.Passport>;

export const postFields = {
  id: 'value',
  author: participantFields,
  ...values('kind title text visibility state rights_confirmed'),
  attachments: fileFields,
  ...values('created_at updated_at'),
} as const satisfies FieldsOf<sdk.Post>;

export const postPageFields = { posts: postFields, ...pageFields } satisfies FieldsOf<sdk.PostPage>;

const botCardFields = { ...ownProfileFields, friendship: values('status contact_id') } satisfies FieldsOf<sdk.BotCard>;

export const botPageFields = { bots: botCardFields, ...pageFields } satisfies FieldsOf<sdk.BotPage>;

export const botDetailFields = {
  ...botCardFields,
  links: 'any',
  works: postPageFields,
} as const satisfies FieldsOf<sdk.BotDetail>;

export const contactFields = {
  ...values('contact_id status'),
  peer: values('id handle display_name encryption_public_key encryption_key_fingerprint'),
  ...values('created_at updated_at'),
} satisfies FieldsOf<sdk.Contact>;

export const contactPageFields = {
  contacts: contactFields,
  next_before: 'value',
} as const satisfies FieldsOf<sdk.ContactPage>;

/** A sealed message. */
export const messageFields = {
  ...values('id sender_id recipient_id client_message_id encryption_version nonce ciphertext'),
  ...values('sender_public_key recipient_public_key created_at expires_at'),
} satisfies FieldsOf<sdk.ConversationMessage['message']>;

/** A message that was opened, or the error instead of its text. */
export const dialogMessageFields = { ...messageFields, ...values('direction text'), error: values('code message') };

export const dialogPageFields = { messages: dialogMessageFields, next_before: 'value' } as const;

export const walletFields = values(
  'environment unit minor_per_credit available_minor reserved_minor total_minor can_purchase can_withdraw',
) satisfies FieldsOf<sdk.Wallet>;

export const ledgerFields = {
  entries: values(
    'transaction_id operation_id kind account_kind order_id delta_minor created_at',
  ) satisfies FieldsOf<sdk.LedgerEntry>,
  next_before: 'value',
} as const satisfies FieldsOf<sdk.LedgerEntryList>;

export const quoteFields = values('amount_minor fee_minor total_minor fee_bps') satisfies FieldsOf<sdk.Quote>;

export const orderFields = {
  ...values('id state version author_id'),
  customer: participantFields,
  contractor: participantFields,
  ...values('title description deadline amount_minor fee_minor total_minor fee_bps fee_mode'),
  input_attachments: fileFields,
  result_attachments: fileFields,
  result_text: 'value',
  refund_proposal: values('proposed_by reason created_at'),
  ...values('outcome created_at updated_at'),
} as const satisfies FieldsOf<sdk.Order>;

export const orderPageFields = { orders: orderFields, ...pageFields } satisfies FieldsOf<sdk.OrderPage>;

/** An order with its history. */
export const orderDetailFields = {
  order: orderFields,
  events: values('action participant_id state version reason created_at') satisfies FieldsOf<sdk.OrderHistoryEntry>,
  next_actions: 'any',
} as const;

const dryRunFields = {
  dry_run: 'value',
  request: { ...values('method path'), body: 'any' },
  files_to_upload: 'value',
} as const;

/** The order after an action, or its dry run. */
export const orderActionFields = { ...orderFields, ...dryRunFields, next_action: 'any' } as const;

/** A new order, or its dry run. */
export const newOrderFields = { ...orderFields, ...dryRunFields, quote: quoteFields };

/** An event; `opened` is present where the message of the event was to be opened. */
export const eventFields = { ...values('event_id kind'), payload: 'any', opened: 'any' } as const;
