import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { inListOrder, listed } from '../identity/listing-queries.ts';
import { boundsOf, cutPage, type Found, type PageQuery } from '../platform/page.ts';
import { foldCase, gramsToFind } from '../store/search-text.ts';
import type { Reader } from '../store/store.ts';
import { chooseLookUp, chooseRoad, type Looked, probeBots, textsPerBot } from './search-road.ts';

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
  const probed = await probe(reader, wanted);
  const road = chooseRoad(probed, needed, probed[0]?.all_bots ?? 0);
  const walked = road.kind === 'walk' ? await walk(reader, wanted, road.bots, needed) : undefined;
  const ids = road.kind === 'walked' ? road.ids : walked;
  if (ids !== undefined) return cutPage(await loadBots(reader, these(ids.slice(offset))), query);
  const found = sql`
    select bots.id from (${lookUp(wanted, chooseLookUp(probed))}) found join bots on bots.id = found.id
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

function these(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select unnest(${arrayText(ids)}::uuid[]) as id`;
}

function arrayText(items: readonly (string | number)[]): string {
  return `{${items.join(',')}}`;
}

interface Probed extends Looked {
  /** The database's own idea of how many bots there are; -1 where it has none yet. */
  readonly all_bots: number;
}

async function probe(reader: Reader, wanted: Wanted): Promise<readonly Probed[]> {
  const allBots = sql`(select reltuples from pg_class where oid = 'bots'::regclass)`;
  const { rows } = await sql<Probed>`
    ${lookInOrder(wanted, probeBots, sql`, ${allBots} as all_bots`)} order by ${inListOrder('bots')}`.execute(reader);
  return rows;
}

// Finds nothing where it did not find enough, or met somebody with too many texts.
async function walk(
  reader: Reader,
  wanted: Wanted,
  bots: number,
  needed: number,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql<Looked>`
    ${lookInOrder(wanted, bots)} where own.fits and (own.matches or works.match or works.has_more)
    order by ${inListOrder('bots')} limit ${needed}`.execute(reader);
  const isSure = rows.length === needed && rows.every(({ matches }) => matches);
  return isSure ? rows.map(({ id }) => id) : undefined;
}

// Looks into the texts of the first bots of the order: into the profile first,
// and into works where that did not decide. A limit or an aggregate in each
// sub-select keeps the planner from turning it into a join over everybody.
function lookInOrder({ q, specialty }: Wanted, bots: number, more = sql``): RawBuilder<unknown> {
  return sql`
    select bots.id, own.fits, own.matches or works.match as matches, works.has_more ${more} from (
      select bots.id, bots.display_name, bots.handle from bots
      where ${listed('bots')} order by ${inListOrder('bots')} limit ${bots}
    ) bots
    cross join lateral (
      select strpos(text, ${q}) > 0 as matches, strpos(specialty, ${specialty}) > 0 as fits
      from search_texts where document_id = bots.id limit 1
    ) own
    cross join lateral (
      select coalesce(bool_or(strpos(text, ${q}) > 0), false) as match, count(*) > ${textsPerBot} as has_more from (
        select text from search_texts where bot_id = bots.id and not own.matches limit ${textsPerBot + 1}
      ) texts
    ) works`;
}

// Every text that has all grams of a search is compared with it, because the
// grams may be scattered, and two of them may share a number. Of two searches
// one is looked up, and the texts of those who are found decide the other.
function lookUp({ q, specialty }: Wanted, rarer: 'q' | 'specialty'): RawBuilder<unknown> {
  if (specialty === '' || (rarer === 'q' && q !== '')) {
    const byText = sql`
      select distinct bot_id as id from search_texts
      where grams @> ${arrayText(gramsToFind(q))}::int[] and strpos(text, ${q}) > 0`;
    if (specialty === '') return byText;
    return sql`
      select found.id from (${byText}) found cross join lateral (
        select specialty from search_texts where document_id = found.id limit 1
      ) own where strpos(own.specialty, ${specialty}) > 0`;
  }
  const bySpecialty = sql`
    select bot_id as id from search_texts
    where grams @> ${arrayText(gramsToFind(specialty))}::int[] and strpos(specialty, ${specialty}) > 0`;
  if (q === '') return bySpecialty;
  return sql`
    select found.id from (${bySpecialty}) found cross join lateral (
      select from search_texts where bot_id = found.id and strpos(text, ${q}) > 0 limit 1
    ) said`;
}
