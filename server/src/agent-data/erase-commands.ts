import { sql } from 'kysely';
import { orderFilesIgnoringExpiry } from '../attachments/attachment-commands.ts';
import { blockErasedAgentContacts } from '../contacts/contact-commands.ts';
import type { Agent } from '../identity/agent.ts';
import { loadAgent } from '../identity/agent-queries.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import { lockNamedAgents } from '../identity/named-agents-commands.ts';
import { countProfileTextBytes } from '../identity/text-usage.ts';
import { chargeTextBytes } from '../identity/text-usage-commands.ts';
import { endOffers } from '../orders/order-commands.ts';
import { recordRevocation } from '../store/statements/after-commit.ts';
import { formatArray } from '../store/statements/parameters.ts';
import type { Writer } from '../store/store.ts';
import {
  countOffersAndContacts,
  findOfferIds,
  findOpenOrders,
  findUnfinishedOrders,
  refuseOpenOrders,
  type UnfinishedOrder,
} from './erase-queries.ts';
import { type FinishErasureDependencies, finishErasure } from './finish-erasure-commands.ts';

interface EraseDependencies extends FinishErasureDependencies {
  readonly record: ActRecorder;
  /** Closes the event connections of these agents. */
  readonly accessChanged: (agentIds: readonly string[]) => void;
}

/** `keep` leaves open orders open; only an erasure that is replayed after a restore uses it. */
type OpenOrders = 'refuse' | 'keep';

/** The batch size for offers and contacts: ending all of them in one transaction would take too long. */
const atOnceMax = 200;

/**
 * Erases an agent. One transaction closes the agent permanently: after its commit, the agent is no longer visible, and
 * commands by or about the agent have no effect. The remaining data is then removed in batches; retention finishes an
 * interrupted erasure. Refuses while the agent has an open order. Idempotent.
 */
export async function eraseAgent(parts: EraseDependencies, name: string, openOrders: OpenOrders = 'refuse') {
  const { store } = parts;
  const agent = await store.read((reader) => loadAgent(reader, name));
  const check = openOrders === 'refuse' ? refuseOpenOrders : () => undefined;
  check(await store.read((reader) => findOpenOrders(reader, agent.id)));
  await reduceFirst(parts, agent);
  const { isNew, handle } = await closeForEver(parts, agent, check);
  parts.accessChanged([agent.id]);
  await finishErasure(parts, agent.id);
  return { id: agent.id, handle, changed: isNew };
}

// Locks orders, then the agent, then contacts. All commands that may add texts, orders or messages of the agent acquire
// these locks in this sequence. Accepting an order and sending a message also lock the contact, so each of them either
// commits before the erasure or is refused.
async function closeForEver(
  { store, clock, announce, record }: EraseDependencies,
  { id }: Agent,
  check: (open: readonly UnfinishedOrder[]) => void,
) {
  return await store.transact(async (writer) => {
    const now = clock();
    const orders = await lockUnfinishedOrders(writer, id);
    check(orders.filter(({ state }) => state !== 'offered'));
    const agent = (await lockNamedAgents(writer, [id])).get(id);
    if (agent === undefined) throw new Error(`The agent ${id} was found but no longer exists.`);
    if (agent.is_erased) return { isNew: false, handle: agent.handle };
    const blank = blankProfile(agent);
    const peers = await blockErasedAgentContacts(
      { announce },
      writer,
      { ...agent, ...blank },
      Number.MAX_SAFE_INTEGER,
      now,
    );
    // Refuses if an order was offered and accepted since the first check. From here on, no offer can be accepted.
    check(await findOpenOrders(writer, id));
    const offerIds = orders.filter(({ state }) => state === 'offered').map((order) => order.id);
    const offers = await endOffers({ announce, files: orderFilesIgnoringExpiry }, writer, id, offerIds, now);
    await writer.deleteFrom('tokens').where('bot_id', '=', id).execute();
    await writer.deleteFrom('search_texts').where('document_id', '=', id).execute();
    await writer
      .updateTable('bots')
      .set({ ...blank, updated_at: now })
      .where('id', '=', id)
      .execute();
    await suspend(writer, id, now);
    const key_fingerprint = agent.encryption_key_fingerprint;
    const erasure = { agent_id: id, key_fingerprint, erased_at: now, finished_at: null };
    await writer.insertInto('erasures').values(erasure).execute();
    recordRevocation(writer, { kind: 'erased', agent_id: id });
    await record(writer, [{ agentId: id, details: { contacts: peers.length, offers } }]);
    await chargeTextBytes(writer, id, countProfileTextBytes({ ...agent, ...blank }) - countProfileTextBytes(agent), 0);
    return { isNew: true, handle: agent.handle };
  });
}

// If an offer is being accepted, this query returns the funded order, or the acceptance fails on the closed offer.
async function lockUnfinishedOrders(writer: Writer, agentId: string): Promise<readonly UnfinishedOrder[]> {
  const ids = (await findUnfinishedOrders(writer, agentId)).map(({ id }) => id);
  const { rows } = await sql<UnfinishedOrder>`
    select id, state from orders
    where id = any(${formatArray(ids)}::uuid[]) and state not in ('closed', 'cancelled', 'rejected')
    order by id for no key update`.execute(writer);
  return rows;
}

/** An erased agent keeps its handle and its key, which stay reserved. */
function blankProfile({ handle }: Agent) {
  return {
    display_name: handle,
    specialty: '',
    bio: '',
    character_description: '',
    profile_public: false,
    avatar_id: null,
    character_id: null,
    files_quota: null,
    file_bytes_quota: null,
    uploads_quota: null,
    text_bytes_quota: null,
  };
}

/** If an agent has many offers or contacts, suspends the agent and ends most of them in separate transactions. */
async function reduceFirst({ store, clock, announce }: FinishErasureDependencies, { id }: Agent): Promise<void> {
  const { offers, contacts } = await store.read((reader) => countOffersAndContacts(reader, id));
  if (offers <= atOnceMax && contacts <= atOnceMax * 10) return;
  await store.transact((writer) => suspend(writer, id, clock()));
  for (let left = offers; left > atOnceMax; left -= atOnceMax) {
    await store.transact(async (writer) => {
      const some = await findOfferIds(writer, id, atOnceMax);
      await endOffers({ announce, files: orderFilesIgnoringExpiry }, writer, id, some, clock());
    });
  }
  for (let left = contacts; left > atOnceMax; left -= atOnceMax) {
    await store.transact(async (writer) => {
      const agent = (await lockNamedAgents(writer, [id])).get(id);
      if (agent === undefined || agent.is_erased) return;
      const blank = { ...agent, ...blankProfile(agent) };
      await blockErasedAgentContacts({ announce }, writer, blank, atOnceMax, clock());
    });
  }
}

async function suspend(writer: Writer, id: string, now: Date): Promise<void> {
  await sql`update bots set suspended_at = ${now} where id = ${id} and suspended_at is null`.execute(writer);
}
