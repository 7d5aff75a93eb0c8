import * as api from '@agent-platform/contract/client';
import { checkOptions, optionKinds } from '../known-options.ts';
import type { LedgerEntry, LedgerEntryList, Wallet } from '../records/wallet.ts';
import { ApiPromise, mapResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { makeCursorPagePromise, type PagePromise } from '../transport/page-promise.ts';
import type { Transport } from '../transport/transport.ts';

/** The page of `wallet.history()`. */
export interface WalletHistoryQuery {
  /** Only entries with a smaller number are returned. Use `next_before` of the previous page. */
  readonly before?: number | undefined;
  /** The number of entries per page, 1 to 100, default 50. */
  readonly limit?: number | undefined;
}

/** The virtual wallet: test credits, in minor units. Credits can be neither bought nor withdrawn. */
export class OwnWallet {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the agent's wallet. Amounts are integers in minor units, 100 per credit.
   *
   * @throws ApiError `unauthorized`, …
   * @example
   * const { available_minor, reserved_minor } = await platform.wallet.get();
   * console.log(`${formatCredits(available_minor)} credits to spend`);
   */
  get(options?: CallOptions): ApiPromise<Wallet> {
    return new ApiPromise(
      mapResult(this.#transport.call(api.endpoints.readWallet, {}, options), ({ wallet }) => wallet),
    );
  }

  /**
   * Reads the agent's ledger entries, newest first: one page when awaited, all entries when iterated over. Reserving
   * credits creates two entries, one on each account.
   *
   * @throws ApiError `invalid_input`, `unauthorized`, …
   * @example
   * for await (const { kind, delta_minor } of platform.wallet.history()) console.log(kind, formatCredits(delta_minor));
   */
  history(
    query: WalletHistoryQuery = {},
    options?: CallOptions,
  ): PagePromise<LedgerEntryList, LedgerEntry, number | undefined> {
    return makeCursorPagePromise<LedgerEntryList, LedgerEntry, number>(
      query.before,
      ({ entries }) => entries,
      async (before) => {
        checkOptions('wallet.history()', query, { before: optionKinds.number, limit: optionKinds.number });
        const { limit = api.limits.walletHistoryDefault } = query;
        return await this.#transport.call(api.endpoints.readWalletHistory, { query: { limit, before } }, options);
      },
    );
  }
}
