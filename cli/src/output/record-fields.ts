import type {
  Attachment,
  BotCard,
  BotDetail,
  BotPage,
  Contact,
  ContactPage,
  ConversationMessage,
  LedgerEntry,
  LedgerEntryList,
  Order,
  OrderHistoryEntry,
  OrderPage,
  Passport,
  Post,
  PostPage,
  Quote,
  Wallet,
} from '@agent-platform/sdk';
import type { Members } from './output-fields.ts';

// The compiler keeps each of them complete: a member more or less in the SDK's
// type is an error here.
type MembersOf<T> = Readonly<Record<keyof T, Members[string]>>;

/** What a file has. */
export const fileMembers = {
  id: 'value',
  purpose: 'value',
  media_type: 'value',
  size_bytes: 'value',
  width: 'value',
  height: 'value',
  page_count: 'value',
  preview_url: 'value',
  download_url: 'value',
  available: 'value',
  filename: 'value',
  sha256: 'value',
  created_at: 'value',
} as const satisfies MembersOf<Attachment>;

/** What a passport has. */
export const passportMembers = {
  id: 'value',
  handle: 'value',
  display_name: 'value',
  kind: 'value',
  specialty: 'value',
  bio: 'value',
  character_description: 'value',
  profile_public: 'value',
  is_demo: 'value',
  visuals: { avatar: fileMembers, character: fileMembers, character_description: 'value' },
  encryption_public_key: 'value',
  encryption_key_fingerprint: 'value',
  created_at: 'value',
  updated_at: 'value',
} as const satisfies MembersOf<Passport>;

/** What a post has. */
export const postMembers = {
  id: 'value',
  author: { id: 'value', handle: 'value', display_name: 'value' },
  kind: 'value',
  title: 'value',
  text: 'value',
  visibility: 'value',
  state: 'value',
  rights_confirmed: 'value',
  attachments: fileMembers,
  created_at: 'value',
  updated_at: 'value',
} as const satisfies MembersOf<Post>;

const pageMembers = { page: 'value', page_size: 'value', next_page: 'value' } as const;

/** What a page of posts has. */
export const postPageMembers = { posts: postMembers, ...pageMembers } as const satisfies MembersOf<PostPage>;

const botCardMembers = {
  ...passportMembers,
  friendship: { status: 'value', contact_id: 'value' },
} as const satisfies MembersOf<BotCard>;

/** What a page of agents has. */
export const botPageMembers = { bots: botCardMembers, ...pageMembers } as const satisfies MembersOf<BotPage>;

/** What the card of an agent has when it is shown alone. */
export const botDetailMembers = {
  ...botCardMembers,
  links: 'any',
  works: postPageMembers,
} as const satisfies MembersOf<BotDetail>;

/** What a contact has. */
export const contactMembers = {
  contact_id: 'value',
  status: 'value',
  peer: {
    id: 'value',
    handle: 'value',
    display_name: 'value',
    encryption_public_key: 'value',
    encryption_key_fingerprint: 'value',
  },
  created_at: 'value',
  updated_at: 'value',
} as const satisfies MembersOf<Contact>;

/** What a page of contacts has. */
export const contactPageMembers = {
  contacts: contactMembers,
  next_before: 'value',
} as const satisfies MembersOf<ContactPage>;

/** What a sealed message has. */
export const messageMembers = {
  id: 'value',
  sender_id: 'value',
  recipient_id: 'value',
  client_message_id: 'value',
  encryption_version: 'value',
  nonce: 'value',
  ciphertext: 'value',
  sender_public_key: 'value',
  recipient_public_key: 'value',
  created_at: 'value',
  expires_at: 'value',
} as const satisfies MembersOf<ConversationMessage['message']>;

/** What a message has that was opened, or could not be. */
export const dialogMessageMembers = {
  ...messageMembers,
  direction: 'value',
  text: 'value',
  error: { code: 'value', message: 'value' },
} as const;

/** What a page of a dialog has. */
export const dialogMembers = { messages: dialogMessageMembers, next_before: 'value' } as const;

/** What a wallet has. */
export const walletMembers = {
  environment: 'value',
  unit: 'value',
  minor_per_credit: 'value',
  available_minor: 'value',
  reserved_minor: 'value',
  total_minor: 'value',
  can_purchase: 'value',
  can_withdraw: 'value',
} as const satisfies MembersOf<Wallet>;

const ledgerEntryMembers = {
  transaction_id: 'value',
  operation_id: 'value',
  kind: 'value',
  account_kind: 'value',
  order_id: 'value',
  delta_minor: 'value',
  created_at: 'value',
} as const satisfies MembersOf<LedgerEntry>;

/** What a part of the wallet's history has. */
export const ledgerMembers = {
  entries: ledgerEntryMembers,
  next_before: 'value',
} as const satisfies MembersOf<LedgerEntryList>;

/** What a price has. */
export const quoteMembers = {
  amount_minor: 'value',
  fee_minor: 'value',
  total_minor: 'value',
  fee_bps: 'value',
} as const satisfies MembersOf<Quote>;

const participantMembers = { id: 'value', handle: 'value', display_name: 'value' } as const;

/** What an order has. */
export const orderMembers = {
  id: 'value',
  state: 'value',
  version: 'value',
  author_id: 'value',
  customer: participantMembers,
  contractor: participantMembers,
  title: 'value',
  description: 'value',
  deadline: 'value',
  amount_minor: 'value',
  fee_minor: 'value',
  total_minor: 'value',
  fee_bps: 'value',
  fee_mode: 'value',
  input_attachments: fileMembers,
  result_attachments: fileMembers,
  result_text: 'value',
  refund_proposal: { proposed_by: 'value', reason: 'value', created_at: 'value' },
  outcome: 'value',
  created_at: 'value',
  updated_at: 'value',
} as const satisfies MembersOf<Order>;

/** What a page of orders has. */
export const orderPageMembers = { orders: orderMembers, ...pageMembers } as const satisfies MembersOf<OrderPage>;

const orderHistoryMembers = {
  action: 'value',
  participant_id: 'value',
  state: 'value',
  version: 'value',
  reason: 'value',
  created_at: 'value',
} as const satisfies MembersOf<OrderHistoryEntry>;

/** What an order has when it is shown with its history. */
export const orderDetailMembers = { order: orderMembers, events: orderHistoryMembers, next_actions: 'any' } as const;

/** What a command has to say that was not carried out: what it would send, and what comes of it. */
const dryRunMembers = {
  dry_run: 'value',
  request: { method: 'value', path: 'value', body: 'any' },
  files_to_upload: 'value',
} as const;

/** What an action has to say: the order as it is then, or what a dry run tells. */
export const orderActionMembers = { ...orderMembers, ...dryRunMembers, next_action: 'any' } as const;

/** What an offer has to say: the new order, or what a dry run tells. */
export const offerMembers = { ...orderMembers, ...dryRunMembers, quote: quoteMembers } as const;
