import { sql } from 'kysely';
import { orderFilesIgnoringExpiry } from '../attachments/attachment-commands.ts';
import { eraseFiles } from '../attachments/erase-files-commands.ts';
import { removeFileBytes } from '../attachments/file-retention-commands.ts';
import type { EventAnnouncer } from '../events/event-commands.ts';
import type { FileStorage } from '../files/storage.ts';
import { countTextBytes } from '../identity/text-usage.ts';
import { chargeTextBytes } from '../identity/text-usage-commands.ts';
import { endOffers } from '../orders/order-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { lowestId } from '../platform/crypto.ts';
import { runBatches } from '../platform/semaphore.ts';
import { transactUnderLock } from '../store/postgres/advisory-locks.ts';
import type { Store, Writer } from '../store/store.ts';
import { findOfferIds, findUnfinishedErasures } from './erase-queries.ts';

export interface FinishErasureDependencies {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly clock: Clock;
  readonly announce: EventAnnouncer;
}

const batchMax = 200;

/** Removes the remaining data of an erased agent in batches; repeating a batch is harmless. */
export async function finishErasure(
  { store, storage, clock, announce }: FinishErasureDependencies,
  agentId: string,
): Promise<void> {
  await removePosts(store, agentId);
  await eraseFiles(store, agentId, clock());
  await removeFileBytes(store, storage, clock());
  // Ends offers that were made while the agent was being closed; they can no longer be accepted.
  for (const id of await store.read((reader) => findOfferIds(reader, agentId, Number.MAX_SAFE_INTEGER)))
    await store.transact((writer) =>
      endOffers({ announce, files: orderFilesIgnoringExpiry }, writer, agentId, [id], clock()),
    );
  await store.transact(async (writer) => {
    await writer.deleteFrom('tokens').where('bot_id', '=', agentId).execute();
    await writer.deleteFrom('agent_visits').where('agent_id', '=', agentId).execute();
  });
  await removeOwnEvents(store, agentId);
  await rewriteCopies(store, agentId);
  await store.transact((writer) =>
    writer.updateTable('erasures').set({ finished_at: clock() }).where('agent_id', '=', agentId).execute(),
  );
}

export async function finishErasures(parts: FinishErasureDependencies): Promise<number> {
  const unfinished = await parts.store.read(findUnfinishedErasures);
  for (const agentId of unfinished) await finishErasure(parts, agentId);
  return unfinished.length;
}

// Runs under retention's lock, because retention also removes deleted posts. Each of the two queries has its own index.
async function removePosts(store: Store, agentId: string): Promise<void> {
  for (const isDeleted of [sql`deleted_at is null`, sql`deleted_at is not null`]) {
    await runBatches(batchMax, () =>
      transactUnderLock(store, 'retention', async (writer) => {
        const { rows } = await sql<{ id: string; title: string; text: string; is_deleted: boolean }>`
          delete from posts where id in (
            select id from posts where author_id = ${agentId} and ${isDeleted} limit ${batchMax}
          ) returning id, title, text, deleted_at is not null as is_deleted`.execute(writer);
        const ids = rows.map(({ id }) => id);
        if (ids.length > 0) await writer.deleteFrom('search_texts').where('document_id', 'in', ids).execute();
        const counted = rows.filter(({ is_deleted }) => !is_deleted).flatMap(({ title, text }) => [title, text]);
        await chargeTextBytes(writer, agentId, -countTextBytes(...counted), 0);
        return rows.length;
      }),
    );
  }
}

async function removeOwnEvents(store: Store, agentId: string): Promise<void> {
  await runBatches(batchMax * 5, () =>
    store.transact(async (writer) => {
      const { rows } = await sql`
        delete from events where agent_id = ${agentId} and number in (
          select number from events where agent_id = ${agentId} order by number limit ${batchMax * 5}
        ) returning 1`.execute(writer);
      return rows.length;
    }),
  );
}

/** A stored row whose JSON text may contain the name of the erased agent. */
interface Copy {
  readonly key: string;
  readonly json: string;
}

