import { readWallet, readWalletHistory } from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import type { Store } from '../store/store.ts';
import { authenticateWithBalances, listLedgerEntries } from './wallet-queries.ts';
import { showWallet, showWalletHistory } from './wallet-view.ts';

export function mountWallet(
  mount: OperationMounter<Caller>,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): void {
  const mountOwn = mount.authenticatedBy({
    authenticate: (token) => authenticateWithBalances(store, clock, token),
    idOf: ({ id }) => id,
  });
  mountOwn(readWallet, async ({ caller }) => makeReply(200, { wallet: showWallet(caller) }));

  mount(readWalletHistory, async ({ caller, query }) =>
    makeReply(200, showWalletHistory(await listLedgerEntries(store, caller.agent.id, query))),
  );
}
