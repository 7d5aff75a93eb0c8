import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { inListOrder, listed } from '../identity/listing-queries.ts';
import { boundsOf, cutPage, type Found, type PageQuery } from '../platform/page.ts';
import { foldCase, gramsToFind } from '../store/search-text.ts';
import type { Reader } from '../store/store.ts';
import { chooseRoad, probeBots } from './search-road.ts';

/** What is looked for; empty texts filter nothing (D-21). */
export interface BotQuery extends PageQuery {
  readonly q?: string;
  readonly specialty?: string;
}

/** What is looked for, folded; at least one of the two has a character. */
interface Wanted {
  readonly q: string;
  readonly specialty: string;
}

/**
 * Finds listed agents, by display name and then handle. Without a search their
 * order is an index. With one there are two roads, of which each is short where
 * the other is long (see `search-road.ts`), and both find the same.
 */
export async function searchBots(reader: Reader, query: BotQuery): Promise<Found<Agent>> {
  const wanted = { q: foldCase(query.q ?? ''), specialty: foldCase(query.specialty ?? '') };
  const { offset, limit } = boundsOf(query);
  if (wanted.q === '' && wanted.specialty === '') {
    return cutPage(await loadBots(reader, sql`${listedInOrder} limit ${limit} offset ${offset}`), query);
  }
  const needed = offset + limit;
  const seen = await walk(reader, wanted, probeBots, needed);
  const road = chooseRoad(seen, needed);
  if (road.kind === 'walked') return await pageOfIds(reader, seen.ids.slice(offset), query);
  if (road.kind === 'walk') {
    const further = await walk(reader, wanted, road.bots, needed);
    if (further.ids.length === needed && !further.isUnsure) {
      return await pageOfIds(reader, further.ids.slice(offset), query);
    }
  }
  const found = sql`
    select bots.id from (${lookUp(wanted)}) found join bots on bots.id = found.id
    where ${listed('bots')} order by ${inListOrder('bots')} limit ${limit} offset ${offset}`;
  return cutPage(await loadBots(reader, found), query);
}

const listedInOrder = sql`select bots.id from bots where ${listed('bots')} order by ${inListOrder('bots')}`;

// The order is looked at in an index alone; whole rows are read for those that are shown.
async function loadBots(reader: Reader, ids: RawBuilder<unknown>): Promise<readonly Agent[]> {
  const { rows } = await sql<Agent>`
    select bots.* from (${ids}) shown join bots on bots.id = shown.id order by ${inListOrder('bots')}`.execute(reader);
  return rows;
}

async function pageOfIds(reader: Reader, ids: readonly string[], query: PageQuery): Promise<Found<Agent>> {
  return cutPage(await loadBots(reader, sql`select unnest(${idList(ids)}::uuid[]) as id`), query);
}

function idList(ids: readonly (string | number)[]): string {
  return `{${ids.join(',')}}`;
}

/** The most texts of one bot that a walk looks at; a bot with more has to be looked up. */
const textsPerBot = 200;

/** What a walk found: ids in order, as many as were needed or as there were. */
interface Walked {
  readonly ids: readonly string[];
  /** There was a bot with so many texts that not all of them were looked at. */
  readonly isUnsure: boolean;
}

// Goes through the first bots of the order and looks into their texts. The
// sub-selects that must stay where they are, once for each bot, have a limit or
// an aggregate, which keeps the planner from turning them into a join over
// everybody.
async function walk(reader: Reader, wanted: Wanted, bots: number, needed: number): Promise<Walked> {
  const { rows } = await sql<{ id: string; is_match: boolean }>`
    select bots.id, said.is_match from (
      select bots.id, bots.display_name, bots.handle from bots
      where ${listed('bots')} order by ${inListOrder('bots')} limit ${bots}
    ) bots ${fittingSpecialty(wanted.specialty)}
    cross join lateral (
      select coalesce(bool_or(strpos(text, ${wanted.q}) > 0), false) as is_match, count(*) > ${textsPerBot} as has_more
      from (select text from search_texts where bot_id = bots.id limit ${textsPerBot + 1}) texts
    ) said
    where said.is_match or said.has_more
    order by ${inListOrder('bots')} limit ${needed}`.execute(reader);
  return { ids: rows.map(({ id }) => id), isUnsure: rows.some(({ is_match }) => !is_match) };
}

function fittingSpecialty(specialty: string): RawBuilder<unknown> {
  if (specialty === '') return sql``;
  return sql`
    cross join lateral (
      select from (select specialty from search_texts where document_id = bots.id limit 1) own
      where strpos(own.specialty, ${specialty}) > 0
    ) fitting`;
}

// Every text that has all grams of a search is compared with it, because grams
// may be scattered, and two may share a number.
function lookUp({ q, specialty }: Wanted): RawBuilder<unknown> {
  const byText = sql`
    select distinct bot_id as id from search_texts
    where grams @> ${idList(gramsToFind(q))}::int[] and strpos(text, ${q}) > 0`;
  const bySpecialty = sql`
    select bot_id as id from search_texts
    where grams @> ${idList(gramsToFind(specialty))}::int[] and strpos(specialty, ${specialty}) > 0`;
  if (specialty === '') return byText;
  return q === '' ? bySpecialty : sql`${byText} intersect ${bySpecialty}`;
}