// Stored responses to other agents' order commands, and unacknowledged block events, also contain the name of the
// agent. Stored responses to the agent's own commands are removed: they are never requested again.
async function rewriteCopies(store: Store, agentId: string): Promise<void> {
  await inBatches(store, async (writer, after) => {
    const { rows } = await sql<{ key: string }>`
      update operations set answer = null where agent_id = ${agentId} and operation_id in (
        select operation_id from operations where agent_id = ${agentId} and operation_id > ${after}
        order by operation_id limit ${batchMax}
      ) returning operation_id as key`.execute(writer);
    return rows;
  });
  for (const peerId of await findOrderPeers(store, agentId)) {
    await rewriteAnswers(store, agentId, peerId);
  }
  await inBatches(store, async (writer, after) => {
    const { rows } = await sql<{ key: string; peer_id: string }>`
      select id as key, case when first_id = ${agentId} then second_id else first_id end as peer_id
      from contacts where ${agentId} in (first_id, second_id) and id > ${after} order by id limit ${batchMax}`.execute(
      writer,
    );
    for (const { peer_id } of rows) await rewriteEvents(writer, agentId, peer_id);
    return rows;
  });
}

async function findOrderPeers(store: Store, agentId: string): Promise<readonly string[]> {
  const { rows } = await store.read((reader) =>
    sql<{ id: string }>`
      select contractor_id as id from orders where customer_id = ${agentId}
      union select customer_id from orders where contractor_id = ${agentId}`.execute(reader),
  );
  return rows.map(({ id }) => id);
}

async function rewriteAnswers(store: Store, agentId: string, peerId: string): Promise<void> {
  await inBatches(store, async (writer, after) => {
    const { rows } = await sql<AnswerCopy>`
      select operation_id as key, answer::text as json, orders.customer_id = ${agentId} as "isCustomer", handle
      from operations join bots on bots.id = ${agentId}
      join orders on orders.id = order_id and ${agentId} in (orders.customer_id, orders.contractor_id)
      where agent_id = ${peerId} and operation_id > ${after} order by operation_id limit ${batchMax}`.execute(writer);
    for (const { key, json, isCustomer, handle } of rows) {
      const renamed = renameIn(json, isCustomer, handle);
      if (renamed === undefined) continue;
      await sql`update operations set answer = ${renamed}::json
                where agent_id = ${peerId} and operation_id = ${key}`.execute(writer);
    }
    return rows;
  });
}

async function rewriteEvents(writer: Writer, agentId: string, peerId: string): Promise<void> {
  const { rows } = await sql<Copy>`
    select number::text as key, payload::text as json from events
    where agent_id = ${peerId} and peer_id = ${agentId} and kind = 'contact.blocked'`.execute(writer);
  for (const { key, json } of rows) {
    const renamed = rename(json, agentId);
    if (renamed === undefined) continue;
    await sql`update events set payload = ${renamed}::json
              where agent_id = ${peerId} and number = ${key}::bigint`.execute(writer);
  }
}

interface AnswerCopy extends Copy {
  readonly isCustomer: boolean;
  readonly handle: string;
}

/** Replaces the agent's name with its handle in every copy of its profile; returns undefined if nothing changes. */
function rename(json: string | null, agentId: string): string | undefined {
  if (json?.includes(agentId) !== true) return undefined;
  let isChanged = false;
  const renamed = JSON.stringify(JSON.parse(json), (_, value: unknown) => {
    if (!isProfile(value) || value.id !== agentId || value.display_name === value.handle) return value;
    isChanged = true;
    return { ...value, display_name: value.handle };
  });
  return isChanged ? renamed : undefined;
}

/** Replaces the agent's name in a stored pair of order participants; returns undefined if nothing changes. */
function renameIn(json: string | null, isCustomer: boolean, handle: string): string | undefined {
  if (json === null) return undefined;
  const [customer, contractor] = JSON.parse(json) as readonly [string, string];
  const renamed = JSON.stringify(isCustomer ? [handle, contractor] : [customer, handle]);
  return renamed === json ? undefined : renamed;
}

function isProfile(value: unknown): value is { id: string; handle: string; display_name: string } {
  return typeof value === 'object' && value !== null && 'display_name' in value && 'handle' in value && 'id' in value;
}

async function inBatches(
  store: Store,
  run: (writer: Writer, after: string) => Promise<readonly { readonly key: string }[]>,
): Promise<void> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const bound: string = after;
    const rows = await store.transact((writer) => run(writer, bound));
    after =
      rows.length < batchMax
        ? undefined
        : rows
            .map(({ key }) => key)
            .toSorted()
            .at(-1);
  }
}
