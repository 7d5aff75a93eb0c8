import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  advanceOrder,
  makeOffer,
  makeOrderInState,
  makeOrderParties,
  type OrderParties,
} from '../../testing/scenarios/orders.ts';
import { useTestServer } from '../../testing/test-server.ts';
import { sumCredits } from './credit-totals-queries.ts';
import { checkLedger, type LedgerFault } from './ledger-check-queries.ts';

const server = useTestServer();
let pair: OrderParties;
let ids: Record<'offered' | 'funded' | 'delivered' | 'closed' | 'refunded' | 'rejected', string>;
beforeAll(async () => {
  pair = await makeOrderParties(server(), 10_000);
  const of = async (state: 'offered' | 'funded' | 'delivered' | 'closed' | 'rejected') =>
    (await makeOrderInState(server(), pair, state))['id'] ?? '';
  const refunded = await makeOffer(server(), pair);
  await advanceOrder(server(), pair, refunded, ['accept', 'propose-refund', 'approve-refund']);
  ids = {
    offered: await of('offered'),
    funded: await of('funded'),
    delivered: await of('delivered'),
    closed: await of('closed'),
    rejected: await of('rejected'),
    refunded,
  };
});

/** Changes rows, checks the ledger, and rolls the changes back. */
async function checkBroken(...changes: readonly string[]): Promise<readonly Omit<LedgerFault, 'message'>[]> {
  return await checkBrokenSince(undefined, ...changes);
}

/** Like `checkBroken`, but only checks rows since a time. */
async function checkBrokenSince(since: Date | undefined, ...changes: readonly string[]) {
  const { store } = server();
  let found: readonly LedgerFault[] = [];
  const stop = new Error('put back');
  await store
    .transact(async (writer) => {
      for (const change of changes) await sql.raw(change).execute(writer);
      const inside = { ...store, read: <T>(work: Parameters<typeof store.read<T>>[0]) => work(writer) };
      found = (await checkLedger(inside, { since })).faults;
      throw stop;
    })
    .catch((error: unknown) => {
      if (error !== stop) throw error;
    });
  return found.map(({ kind, id }) => ({ kind, id }));
}

describe('the ledger check', () => {
  it('finds no fault if orders have ended in every possible way', async () => {
    expect(await checkLedger(server().store)).toEqual({
      // A grant, four reserves, a payout and a refund.
      transactions: 7,
      entries: 2 + 4 * 2 + 4 + 2,
      wallets: 2,
      orders: 6,
      faultCount: 0,
      faults: [],
    });
    expect(await server().store.read(sumCredits)).toEqual({
      issued: 10_000,
      available: 10_000 - 2 * 1_100 - 100,
      reserved: 2_200,
      fees: 100,
    });
  });

  it('names a transaction that does not sum to zero, and the wallet that no longer matches its entries', async () => {
    const found = await checkBroken(
      `update ledger_entries set delta_minor = delta_minor + 1 where number = (
         select max(number) from ledger_entries where agent_id = '${pair.contractor.id}')`,
    );
    expect(found.map(({ kind }) => kind)).toEqual(['transaction', 'wallet', 'order']);
    expect(found[1]).toEqual({ kind: 'wallet', id: pair.contractor.id });
    expect(found[2]).toEqual({ kind: 'order', id: ids.closed });
  });

  it('names a balance that is not the sum of its entries', async () => {
    expect(
      await checkBroken(
        `update wallets set available_minor = available_minor + 1 where agent_id = '${pair.customer.id}'`,
      ),
    ).toEqual([{ kind: 'wallet', id: pair.customer.id }]);
  });

  it('reports a reserve that equals its entries but not the total of the open orders', async () => {
    const found = await checkBroken(
      `update orders set state = 'cancelled' where id = '${ids.funded}'`,
      `update order_history set state = 'cancelled' where order_id = '${ids.funded}' and version = 2`,
    );
    expect(found).toEqual([
      { kind: 'reserve', id: pair.customer.id },
      { kind: 'order', id: ids.funded },
    ]);
  });

  it('names an order that was funded without a reserve', async () => {
    const found = await checkBroken(`update orders set state = 'funded' where id = '${ids.offered}'`);
    expect(found).toEqual([
      { kind: 'reserve', id: pair.customer.id },
      { kind: 'order', id: ids.offered },
      { kind: 'history', id: ids.offered },
    ]);
  });

  it('names an order whose end and postings differ', async () => {
    const found = await checkBroken(`update orders set outcome = 'accepted' where id = '${ids.refunded}'`);
    expect(found).toEqual([{ kind: 'order', id: ids.refunded }]);
  });

  it('names a history with a gap', async () => {
    const found = await checkBroken(`delete from order_history where order_id = '${ids.closed}' and version = 3`);
    expect(found).toEqual([{ kind: 'history', id: ids.closed }]);
  });

  it('counts the faults that it does not name', async () => {
    let check: Awaited<ReturnType<typeof checkLedger>> | undefined;
    await server()
      .store.transact(async (writer) => {
        await sql`insert into ledger_transactions (id, movement, operation_id, created_at)
                  select gen_random_uuid(), 'grant', gen_random_uuid(), now() from generate_series(1, 150)`.execute(
          writer,
        );
        check = await checkLedger({ ...server().store, read: (work) => work(writer) });
        throw new Error('put back');
      })
      .catch(() => undefined);
    expect(check).toMatchObject({ transactions: 157, faultCount: 150 });
    expect(check?.faults).toHaveLength(100);
  });
});

describe('the check of changes since a time', () => {
  it('reads the transactions and orders since then, and the wallets that they changed', async () => {
    // After many writes, the database's times may be slightly ahead of this clock.
    const since = new Date(Date.now() + 1_000);
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(since.getTime());
    expect(await checkLedger(server().store, { since })).toMatchObject({ transactions: 0, wallets: 0, orders: 0 });
    const { id } = await makeOrderInState(server(), pair, 'funded');
    const reports: object[] = [];
    const changed = await checkLedger(server().store, { since, report: (progress) => reports.push(progress) });

    expect(changed).toMatchObject({ transactions: 1, entries: 2, wallets: 1, orders: 1, faultCount: 0 });
    expect(reports).toEqual(
      ['transactions', 'wallets', 'orders'].map((table) => expect.objectContaining({ table, checked: 1 })),
    );
    expect(
      await checkBrokenSince(since, `update orders set outcome = null, state = 'delivered' where id = '${id}'`),
    ).toEqual([{ kind: 'history', id }]);
    expect(
      await checkBrokenSince(since, `update orders set outcome = 'accepted' where id = '${ids.refunded}'`),
    ).toEqual([]);
  });
});
