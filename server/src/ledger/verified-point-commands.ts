import type { Store } from '../store/store.ts';
import { verifiedUntilName } from './verified-point-queries.ts';

/** Keeps the time up to which the whole ledger is verified; undefined forgets it, after a fault. */
export async function keepVerifiedUntil(store: Store, until: Date | undefined): Promise<void> {
  await store.transact(async (writer) => {
    if (until === undefined) {
      await writer.deleteFrom('platform_facts').where('name', '=', verifiedUntilName).execute();
      return;
    }
    const kept = { value: until.toISOString() };
    await writer
      .insertInto('platform_facts')
      .values({ name: verifiedUntilName, ...kept })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(kept))
      .execute();
  });
}
