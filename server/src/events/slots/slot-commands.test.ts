import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import { captureLog } from '../../../testing/test-server.ts';
import { newId } from '../../platform/crypto.ts';
import { networkKeysOf } from '../../platform/http/address.ts';
import { eventProcessLockClass } from '../../store/postgres/advisory-locks.ts';
import type { Store } from '../../store/store.ts';
import { StoredSlots } from './slot-commands.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore();
});
afterAll(() => store.close());

const { log } = captureLog('info');
const withoutSession = { add: () => undefined, close: async () => undefined };

/** Opens the slots of a process. `afterDecision` runs before the caller receives the decision. */
function openSlots(
  afterDecision: () => Promise<unknown> = async () => undefined,
  limits = { perAgent: 1, perAddress: 0, inAll: 0 },
): StoredSlots {
  const transact: Store['transact'] = async (work) => {
    const result = await store.transact(work);
    await afterDecision();
    return result;
  };
  const slots = new StoredSlots({ ...store, transact }, limits, log, withoutSession);
  onTestFinished(() => slots.close());
  return slots;
}

const givenUp: string[] = [];
const claimOf = (agentId: string, address = 'near') => {
  const id = newId();
  return { id, agentId, networks: networkKeysOf(address), giveUp: () => void givenUp.push(id) };
};
const removePlace = (agentId: string) =>
  store.transact((writer) => writer.deleteFrom('event_places').where('agent_id', '=', agentId).execute());

interface OtherProcess {
  /** The slots expire after this time unless the process renews its lease. */
  readonly livesForSeconds: number;
  readonly lock: 'held' | 'released' | 'none';
  /** The number of its slots, or null for an earlier version, whose rows are counted instead. */
  readonly places?: number | null;
}

let lastKey = 0;

async function connectElsewhere({ livesForSeconds, lock, places = null }: OtherProcess): Promise<string> {
  const [agentId, processId] = [randomUUID(), randomUUID()];
  lastKey += 1;
  const key = lock === 'none' ? null : lastKey;
  await store.transact(async (writer) => {
    if (lock === 'held')
      await sql`select pg_advisory_lock(${sql.lit(eventProcessLockClass)}, ${key}::int)`.execute(writer);
    await sql`
      insert into event_processes (id, lives_until, lock_key, places)
      values (${processId}, clock_timestamp() + make_interval(secs => ${livesForSeconds}), ${key}, ${places})`.execute(
      writer,
    );
    await writer
      .insertInto('event_places')
      .values({ id: randomUUID(), process_id: processId, agent_id: agentId, address: 'near' })
      .execute();
  });
  return agentId;
}

it('counts the slots of a process while it renews them and keeps its lock, if it has one', async () => {
  const processes: readonly (readonly [OtherProcess, 'perAgent' | undefined])[] = [
    [{ livesForSeconds: 60, lock: 'held' }, 'perAgent'],
    [{ livesForSeconds: 60, lock: 'none' }, 'perAgent'],
    [{ livesForSeconds: 60, lock: 'released' }, undefined],
    [{ livesForSeconds: -1, lock: 'held' }, undefined],
    [{ livesForSeconds: -1, lock: 'none' }, undefined],
  ];
  const slots = openSlots();
  const agents: string[] = [];
  for (const [other] of processes) agents.push(await connectElsewhere(other));

  expect(await Promise.all(agents.map((agentId) => slots.take(claimOf(agentId))))).toEqual(
    processes.map(([, expected]) => expected),
  );
});

it('removes the rows of a process that was silent for a minute', async () => {
  const agents: string[] = [];
  for (const livesForSeconds of [-30, -61]) agents.push(await connectElsewhere({ livesForSeconds, lock: 'none' }));
  await openSlots().take(claimOf(randomUUID()));

  const { rows } = await store.read((reader) =>
    sql<{ agent_id: string }>`
      select agent_id from event_places join event_processes on event_processes.id = process_id
      where agent_id = any(${agents}::uuid[])`.execute(reader),
  );
  expect(rows).toEqual([{ agent_id: agents[0] }]);
});

it('retries a claim that is blocked only by slots of other processes, which may just have ended', async () => {
  const agentId = await connectElsewhere({ livesForSeconds: 60, lock: 'held' });

  expect(await openSlots(() => removePlace(agentId)).take(claimOf(agentId))).toBe(undefined);
});

it('immediately refuses a claim that is blocked by slots of its own process', async () => {
  const agentId = randomUUID();
  const removed: string[] = [];
  const slots = openSlots(() => Promise.all(removed.map(removePlace)));
  expect(await slots.take(claimOf(agentId))).toBe(undefined);
  // A second decision would grant the claim now, so the refusal proves that there was only one decision.
  removed.push(agentId);

  expect(await slots.take(claimOf(agentId))).toBe('perAgent');
});

