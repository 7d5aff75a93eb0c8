import { limits } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { agentColumns, inListOrder, listed } from '../identity/listing-queries.ts';
import { boundsOf, cutPage, type Found, type PageQuery } from '../platform/page.ts';
import { foldCase, gramsToFind } from '../search-index/search-text.ts';
import { prepare } from '../store/prepared.ts';
import type { Reader, Store } from '../store/store.ts';
import { chooseLookUp, chooseRoad, isEnough, type Probe, probeBots, textsPerBot } from './search-plan.ts';

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

/** A statement of the probe gives a match of the page in each row, or in its one row what the probe saw. */
type ProbeRow = Agent & { readonly seen: string | null };

/**
 * Finds listed agents, by display name and then handle. Without a search their
 * order is an index. With one there are two roads, of which each is short where
 * the other is long (see `search-road.ts`), and both find the same.
 */
export async function searchBots(store: Pick<Store, 'read' | 'run'>, query: BotQuery): Promise<Found<Agent>> {
  const wanted = { q: foldCase(query.q ?? ''), specialty: foldCase(query.specialty ?? '') };
  const { offset, limit } = boundsOf(query);
  if (wanted.q === '' && wanted.specialty === '') return cutPage(await listAll(store, offset, limit), query);
  const rows = await store.run(probe, [wanted.q, wanted.specialty, wanted.q, offset + limit, limit, offset]);
  const seen = rows[0]?.seen ?? null;
  if (seen === null) return cutPage(rows, query);
  const probed: Probe = JSON.parse(seen);
  if (isEnough(probed, offset + limit)) return cutPage([], query);
  return cutPage(await store.read((reader) => goOn(reader, wanted, probed, { offset, limit })), query);
}

interface Bounds {
  readonly offset: number;
  readonly limit: number;
}

async function goOn(
  reader: Reader,
  wanted: Wanted,
  probed: Probe,
  { offset, limit }: Bounds,
): Promise<readonly Agent[]> {
  const road = chooseRoad(probed, offset + limit);
  const walked = road.kind === 'walk' ? await walk(reader, wanted, road.bots, offset + limit) : undefined;
  if (walked !== undefined) return await loadBots(reader, these(walked.slice(offset)));
  const found = sql`
    select bots.id from (${lookUp(wanted, chooseLookUp(probed))}) found join bots on bots.id = found.id
    where ${listed('bots')} order by ${inListOrder('bots')} limit ${limit} offset ${offset}`;
  return await loadBots(reader, found);
}

const listedInOrder = sql`select bots.id from bots where ${listed('bots')} order by ${inListOrder('bots')}`;

// A limit that the planner does not know makes it plan for a large part of everybody.
const firstBots = prepare('bots-first', (reader) => {
  const first = botsOf(sql`${listedInOrder} limit ${sql.lit(limits.pageSizeMax + 1)}`);
  const text = sql<Agent>`select * from (${first}) bots limit ${0}`;
  return { compile: () => text.compile(reader) };
});

async function listAll(store: Pick<Store, 'read' | 'run'>, offset: number, limit: number): Promise<readonly Agent[]> {
  if (offset === 0) return await store.run(firstBots, [limit]);
  return await store.read((reader) => loadBots(reader, sql`${listedInOrder} limit ${limit} offset ${offset}`));
}

// The order is looked at in an index alone; whole rows are read for those that are shown.
function botsOf(ids: RawBuilder<unknown>): RawBuilder<Agent> {
  return sql<Agent>`
    select ${agentColumns('bots')} from (${ids}) shown join bots on bots.id = shown.id order by ${inListOrder('bots')}`;
}

async function loadBots(reader: Reader, ids: RawBuilder<unknown>): Promise<readonly Agent[]> {
  return (await botsOf(ids).execute(reader)).rows;
}

function these(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select unnest(${arrayText(ids)}::uuid[]) as id`;
}

function arrayText(items: readonly (string | number)[]): string {
  return `{${items.join(',')}}`;
}

// One statement for the probe and, where it was enough, the page: most searches
// need no other. Its values are q, specialty, q, the match number at which the
// page ends, and how many matches of the probe to take and to skip.
const probe = prepare('bots-probe', (reader) => {
  const text = sql<ProbeRow>`
    with probed as materialized (${lookInOrder({ q: '', specialty: '' }, sql.lit(probeBots))}),
    seen as (
      select count(*)::int as probed, count(*) filter (where fits)::int as fitting,
        count(*) filter (where matches)::int as matching, count(*) filter (where fits and matches)::int as found,
        coalesce(bool_or(fits and has_more and not matches), false) as is_unsure,
        (select reltuples from pg_class where oid = 'bots'::regclass) as all_bots
      from probed
    )
    select ${agentColumns('bots')}, case when bots.id is null then row_to_json(seen)::text end as seen
    from seen left join (
      select probed.id from probed, seen
      where fits and matches and not seen.is_unsure and (seen.found >= ${0} or seen.probed < ${sql.lit(probeBots)})
      order by ${inListOrder('probed')} limit ${0} offset ${0}
    ) shown on true left join bots on bots.id = shown.id
    order by ${inListOrder('bots')}`;
  return { compile: () => text.compile(reader) };
});

/** What a walk saw of one agent. */
interface Looked {
  readonly id: string;
  /** The specialty is one that is looked for. */
  readonly fits: boolean;
  /** A text matches `q`. */
  readonly matches: boolean;
  /** There are more texts than a walk looks at, so another one may match. */
  readonly has_more: boolean;
}

// Finds nothing where it did not find enough, or met somebody with too many texts.
async function walk(
  reader: Reader,
  wanted: Wanted,
  bots: number,
  needed: number,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql<Looked>`
    ${lookInOrder(wanted, sql`${bots}`)} where own.fits and (own.matches or works.match or works.has_more)
    order by ${inListOrder('bots')} limit ${needed}`.execute(reader);
  const isSure = rows.length === needed && rows.every(({ matches }) => matches);
  return isSure ? rows.map(({ id }) => id) : undefined;
}

// Looks into the texts of the first bots of the order: into the profile first,
// and into works where that did not decide. A limit or an aggregate in each
// sub-select keeps the planner from turning it into a join over everybody.
function lookInOrder({ q, specialty }: Wanted, bots: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select bots.id, bots.display_name, bots.handle, own.fits, own.matches or works.match as matches, works.has_more
    from (
      select bots.id, bots.display_name, bots.handle from bots
      where ${listed('bots')} order by ${inListOrder('bots')} limit ${bots}
    ) bots
    cross join lateral (
      select strpos(text, ${q}) > 0 as matches, strpos(specialty, ${specialty}) > 0 as fits
      from search_texts where document_id = bots.id limit 1
    ) own
    cross join lateral (
      select coalesce(bool_or(strpos(text, ${q}) > 0), false) as match, count(*) > ${sql.lit(textsPerBot)} as has_more from (
        select text from search_texts where bot_id = bots.id and not own.matches limit ${sql.lit(textsPerBot + 1)}
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
