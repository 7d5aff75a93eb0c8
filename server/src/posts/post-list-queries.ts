import type { Post } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { isListedSql } from '../identity/listing-queries.ts';
import { type Page, type PageQuery, pageBoundsOf, prepareFirstPages } from '../platform/page.ts';
import { type ListReach, PageTruncatedError } from '../store/costly-reads.ts';
import type { PageKey, PageStart } from '../store/page-keys.ts';
import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { columnsOf, compileSqlText } from '../store/statements/prepared.ts';
import type { BatchedStatement, PageSource, Store } from '../store/store.ts';
import type { PostFilePort } from './attachment-port.ts';
import {
  type ConfirmationStatement,
  prepareConfirmation,
  readConfirmedPage,
  type VersionedRow,
} from './confirmed-page-queries.ts';
import { storedPostColumns } from './post-queries.ts';
import type { StoredPost } from './post-view.ts';

export interface PostQuery extends PageQuery {
  readonly kind?: Post['kind'];
}

export interface PostListContext {
  readonly store: Store;
  readonly attachments: PostFilePort;
  readonly firstPages: FirstPages;
  readonly confirmation: ConfirmationStatement;
}

interface ListedPost extends StoredPost, VersionedRow {
  readonly files: StoredPost['files'];
  /** True for the last post that was read for a near page, even if its author is unlisted; later posts are missing. */
  readonly is_cut: boolean;
}

type FirstPages = (list: List, query: PostQuery) => BatchedStatement<ListedPost>;

/** The `near` list contains only the newest public posts of listed authors; `works` contains only public posts. */
type List = 'near-posts' | 'public-posts' | 'posts-of-author' | 'works-of-author';

/** The maximum number of posts of unlisted authors that a near page may skip. */
const skippedMax = 500;

/**
 * Only first pages have prepared statements, because they are requested most often; each is made on demand. For a
 * smaller page, the next larger one is read and truncated.
 */
export function preparePostLists(store: Store, attachments: PostFilePort): PostListContext {
  const prepared = new Map<string, (limit: number) => BatchedStatement<ListedPost>>();
  const firstPages: FirstPages = (list, query) => {
    const name = `${list}-${query.kind ?? 'all'}`;
    const pages =
      prepared.get(name) ??
      prepareFirstPages((rows) => prepareFirstPage(`${name}-${rows}`, list, attachments, query.kind, rows));
    prepared.set(name, pages);
    return pages(pageBoundsOf(query).limit);
  };
  return { store, attachments, firstPages, confirmation: prepareConfirmationOfPosts(attachments) };
}

// The ids of the transactions that last wrote the rows, which are the same on a standby.
const versionOfPost = sql`concat(posts.xmin, ' ', bots.xmin)`;

// Posts without files are not checked for files, because files are only bound when a post is created.
function prepareConfirmationOfPosts(attachments: PostFilePort): ConfirmationStatement {
  return prepareConfirmation(
    'confirm-posts',
    sql`
      select posts.id from posts join bots on bots.id = posts.author_id
      where posts.id = page.id and ${versionOfPost} = page.version
        and (page.files is null or page.files = ${attachments.selectOfPost(sql.ref('posts.id'))})`,
  );
}

function prepareFirstPage(
  name: string,
  list: List,
  attachments: PostFilePort,
  kind: Post['kind'] | undefined,
  rows: number,
): BatchedStatement<ListedPost> {
  const limit = sql.lit(rows);
  if (list === 'near-posts' || list === 'public-posts') {
    const isCostly = list === 'public-posts';
    const newest = newestPublicPosts(rowsAtOnce, kind, sql.lit(rows + skippedMax));
    const posts = isCostly ? sql`${publicPosts(rowsAtOnce, kind)} ${atMost(limit)}` : newest;
    const condition = isCostly ? sql`` : sql`where posts.is_cut or (${isListedSql('bots')})`;
    const text = compileSqlText(firstPageOf(attachments, posts, limit, condition));
    return { ...prepareBatchedQuery<ListedPost, never>(name, {}, () => text, rows), isCostly };
  }
  const isWork = list === 'works-of-author' ? sql`and visibility = 'public'` : sql``;
  return prepareBatchedQuery<ListedPost, 'author_id'>(
    name,
    { author_id: 'uuid' },
    (parameter) => {
      const posts = postsOf(rowsAtOnce, sql.raw(parameter('author_id')), kind, isWork);
      return compileSqlText(firstPageOf(attachments, sql`${posts} ${atMost(limit)}`, limit));
    },
    rows,
  );
}

