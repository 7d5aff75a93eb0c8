import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../testing/embedded-store.ts';
import { captureLog } from '../../testing/test-server.ts';
import { eventProcessLocks } from '../store/advisory-locks.ts';
import type { Store } from '../store/store.ts';
import { StoredSlots } from './slot-commands.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore();
});
afterAll(() => store.close());

const open: StoredSlots[] = [];
afterEach(async () => {
  for (const slots of open.splice(0)) await slots.close();
});

const { log } = captureLog('info');
const withoutSession = { add: () => undefined, close: async () => undefined };

/** The slots of a process, of which each agent has one; `afterDecision` runs before a decision is known. */
function openSlots(afterDecision: () => Promise<unknown> = async () => undefined): StoredSlots {
  const transact: Store['transact'] = async (work) => {
    const result = await store.transact(work);
    await afterDecision();
    return result;
  };
  const limits = { perAgent: 1, perAddress: 0, inAll: 0 };
  const slots = new StoredSlots({ ...store, transact }, limits, log, withoutSession);
  open.push(slots);
  return slots;
}

const claimOf = (agentId: string) => ({ id: randomUUID(), agentId, address: 'near' });
const removePlace = (agentId: string) =>
  store.transact((writer) => writer.deleteFrom('event_places').where('agent_id', '=', agentId).execute());

interface OtherProcess {
  /** When its silence ends its slots, from now. */
  readonly livesForSeconds: number;
  readonly lock: 'held' | 'released' | 'none';
}

let lastKey = 0;

/** An agent whose slot another process has. */
async function connectElsewhere({ livesForSeconds, lock }: OtherProcess): Promise<string> {
  const [agentId, processId] = [randomUUID(), randomUUID()];
  lastKey += 1;
  const key = lock === 'none' ? null : lastKey;
  await store.transact(async (writer) => {
    if (lock === 'held') await sql`select pg_advisory_lock(${sql.lit(eventProcessLocks)}, ${key}::int)`.execute(writer);
    await sql`
      insert into event_processes (id, lives_until, lock_key)
      values (${processId}, clock_timestamp() + make_interval(secs => ${livesForSeconds}), ${key})`.execute(writer);
    await writer
      .insertInto('event_places')
      .values({ id: randomUUID(), process_id: processId, agent_id: agentId, address: 'near' })
      .execute();
  });
  return agentId;
}

it('counts the slots of a process while it renews them and its lock, if it has one, is held', async () => {
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

it('decides again when only slots of other processes stand against a claim, which may just have ended', async () => {
  const agentId = await connectElsewhere({ livesForSeconds: 60, lock: 'held' });

  expect(await openSlots(() => removePlace(agentId)).take(claimOf(agentId))).toBe(undefined);
});

it('refuses at once a claim that slots of its own process stand against', async () => {
  const agentId = randomUUID();
  const removed: string[] = [];
  const slots = openSlots(() => Promise.all(removed.map(removePlace)));
  expect(await slots.take(claimOf(agentId))).toBe(undefined);
  // A second decision would grant the claim.
  removed.push(agentId);

  expect(await slots.take(claimOf(agentId))).toBe('perAgent');
});
