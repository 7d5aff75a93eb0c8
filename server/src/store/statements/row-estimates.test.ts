import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { makeOrderInState, makeOrderParties } from '../../../testing/scenarios/orders.ts';
import { useTestServer } from '../../../testing/test-server.ts';
import { countAgents } from '../../identity/agent-queries.ts';
import { countOrders } from '../../orders/order-queries.ts';

const server = useTestServer();
beforeAll(async () => {
  const pair = await makeOrderParties(server());
  const states = ['offered', 'offered', 'offered', 'offered', 'cancelled', 'cancelled'] as const;
  for (const state of states) await makeOrderInState(server(), pair, state);
});

it('counts small tables, and estimates large ones from the statistics of the database', async () => {
  expect(await server().store.read(countOrders)).toMatchObject({
    byState: { offered: 4, cancelled: 2, closed: 0 },
    isEstimate: false,
  });
  await server().store.transact((writer) => sql`analyze orders, bots`.execute(writer));
  expect(await server().store.read(countAgents)).toEqual({ active: 2, suspended: 0, isEstimate: false });
  await server().store.transact(async (writer) => {
    await sql`update pg_class set reltuples = 6000000 where oid in ('orders'::regclass, 'bots'::regclass)`.execute(
      writer,
    );
  });
  expect(await server().store.read(countOrders)).toMatchObject({
    byState: { offered: 4_000_000, cancelled: 2_000_000, closed: 0 },
    isEstimate: true,
  });
  expect(await server().store.read(countAgents)).toEqual({ active: 6_000_000, suspended: 0, isEstimate: true });
});
