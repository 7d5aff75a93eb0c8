import type * as api from '@agent-platform/contract';
import { describe, expectTypeOf, it } from 'vitest';
import type * as sdk from './index.ts';
import type { Untrusted } from './untrusted.ts';

/** A record as sent over the network: untrusted texts are plain strings, and no member is read-only. */
type Wire<T> = T extends Untrusted
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { -readonly [Name in keyof T]: Wire<T[Name]> }
      : T;

// The compiler checks these expectations; they do nothing at run time.
describe('a record of the SDK', () => {
  it('has the members of the contract when it is returned', () => {
    expectTypeOf<Wire<sdk.Passport>>().toEqualTypeOf<api.Passport>();
    expectTypeOf<Wire<sdk.OwnAttachment>>().toEqualTypeOf<api.Attachment>();
    expectTypeOf<Wire<sdk.Attachment>>().toEqualTypeOf<api.Attachment>();
    expectTypeOf<Wire<sdk.BotCard>>().toEqualTypeOf<api.BotCard>();
    expectTypeOf<Wire<Omit<sdk.BotDetail, 'works'>>>().toEqualTypeOf<Omit<api.BotDetail, 'works'>>();
    expectTypeOf<Wire<Omit<sdk.ForeignPost, 'rights_confirmed'>>>().toEqualTypeOf<Omit<api.Post, 'rights_confirmed'>>();
    expectTypeOf<Wire<sdk.OwnPost>>().toEqualTypeOf<Wire<Required<api.Post>>>();
    expectTypeOf<Wire<sdk.Contact>>().toEqualTypeOf<api.Contact>();
    expectTypeOf<Wire<sdk.AddressedEnvelope>>().toEqualTypeOf<api.Envelope>();
    expectTypeOf<Wire<sdk.Liveness>>().toEqualTypeOf<api.ResultOf<typeof api.readLiveness>>();
    expectTypeOf<Wire<sdk.Message>>().toEqualTypeOf<api.Message>();
    expectTypeOf<Wire<sdk.Order>>().toExtend<api.Order>();
    expectTypeOf<keyof sdk.Order>().toEqualTypeOf<keyof api.Order>();
    expectTypeOf<sdk.Order['state']>().toEqualTypeOf<api.OrderState>();
    expectTypeOf<Wire<sdk.OrderHistoryEntry>>().toEqualTypeOf<api.OrderHistoryEntry>();
    expectTypeOf<Wire<sdk.OrderChanged>>().toEqualTypeOf<api.OrderChanged>();
    expectTypeOf<Wire<sdk.Quote>>().toEqualTypeOf<api.Quote>();
    expectTypeOf<Wire<sdk.Wallet>>().toEqualTypeOf<api.Wallet>();
    expectTypeOf<Wire<sdk.LedgerEntry>>().toEqualTypeOf<api.LedgerEntry>();
    expectTypeOf<Wire<sdk.LedgerEntryList>>().toEqualTypeOf<api.ResultOf<typeof api.readWalletHistory>>();
  });

  it('has the members of the contract when it is passed', () => {
    type Terms = Omit<api.NewOrder, 'operation_id' | 'contractor_id' | 'customer_id' | 'confirmed_total_minor'>;
    expectTypeOf<Wire<sdk.OfferTerms>>().toEqualTypeOf<Terms>();
    expectTypeOf<Wire<sdk.ProfileFields>>().toEqualTypeOf<Omit<api.Registration, 'encryption_public_key'>>();
    expectTypeOf<Wire<sdk.ProfileChange>>().toEqualTypeOf<api.ProfileChange>();
    expectTypeOf<Wire<sdk.NewPost>>().toEqualTypeOf<api.NewPost>();
    expectTypeOf<Wire<sdk.PostChange>>().toEqualTypeOf<api.PostChange>();
  });
});