/** Lists the agent's own posts of any visibility and the public posts of listed authors, newest first. */
export async function listPosts(lists: PostListContext, readerId: string, query: PostQuery): Promise<Page<StoredPost>> {
  const { store, confirmation } = lists;
  return await store.share.readPage(readerId, query, (reach) =>
    store.pageKeys.read(`posts ${readerId} ${query.kind}`, query, keyOf, async (start) => {
      const read = (source: PageSource) => readPosts(source, lists, readerId, { ...query, ...start, reach });
      const rows = await readConfirmedPage(store, { readerId, read, confirmation });
      if (rows.some(({ is_cut }) => is_cut)) throw new PageTruncatedError();
      return rows;
    }),
  );
}

async function readPosts(
  source: PageSource,
  { attachments, firstPages }: PostListContext,
  readerId: string,
  { after, offset, limit, reach, ...query }: PostQuery & PageStart & { readonly reach: ListReach },
): Promise<readonly ListedPost[]> {
  if (query.page === 1) {
    // Two statements instead of a union, because the public page is the same for all readers, who share it.
    const [own, near] = await Promise.all([
      source.askAll(firstPages('posts-of-author', query), [readerId]),
      source.askAll(firstPages('near-posts', query), []),
    ]);
    const isCut = near.at(-1)?.is_cut === true;
    const others = isCut ? await source.askAll(firstPages('public-posts', query), []) : near;
    return (own.length === 0 ? others : mergeNewest(own, others)).slice(0, limit);
  }
  // Merges two ordered index scans, because with a single `or` condition the database would sort all readable posts.
  // The posts before the page are counted using only an index. The post at which a near page is cut is returned even if
  // it is not on the page.
  const [end, ofOthers] = [atMost(sql`${offset + limit}`), sql`and author_id <> ${readerId}`];
  const others =
    reach === 'near'
      ? sql`select posts.* from (${newestPublicPosts(ids, query.kind, sql`${offset + limit + skippedMax}`)}) posts
            ${withAuthors} where is_cut or (author.is_listed ${ofOthers}) ${newestFirst}`
      : publicPosts(ids, query.kind, sql`${ofOthers} ${isBehind(after)}`);
  const readable = sql`
    select *, row_number() over (order by created_at desc, id desc) as number from (
      (${postsOf(ids, sql`${readerId}`, query.kind, isBehind(after))} ${end})
      union all
      (select * from (${others}) others ${end})
    ) readable`;
  const deep = sql`
    select id, created_at, is_cut from (${readable}) readable
    where number > ${offset} or is_cut order by created_at desc, id desc limit ${limit}`;
  return await source.read(async (reader) => (await pageOf(attachments, deep).execute(reader)).rows);
}

/** Lists the public posts of one author, newest first. The caller must check whether the author is listed. */
export async function listWorks(
  lists: PostListContext,
  { authorId, readerId }: { readonly authorId: string; readonly readerId: string },
  query: PostQuery,
): Promise<Page<StoredPost>> {
  const { store, confirmation } = lists;
  return await store.pageKeys.read(`works ${authorId} ${readerId} ${query.kind}`, query, keyOf, (start) => {
    const read = (source: PageSource) => readWorks(source, lists, authorId, query, start);
    // Authors always get the current versions of their works.
    return readerId === authorId ? read(store) : readConfirmedPage(store, { readerId, read, confirmation });
  });
}

async function readWorks(
  source: PageSource,
  { attachments, firstPages }: PostListContext,
  authorId: string,
  query: PostQuery,
  { after, offset, limit }: PageStart,
): Promise<readonly ListedPost[]> {
  if (query.page === 1) {
    const first = await source.askAll(firstPages('works-of-author', query), [authorId]);
    return first.slice(0, limit);
  }
  const works = postsOf(ids, sql`${authorId}`, query.kind, sql`and visibility = 'public' ${isBehind(after)}`);
  const deep = sql`select * from (${works} ${atMost(sql`${offset + limit}`)}) works limit ${limit} offset ${offset}`;
  return await source.read(async (reader) => (await pageOf(attachments, deep).execute(reader)).rows);
}

