import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { agentColumns, isListedSql, listOrderSql } from '../identity/listing-queries.ts';
import { type Page, pageBoundsOf, prepareFirstPages, type SearchQuery, truncatePage } from '../platform/page.ts';
import {
  type PageStore,
  prepareConfirmation,
  readConfirmedPage,
  type VersionedRow,
} from '../posts/confirmed-page-queries.ts';
import { emptyGramSample } from '../search-index/gram-choice.ts';
import { getGramSample } from '../search-index/gram-count-queries.ts';
import { foldCase } from '../search-index/search-text.ts';
import type { PageKey, PageStart } from '../store/page-keys.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { formatArray } from '../store/statements/parameters.ts';
import { compileSqlText, prepareSql } from '../store/statements/prepared.ts';
import type { PageSource, Reader } from '../store/store.ts';
import {
  chooseTermGrams,
  type GramIndexSearch,
  type IndexedTerm,
  type SearchTerms,
  selectGramMatches,
  selectMatchingAgents,
} from './indexed-search-queries.ts';
import {
  chooseIndexedTerm,
  chooseSearchPlan,
  coversPage,
  isLargeDatabase,
  isPossiblyRare,
  isSampleTooSmall,
  largeSampleBots,
  rareMatchesMax,
  type SearchSample,
  searchSampleSize,
  textsPerBotMax,
} from './search-plan.ts';

/**
 * Finds listed agents, ordered by display name and then handle. Without a search term, an index provides this order.
 * With a term, two query plans have the same result; each is fast when the other is slow (see `search-plan.ts`).
 */
export async function searchBots(store: PageStore, readerId: string, query: SearchQuery): Promise<Page<Agent>> {
  const wanted = { q: foldCase(query.q ?? ''), specialty: foldCase(query.specialty ?? '') };
  const isSearch = wanted.q !== '' || wanted.specialty !== '';
  const read = (start: PageStart) => {
    const readFrom = (source: PageSource) =>
      isSearch ? findRows(source, wanted, start.offset, start.limit) : listAll(source, query.page === 1, start);
    return readConfirmedPage(store, { readerId, read: readFrom, confirmation, values: [wanted.q, wanted.q] });
  };
  // No index has the order of the matches, so a page key would not make a deep page faster.
  if (isSearch) return truncatePage(await read({ after: undefined, ...pageBoundsOf(query) }), query);
  return await store.pageKeys.read('bots', query, ({ display_name, handle }) => [display_name, handle], read);
}

interface ListedAgent extends Agent, VersionedRow {}

// The version only covers the profile, so the agent's texts are searched again: the matching text may be gone.
const confirmation = prepareConfirmation(
  'confirm-agents',
  sql`
    select bots.id from bots where bots.id = page.id and bots.xmin::text = page.version and (${''}::text = '' or exists (
      select from (select text from search_texts where bot_id = bots.id limit ${sql.lit(textsPerBotMax)}) texts
      where strpos(text, ${''}) > 0))`,
);

async function findRows(
  source: PageSource,
  wanted: SearchTerms,
  offset: number,
  limit: number,
): Promise<readonly ListedAgent[]> {
  const values = [wanted.q, wanted.specialty, wanted.q, offset + limit, limit, offset];
  const rows = await source.run(sampleStatement, values);
  const seen = rows[0]?.seen ?? null;
  if (seen === null) return rows;
  const sample: SearchSample = JSON.parse(seen);
  if (coversPage(sample, offset + limit)) return [];
  // Assumes that each agent has a profile and about one work.
  const texts = 2 * sample.all_bots;
  const search = { ...wanted, sample: isLargeDatabase(sample) ? getGramSample(source, texts) : emptyGramSample };
  if (!isSampleTooSmall(sample)) return await source.read((reader) => runPlan(reader, search, sample, offset, limit));
  const term = chooseIndexedTerm(sample);
  const chosen = chooseTermGrams(search, term);
  if (isPossiblyRare(chosen.share * texts)) {
    const few = await findFew(source, search, { term, chosen }, offset, limit);
    if (few !== undefined) return few;
  }
  const [larger = sample] = await source.run(largeSample, [wanted.q, wanted.specialty, wanted.q]);
  return await source.read((reader) => runPlan(reader, search, larger, offset, limit));
}

