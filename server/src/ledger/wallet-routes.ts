import { readWallet, readWalletHistory } from '@agent-platform/contract';
import type { Caller } from '../identity/token-queries.ts';
import { type Mount, reply } from '../platform/mount.ts';
import type { Store } from '../store/store.ts';
import { findBalances, listEntries } from './wallet-queries.ts';
import { showHistory, showWallet } from './wallet-view.ts';

/** What the wallet needs. */
export interface WalletParts {
  readonly store: Store;
}

/** Mounts the wallet and its history. */
export function mountWallet(mount: Mount<Caller>, { store }: WalletParts): void {
  mount(readWallet, async ({ agent }) => reply(200, { wallet: showWallet(await findBalances(store, agent.agent.id)) }));

  mount(readWalletHistory, async ({ agent, query }) => {
    const { entries, hasMore } = await listEntries(store, agent.agent.id, query);
    return reply(200, showHistory(entries, hasMore));
  });
}