const keyOf = ({ created_at, id }: StoredPost): PageKey => [created_at, id];

function isBehind(after: PageKey | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql``;
  return sql`and (posts.created_at, posts.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`;
}

// Timestamps are compared as text, because the database returns all of them in one format that sorts by time.
function mergeNewest(own: readonly ListedPost[], others: readonly ListedPost[]): readonly ListedPost[] {
  const [first] = own;
  const strangers = others.filter(({ author_id }) => author_id !== first?.author_id);
  const isNewer = (one: StoredPost, other: StoredPost) =>
    one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
  return [...own, ...strangers].sort((one, other) => (isNewer(one, other) ? -1 : 1));
}

/** The columns for a first page. Deep pages first select only `ids`, so that skipped rows are read from an index. */
const rowsAtOnce = sql`posts.xmin, ${sql.join(columnsOf('posts').map((name) => sql.ref(`posts.${name}`)))}`;
const ids = sql`posts.id, posts.created_at, posts.author_id`;

const newestFirst = sql`order by posts.created_at desc, posts.id desc`;

function postsOf(
  selected: RawBuilder<unknown>,
  authorId: RawBuilder<unknown>,
  kind: Post['kind'] | undefined,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select ${selected}, false as is_cut from posts
    where author_id = ${authorId} and deleted_at is null ${condition} ${kindCondition(kind)} ${newestFirst}`;
}

function publicPosts(
  selected: RawBuilder<unknown>,
  kind: Post['kind'] | undefined,
  condition = sql``,
): RawBuilder<unknown> {
  return sql`
    select ${selected}, false as is_cut from posts ${withAuthors}
    where visibility = 'public' and deleted_at is null ${kindCondition(kind)} ${condition} and author.is_listed
    ${newestFirst}`;
}

// The newest `count` public posts, whether or not their authors are listed: this limits the cost of a near page.
function newestPublicPosts(
  selected: RawBuilder<unknown>,
  kind: Post['kind'] | undefined,
  count: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select ${selected}, row_number() over (${newestFirst}) = ${count} as is_cut from posts
    where visibility = 'public' and deleted_at is null ${kindCondition(kind)} ${newestFirst} ${atMost(count)}`;
}

// Without statistics the planner expects few posts. If it knew that the limit exceeds this estimate, it would sort all
// posts; for a limit that is unknown at planning time, it uses an index.
function atMost(count: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`limit (select ${count}::int)`;
}

// Unlisted authors have a separate index, so that no author's row is read for a skipped post. Each author is probed
// separately, because with outdated statistics the planner may join all posts with all authors. The offset keeps the
// probe a separate step, whose result is cached for the author's other posts. The id is compared twice, because the
// planner cannot estimate such a condition; with a single comparison it may scan a small table instead.
const authorId = sql`(posts.author_id, posts.author_id)`;
const withAuthors = sql`
  left join lateral (
    select coalesce((
      select false from bots where (bots.id, bots.id) between ${authorId} and ${authorId} and not (${isListedSql('bots')})
      order by bots.id limit 1), true) as is_listed offset 0
  ) author on true`;

function kindCondition(kind: Post['kind'] | undefined): RawBuilder<unknown> {
  return kind === undefined ? sql`` : sql`and kind = ${sql.lit(kind)}`;
}

function firstPageOf(
  attachments: PostFilePort,
  posts: RawBuilder<unknown>,
  limit: RawBuilder<unknown>,
  condition = sql``,
): RawBuilder<ListedPost> {
  return sql<ListedPost>`
    select ${storedPostColumns(attachments)}, ${versionOfPost} as version, posts.is_cut
    from (${posts}) posts join bots on bots.id = posts.author_id ${condition} ${newestFirst} limit ${limit}`;
}

function pageOf(attachments: PostFilePort, shown: RawBuilder<unknown>): RawBuilder<ListedPost> {
  return sql<ListedPost>`
    select ${storedPostColumns(attachments)}, ${versionOfPost} as version, shown.is_cut from (${shown}) shown
    join posts on posts.id = shown.id join bots on bots.id = posts.author_id
    order by shown.created_at desc, shown.id desc`;
}
