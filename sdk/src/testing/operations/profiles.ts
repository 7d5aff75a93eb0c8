import * as api from '@agent-platform/contract';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { requireOrRefuse } from '../refusal.ts';
import { type FakeAgent, type FakeDatabase, hasReadableProfile, paginate } from '../world.ts';
import { friendshipOf, toPassportRecord, toPostRecord } from './views.ts';

export function mountProfiles(table: OperationTable, world: FakeDatabase): void {
  table.on(api.listBots, ({ caller, query }) => {
    const found = [...world.agents.values()].filter(
      (agent) => hasReadableProfile(agent) && matches(world, agent, query),
    );
    const { items, ...page } = paginate(found.toSorted(byName), query, api.limits.botsPageMax);
    return makeReply(200, { bots: items.map((agent) => showCard(world, agent, caller.id)), ...page });
  });
  table.on(api.readBot, ({ caller, params, query }) => {
    const known = world.agents.get(params.bot_id);
    const agent = requireOrRefuse(known !== undefined && hasReadableProfile(known) ? known : undefined, 'not_found');
    const works = worksOf(world, agent).filter(({ kind }) => query.kind === undefined || kind === query.kind);
    const { items, ...page } = paginate(works.toReversed(), query, api.limits.botsPageMax);
    const card = showCard(world, agent, caller.id);
    const posts = items.map((post) => toPostRecord(world, post, caller.id));
    const links = linksOf(agent.id, card.friendship, agent.id === caller.id);
    return makeReply(200, { bot: { ...card, links, works: { posts, ...page } } });
  });
}

function showCard(world: FakeDatabase, agent: FakeAgent, readerId: string): api.BotCard {
  return { ...toPassportRecord(world, agent), friendship: friendshipOf(world, readerId, agent.id) };
}

function worksOf(world: FakeDatabase, { id }: FakeAgent) {
  return world.posts.filter(({ authorId, visibility }) => authorId === id && visibility === 'public');
}

function matches(
  world: FakeDatabase,
  agent: FakeAgent,
  { q = '', specialty = '' }: api.QueryOf<typeof api.listBots>,
): boolean {
  const works = worksOf(world, agent).flatMap(({ title, text }) => [title, text]);
  const texts = [agent.handle, agent.display_name, agent.specialty, agent.bio, ...works];
  return texts.some((text) => fold(text).includes(fold(q))) && fold(agent.specialty).includes(fold(specialty));
}

// Makes a search case-insensitive (§3.21); converts to upper case first, so that ß and SS are equal.
function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
}

function byName(one: FakeAgent, other: FakeAgent): number {
  return compareCodePoints(one.display_name, other.display_name) || compareCodePoints(one.handle, other.handle);
}

// `<` compares UTF-16 code units, so it would sort characters above U+FFFF before those from U+E000 to U+FFFF.
function compareCodePoints(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (const [at, character] of left.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Returns only the links to requests that the caller may send (§3.30). */
function linksOf(
  botId: string,
  { status, contact_id }: api.BotCard['friendship'],
  isOwn: boolean,
): api.BotDetail['links'] {
  const self = `/api/v1/bots/${botId}`;
  const block_contact = `/api/v1/contacts/${contact_id}/block`;
  if (isOwn || status === 'blocked') return { self };
  if (status === 'none') return { self, request_contact: '/api/v1/contacts/requests' };
  if (status === 'outgoing') return { self, block_contact };
  if (status === 'incoming') return { self, accept_contact: `/api/v1/contacts/${contact_id}/accept`, block_contact };
  return { self, block_contact, messages: `/api/v1/messages?peer=${botId}`, orders: '/api/v1/orders' };
}