/** Returns undefined if so many texts match that the word is not rare. */
async function findFew(
  source: PageSource,
  wanted: GramIndexSearch,
  { term, chosen }: IndexedTerm,
  offset: number,
  limit: number,
) {
  const isPlainWord = wanted.specialty === '' && chosen.joints.length === 0;
  const rows = isPlainWord
    ? await source.run(fewOfWord, [formatArray(chosen.grams), wanted.q, limit, offset])
    : await source.read(async (reader) => {
        const page = pageOf(selectMatchingAgents(wanted, term, sql`matched`), offset, limit);
        return (await fewOf(selectGramMatches(wanted, { term, chosen }), page).execute(reader)).rows;
      });
  return Number(rows[0]?.matched) > rareMatchesMax ? undefined : rows.filter(({ id }) => id !== null);
}

// Without `offset 0` the condition becomes a join filter, and a page with too many matches is read needlessly.
function fewOf(matched: RawBuilder<unknown>, page: RawBuilder<unknown>) {
  return sql<ListedAgent & { readonly matched: number }>`
    with matched as materialized (select bot_id from (${matched}) matched limit ${sql.lit(rareMatchesMax + 1)})
    select ${agentColumns('bots')}, bots.xmin::text as version, counted.matched
    from (select count(*)::int as matched from matched) counted
    left join lateral (select id from (${page}) page where counted.matched <= ${sql.lit(rareMatchesMax)} offset 0) shown on true
    left join bots on bots.id = shown.id order by ${listOrderSql('bots')}`;
}

// This statement is prepared, because it is the most frequent search and takes longer to plan than to run. Its
// parameters are the grams, the search text, the limit and the offset.
const fewOfWord = prepareSql(
  'bots-few',
  fewOf(
    sql`select bot_id from search_texts where grams @> ${''}::int[] and strpos(text, ${''}) > 0`,
    pageOf(sql`select distinct bot_id as id from matched`, 0, 0),
  ),
);

async function runPlan(reader: Reader, wanted: GramIndexSearch, sample: SearchSample, offset: number, limit: number) {
  const plan = chooseSearchPlan(sample, offset + limit);
  const scanned = plan.kind === 'scan' ? await scan(reader, wanted, plan.bots, offset + limit) : undefined;
  if (scanned !== undefined) return await loadBots(reader, listedIds(scanned.slice(offset)));
  const term = chooseIndexedTerm(sample);
  const matched = selectGramMatches(wanted, { term, chosen: chooseTermGrams(wanted, term) });
  const found = selectMatchingAgents(wanted, term, sql`(${matched}) matched`);
  return await loadBots(reader, pageOf(found, offset, limit));
}

function pageOf(found: RawBuilder<unknown>, offset: number, limit: number): RawBuilder<unknown> {
  return sql`
    select bots.id from (${found}) found join bots on bots.id = found.id
    where ${isListedSql('bots')} order by ${listOrderSql('bots')} limit ${limit} offset ${offset}`;
}

function listedInOrder(after?: PageKey) {
  const behind = after && sql`and (${listOrderSql('bots')}) > (${after[0]}::text, ${after[1]}::text)`;
  return sql`select bots.id from bots where ${isListedSql('bots')} ${behind ?? sql``} order by ${listOrderSql('bots')}`;
}

// All readers share this page.
const firstBots = prepareFirstPages((rows) =>
  prepareBatchedQuery<ListedAgent, never>(
    `bots-first-${rows}`,
    {},
    () => compileSqlText(botsOf(sql`${listedInOrder()} limit ${sql.lit(rows)}`)),
    rows,
  ),
);

async function listAll(
  source: PageSource,
  isFirst: boolean,
  { after, offset, limit }: PageStart,
): Promise<readonly ListedAgent[]> {
  if (isFirst) return (await source.askAll(firstBots(limit), [])).slice(0, limit);
  return await source.read((reader) => loadBots(reader, sql`${listedInOrder(after)} limit ${limit} offset ${offset}`));
}

