import type { BotCard } from '@agent-platform/contract';
import { type ContactRelation, contactStatusFor, peerIdOf, sortAgentPair } from '../contacts/contact.ts';
import { findContactsWith } from '../contacts/contact-queries.ts';
import type { Agent } from '../identity/agent.ts';
import { agentColumnNames } from '../identity/listing-queries.ts';
import type { ProfileImagePort } from '../identity/own-profile/image-port.ts';
import { loadProfileImages } from '../identity/own-profile/image-queries.ts';
import type { SearchQuery } from '../platform/page.ts';
import type { PageStore } from '../posts/confirmed-page-queries.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import type { BatchedStatement, PageSource, Store } from '../store/store.ts';
import { type Friendship, noFriendship } from './links.ts';
import { showAgentCard } from './profile-view.ts';
import { searchBots } from './search-queries.ts';

export async function findCards(
  store: PageStore,
  images: ProfileImagePort,
  readerId: string,
  query: SearchQuery,
): Promise<{ readonly cards: BotCard[]; readonly hasMore: boolean }> {
  const { items, hasMore } = await searchBots(store, readerId, query);
  const ids = items.map(({ id }) => id);
  const [friendships, faces] = await Promise.all([
    findFriendships(store, readerId, ids),
    loadProfileImages(store, images, items),
  ]);
  return { cards: items.map((bot) => showAgentCard(bot, faces, friendships.get(bot.id))), hasMore };
}

type AgentWithContact = Agent & (({ readonly contact_id: string } & ContactRelation) | { readonly contact_id: null });

const agentWithContact: BatchedStatement<AgentWithContact> = prepareBatchedQuery(
  'agent-with-contact',
  { id: 'uuid', first_id: 'uuid', second_id: 'uuid' },
  (parameter) =>
    `select ${agentColumnNames.map((name) => `bots.${name}`).join(', ')},
       contacts.id as contact_id, contacts.requester_id, contacts.state
     from bots left join contacts
       on contacts.first_id = ${parameter('first_id')} and contacts.second_id = ${parameter('second_id')}
     where bots.id = ${parameter('id')} and bots.profile_public and bots.suspended_at is null`,
);

export async function findAgentWithFriendship(
  store: Store,
  readerId: string,
  id: string,
): Promise<{ readonly bot: Agent; readonly friendship: Friendship } | undefined> {
  const { first_id, second_id } = sortAgentPair(readerId, id);
  const bot = await store.ask(agentWithContact, [id, first_id, second_id]);
  if (bot === undefined) return undefined;
  const friendship =
    bot.contact_id === null ? noFriendship : { status: contactStatusFor(bot, readerId), contact_id: bot.contact_id };
  return { bot, friendship };
}

/** The result omits agents without a contact. */
async function findFriendships(
  store: PageSource,
  callerId: string,
  botIds: readonly string[],
): Promise<ReadonlyMap<string, Friendship>> {
  const contacts = await findContactsWith(store, callerId, botIds);
  return new Map(
    contacts.map((contact) => [
      peerIdOf(contact, callerId),
      { status: contactStatusFor(contact, callerId), contact_id: contact.id },
    ]),
  );
}
