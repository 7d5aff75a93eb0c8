import { writePlatformFact } from '../store/platform-facts.ts';
import type { Store } from '../store/store.ts';
import { ledgerCheckFactName, verifiedUntilFactName } from './verified-point-queries.ts';

interface LedgerCheckEnd {
  readonly at: Date;
  readonly faults: number;
  /** The time up to which the whole ledger is verified; undefined after a fault. */
  readonly verifiedUntil: Date | undefined;
}

/** A fault resets the time up to which the whole ledger is verified. */
export async function storeLedgerCheck(store: Store, { at, faults, verifiedUntil }: LedgerCheckEnd): Promise<void> {
  await store.transact(async (writer) => {
    await writePlatformFact(writer, ledgerCheckFactName, `${at.toISOString()} ${faults}`);
    if (verifiedUntil !== undefined)
      await writePlatformFact(writer, verifiedUntilFactName, verifiedUntil.toISOString());
    else await writer.deleteFrom('platform_facts').where('name', '=', verifiedUntilFactName).execute();
  });
}