// Reads the sort order from an index, and whole rows only for the page.
function botsOf(ids: RawBuilder<unknown>): RawBuilder<ListedAgent> {
  return sql<ListedAgent>`
    select ${agentColumns('bots')}, bots.xmin::text as version from (${ids}) shown join bots on bots.id = shown.id order by ${listOrderSql('bots')}`;
}

async function loadBots(reader: Reader, ids: RawBuilder<unknown>): Promise<readonly ListedAgent[]> {
  return (await botsOf(ids).execute(reader)).rows;
}

function listedIds(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select unnest(${formatArray(ids)}::uuid[]) as id`;
}

// Returns the matches of the page, or one row with the counts of the sample; most searches need no other statement. Its
// values are q, specialty, q, the match number at which the page ends, and the numbers of matches in the sample to
// return and to skip.
const sampleStatement = prepareSql(
  'bots-sample',
  sql<ListedAgent & { readonly seen: string | null }>`
    with sampled as materialized (${scanInOrder({ q: '', specialty: '' }, sql.lit(searchSampleSize))}),
    seen as (${countsOf(sql`sampled`)})
    select ${agentColumns('bots')}, bots.xmin::text as version, case when bots.id is null then row_to_json(seen)::text end as seen
    from seen left join (
      select sampled.id from sampled, seen
      where fits and matches and not seen.is_unsure and (seen.found >= ${0} or seen.sampled < ${sql.lit(searchSampleSize)})
      order by ${listOrderSql('sampled')} limit ${0} offset ${0}
    ) shown on true left join bots on bots.id = shown.id
    order by ${listOrderSql('bots')}`,
);

const largeSample = prepareSql(
  'bots-large-sample',
  countsOf(sql`(${scanInOrder({ q: '', specialty: '' }, sql.lit(largeSampleBots))}) sampled`),
);

function countsOf(sampled: RawBuilder<unknown>): RawBuilder<SearchSample> {
  return sql<SearchSample>`
    select count(*)::int as sampled, count(*) filter (where fits)::int as fitting,
      count(*) filter (where matches)::int as matching, count(*) filter (where fits and matches)::int as found,
      coalesce(bool_or(fits and has_more and not matches), false) as is_unsure,
      (select reltuples from pg_class where oid = 'bots'::regclass) as all_bots
    from ${sampled}`;
}

// Returns undefined if the scan did not find enough agents, or found one with too many texts.
async function scan(reader: Reader, wanted: SearchTerms, bots: number, needed: number) {
  const { rows } = await sql<{ id: string; matches: boolean }>`
    ${scanInOrder(wanted, sql`${bots}`, sql`own.fits and not own.matches`)} where own.fits and (own.matches or works.match or works.has_more)
    order by ${listOrderSql('bots')} limit ${needed}`.execute(reader);
  const isSure = rows.length === needed && rows.every(({ matches }) => matches);
  return isSure ? rows.map(({ id }) => id) : undefined;
}

// Reads the texts of the first agents in order: the profile first, and the works only if the profile is not decisive. A
// limit or an aggregate in each sub-select keeps the planner from converting it to a join over all agents.
function scanInOrder(
  { q, specialty }: SearchTerms,
  bots: RawBuilder<unknown>,
  isUndecided = sql`not own.matches`,
): RawBuilder<unknown> {
  return sql`
    select bots.id, bots.display_name, bots.handle, own.fits, own.matches or works.match as matches, works.has_more
    from (
      select bots.id, bots.display_name, bots.handle from bots
      where ${isListedSql('bots')} order by ${listOrderSql('bots')} limit ${bots}
    ) bots
    cross join lateral (
      select strpos(text, ${q}) > 0 as matches, strpos(specialty, ${specialty}) > 0 as fits
      from search_texts where document_id = bots.id limit 1
    ) own
    cross join lateral (
      select coalesce(bool_or(strpos(text, ${q}) > 0), false) as match, count(*) > ${sql.lit(textsPerBotMax)} as has_more from (
        select text from search_texts where bot_id = bots.id and ${isUndecided} limit ${sql.lit(textsPerBotMax + 1)}
      ) texts
    ) works`;
}
