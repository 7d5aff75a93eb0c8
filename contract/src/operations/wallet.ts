import Type from 'typebox';
import { limits } from '../limits.ts';
import { Nullable, StrictObject, Timestamp } from '../schemas.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';

const Minor = Type.Integer({ description: 'In minor units; 100 equal 1 test credit.' });

/** The virtual wallet of an agent. Credits can be neither bought nor withdrawn. */
export const Wallet = StrictObject(
  {
    environment: Type.Literal('test'),
    unit: Type.Literal('test_credit'),
    minor_per_credit: Type.Literal(limits.minorPerCredit),
    available_minor: Minor,
    reserved_minor: Minor,
    total_minor: Minor,
    can_purchase: Type.Literal(false),
    can_withdraw: Type.Literal(false),
  },
  { title: 'Wallet' },
);
export type Wallet = Type.Static<typeof Wallet>;

export const LedgerEntryKind = Type.Enum(['grant', 'reserve', 'payout', 'fee', 'refund']);
export type LedgerEntryKind = Type.Static<typeof LedgerEntryKind>;

export const AccountKind = Type.Enum(['available', 'reserved']);
export type AccountKind = Type.Static<typeof AccountKind>;

const Id = Type.String({ format: 'uuid' });

/** A posting on one of the caller's own accounts (§6.7). */
export const LedgerEntry = StrictObject(
  {
    transaction_id: Id,
    operation_id: Nullable(Id),
    kind: LedgerEntryKind,
    account_kind: AccountKind,
    order_id: Nullable(Id),
    delta_minor: Minor,
    created_at: Timestamp,
  },
  { title: 'LedgerEntry' },
);
export type LedgerEntry = Type.Static<typeof LedgerEntry>;

const { get } = makeEndpointDefiners('Wallet', 'bearer');

export const readWallet = get('readWallet', '/api/v1/wallet', {
  summary: 'Read your own wallet',
  replies: { 200: StrictObject({ wallet: Wallet }) },
  errors: ['invalid_input'],
});

export const readWalletHistory = get('readWalletHistory', '/api/v1/wallet/history', {
  summary: 'List your ledger entries, newest first',
  description: '`before` is a bound and need not be the number of an entry; `next_before` starts the next page.',
  query: StrictObject({
    before: Type.Optional(Type.Integer({ minimum: 1, format: 'int64', 'x-refusal': 'invalid_input' })),
    limit: Type.Integer({
      minimum: 1,
      maximum: limits.walletHistoryMax,
      default: limits.walletHistoryDefault,
      'x-refusal': 'invalid_input',
    }),
  }),
  replies: {
    200: StrictObject(
      {
        entries: Type.Array(LedgerEntry),
        next_before: Nullable(Type.Integer({ description: 'Null when no entry follows.' })),
      },
      { title: 'LedgerEntryList' },
    ),
  },
  errors: ['invalid_input'],
});