/** Returns the number of slots that each live process reports, and the number of its rows. */
async function readPlaces() {
  const { rows } = await store.read((reader) =>
    sql<{ places: number; rows: number }>`
      select places, (select count(*)::int from event_places where process_id = event_processes.id) as rows
      from event_processes where lives_until > clock_timestamp() and places is not null`.execute(reader),
  );
  return rows;
}

const inAll = (max: number) => ({ perAgent: 0, perAddress: 0, inAll: max });
const clear = () =>
  store.transact((writer) => sql`with gone as (delete from event_places) delete from event_processes`.execute(writer));

it('adds the slots of all processes, by number or by rows, for the limit in all', async () => {
  await clear();
  await connectElsewhere({ livesForSeconds: 60, lock: 'none', places: 3 });
  await connectElsewhere({ livesForSeconds: 60, lock: 'none' });
  await connectElsewhere({ livesForSeconds: -1, lock: 'none', places: 9 });
  const [one, two] = [openSlots(undefined, inAll(6)), openSlots(undefined, inAll(6))];
  const claims = Array.from({ length: 4 }, () => claimOf(randomUUID()));
  const answers = await Promise.all(claims.map((claim, index) => (index % 2 === 0 ? one : two).take(claim)));

  expect(answers.filter((exceeded) => exceeded === undefined)).toHaveLength(2);
  expect(answers.filter((exceeded) => exceeded === 'inAll')).toHaveLength(2);
  await clear();
});

it('no longer counts a released slot, in this process and in others', async () => {
  await clear();
  const [one, two] = [openSlots(undefined, inAll(2)), openSlots(undefined, inAll(2))];
  const claims = [claimOf(randomUUID()), claimOf(randomUUID())];
  for (const claim of claims) expect(await one.take(claim)).toBe(undefined);
  expect(await one.take(claimOf(randomUUID()))).toBe('inAll');
  one.release(claims[0]?.id ?? '');

  expect(await two.take(claimOf(randomUUID()))).toBe(undefined);
  expect(await readPlaces()).toEqual([
    { places: 1, rows: 1 },
    { places: 1, rows: 1 },
  ]);
});

it('writes its slots again if the database has lost them', async () => {
  await clear();
  const slots = openSlots(undefined, inAll(9));
  for (const agentId of [randomUUID(), randomUUID()]) await slots.take(claimOf(agentId));
  await clear();
  expect(await slots.take(claimOf(randomUUID()))).toBe(undefined);

  expect(await readPlaces()).toEqual([{ places: 3, rows: 3 }]);
});

it('reassigns the newest slot of the network with the most to one that has none, from any process', async () => {
  await clear();
  const limits = { perAgent: 0, perAddress: 3, inAll: 4 };
  const [one, two] = [openSlots(undefined, limits), openSlots(undefined, limits)];
  const near = Array.from({ length: 3 }, () => claimOf(randomUUID(), '2001:db8:1:2::/64'));
  for (const [index, claim] of near.entries()) expect(await (index === 1 ? one : two).take(claim)).toBe(undefined);
  expect(await one.take(claimOf(randomUUID(), '192.0.2.1'))).toBe(undefined);

  expect(await one.take(claimOf(randomUUID(), '192.0.2.2'))).toBe(undefined);
  await expect.poll(() => givenUp, { timeout: 5_000 }).toEqual([near[2]?.id]);
  expect(await two.take(claimOf(randomUUID(), '192.0.2.3'))).toBe(undefined);
  await expect.poll(() => givenUp, { timeout: 5_000 }).toEqual([near[2]?.id, near[1]?.id]);
  expect(await two.take(claimOf(randomUUID(), '192.0.2.4'))).toBe('inAll');
  await expect.poll(readPlaces, { timeout: 5_000 }).toEqual([
    { places: 2, rows: 2 },
    { places: 2, rows: 2 },
  ]);
});

it('counts the networks of an IPv6 address over all processes', async () => {
  await clear();
  const limits = { perAgent: 0, perAddress: 1, inAll: 0 };
  const [one, two] = [openSlots(undefined, limits), openSlots(undefined, limits)];
  const near = Array.from({ length: 20 }, (_, index) => `2001:db8:0:${(index << 6).toString(16)}::/64`);
  const taken = [];
  for (const [index, address] of [...near, '2001:db8:0:8000::/64', '192.0.2.1', 'no address'].entries())
    taken.push(await (index % 2 === 0 ? one : two).take(claimOf(randomUUID(), address)));

  // Each /56 contains four /64 networks here, and the /48 contains 16.
  expect(taken.map((exceeded) => (exceeded === undefined ? 1 : 0)).join('')).toBe('11111111111111110000011');
});
