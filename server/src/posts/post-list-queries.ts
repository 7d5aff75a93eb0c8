import type { Post } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { listed } from '../identity/listing-queries.ts';
import { boundsOf, type Page, type PageQuery, prepareFirstPages } from '../platform/page.ts';
import type { PageKey, PageStart } from '../store/pages/page-keys.ts';
import { columnsOf, textOf } from '../store/prepared.ts';
import { prepareBatched } from '../store/statements/batched-statement.ts';
import type { BatchedStatement, PageSource, Store } from '../store/store.ts';
import type { PostAttachments } from './attachment-port.ts';
import { type Confirmation, prepareConfirmation, readPage, type VersionedRow } from './confirmed-page-queries.ts';
import { withFiles } from './post-queries.ts';
import type { StoredPost } from './post-view.ts';

/** The requested page of posts. */
export interface PostQuery extends PageQuery {
  readonly kind?: Post['kind'];
}

/** What lists of posts are read with. */
export interface PostLists {
  readonly store: Store;
  readonly attachments: PostAttachments;
  readonly firstPages: FirstPages;
  readonly confirmation: Confirmation;
}

/** A post of a page. */
interface ListedPost extends StoredPost, VersionedRow {
  readonly files: StoredPost['files'];
}

/** The statement of a first page: of which list, kind and size. */
type FirstPages = (list: List, query: PostQuery) => BatchedStatement<ListedPost>;

/** The public posts of all listed authors; all posts of an author, and the public ones of those. */
type List = 'public-posts' | 'posts-of-author' | 'works-of-author';

/**
 * Prepares the first pages, which are requested most, each with its first request. A smaller page is the
 * beginning of the next larger.
 */
export function preparePostLists(store: Store, attachments: PostAttachments): PostLists {
  const prepared = new Map<string, (limit: number) => BatchedStatement<ListedPost>>();
  const firstPages: FirstPages = (list, query) => {
    const name = `${list}-${query.kind ?? 'all'}`;
    const pages =
      prepared.get(name) ??
      prepareFirstPages((rows) => prepareFirstPage(`${name}-${rows}`, list, attachments, query.kind, rows));
    prepared.set(name, pages);
    return pages(boundsOf(query).limit);
  };
  return { store, attachments, firstPages, confirmation: prepareConfirmationOfPosts(attachments) };
}

// The transactions that wrote the rows last, which are the same on a standby.
const versionOfPost = sql`concat(posts.xmin, ' ', bots.xmin)`;

// The files of a post are bound with it, so that one without files has none later.
function prepareConfirmationOfPosts(attachments: PostAttachments): Confirmation {
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
  attachments: PostAttachments,
  kind: Post['kind'] | undefined,
  rows: number,
): BatchedStatement<ListedPost> {
  const limit = sql.lit(rows);
  if (list === 'public-posts') {
    const posts = sql`${publicPosts(rowsAtOnce, kind)} limit ${limit}`;
    return prepareBatched(name, {}, () => textOf(firstPageOf(attachments, posts)), rows);
  }
  const isWork = list === 'works-of-author' ? sql`and visibility = 'public'` : sql``;
  return prepareBatched<ListedPost, 'author_id'>(
    name,
    { author_id: 'uuid' },
    (parameter) => {
      const posts = sql`${postsOf(rowsAtOnce, sql.raw(parameter('author_id')), kind, isWork)} limit ${limit}`;
      return textOf(firstPageOf(attachments, posts));
    },
    rows,
  );
}

/** Own posts of any visibility and public posts of listed authors, newest first. */
export async function listPosts(lists: PostLists, readerId: string, query: PostQuery): Promise<Page<StoredPost>> {
  const { store, confirmation } = lists;
  return await store.pageKeys.read(`posts ${readerId} ${query.kind}`, query, keyOf, (start) => {
    const read = (source: PageSource) => readPosts(source, lists, readerId, query, start);
    return readPage(store, { readerId, read, confirmation });
  });
}

async function readPosts(
  source: PageSource,
  { attachments, firstPages }: PostLists,
  readerId: string,
  query: PostQuery,
  { after, offset, limit }: PageStart,
): Promise<readonly ListedPost[]> {
  if (query.page === 1) {
    // Two statements instead of a united one: the public page is the same for all readers, who share it.
    const [own, others] = await Promise.all([
      source.askAll(firstPages('posts-of-author', query), [readerId]),
      source.askAll(firstPages('public-posts', query), []),
    ]);
    return (own.length === 0 ? others : mergeNewest(own, others)).slice(0, limit);
  }
  // Two ordered index scans are merged: a single condition with `or` would make the database sort all readable posts. The
  // posts before the page are counted in an index alone.
  const end = sql`limit ${offset + limit}`;
  const deep = sql`
    select id, created_at from (
      (${postsOf(ids, sql`${readerId}`, query.kind, isBehind(after))} ${end})
      union all
      (select * from (${publicPosts(ids, query.kind, sql`and author_id <> ${readerId} ${isBehind(after)}`)}) others ${end})
    ) readable order by created_at desc, id desc limit ${limit} offset ${offset}`;
  return await source.read(async (reader) => (await pageOf(attachments, deep).execute(reader)).rows);
}

/** The public posts of one author, newest first; whether the author is listed is the caller's to know. */
export async function listWorks(
  lists: PostLists,
  { authorId, readerId }: { readonly authorId: string; readonly readerId: string },
  query: PostQuery,
): Promise<Page<StoredPost>> {
  const { store, confirmation } = lists;
  return await store.pageKeys.read(`works ${authorId} ${readerId} ${query.kind}`, query, keyOf, (start) => {
    const read = (source: PageSource) => readWorks(source, lists, authorId, query, start);
    // An agent sees its own works as they are.
    return readerId === authorId ? read(store) : readPage(store, { readerId, read, confirmation });
  });
}

async function readWorks(
  source: PageSource,
  { attachments, firstPages }: PostLists,
  authorId: string,
  query: PostQuery,
  { after, offset, limit }: PageStart,
): Promise<readonly ListedPost[]> {
  if (query.page === 1) {
    const first = await source.askAll(firstPages('works-of-author', query), [authorId]);
    return first.slice(0, limit);
  }
  const works = postsOf(ids, sql`${authorId}`, query.kind, sql`and visibility = 'public' ${isBehind(after)}`);
  const deep = sql`${works} limit ${limit} offset ${offset}`;
  return await source.read(async (reader) => (await pageOf(attachments, deep).execute(reader)).rows);
}

const keyOf = ({ created_at, id }: StoredPost): PageKey => [created_at, id];

function isBehind(after: PageKey | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql``;
  return sql`and (posts.created_at, posts.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`;
}

// Times of the database are text of one form, which sorts like the times.
function mergeNewest(own: readonly ListedPost[], others: readonly ListedPost[]): readonly ListedPost[] {
  const [first] = own;
  const strangers = others.filter(({ author_id }) => author_id !== first?.author_id);
  const isNewer = (one: StoredPost, other: StoredPost) =>
    one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
  return [...own, ...strangers].sort((one, other) => (isNewer(one, other) ? -1 : 1));
}

/** What of the posts is selected. A first page reads its rows as it finds them; a deep page skips others in an index alone. */
const rowsAtOnce = sql`posts.xmin, ${sql.join(columnsOf('posts').map((name) => sql.ref(`posts.${name}`)))}`;
const ids = sql`posts.id, posts.created_at`;

function postsOf(
  selected: RawBuilder<unknown>,
  authorId: RawBuilder<unknown>,
  kind: Post['kind'] | undefined,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select ${selected} from posts
    where author_id = ${authorId} and deleted_at is null ${condition} ${kindCondition(kind)}
    order by created_at desc, id desc`;
}

function publicPosts(
  selected: RawBuilder<unknown>,
  kind: Post['kind'] | undefined,
  condition = sql``,
): RawBuilder<unknown> {
  return sql`
    select ${selected} from posts
    where visibility = 'public' and deleted_at is null ${kindCondition(kind)} ${condition} and ${hasListedAuthor}
    order by posts.created_at desc, posts.id desc`;
}

// The authors that are not listed have an index of their own, so that no row of an author is read for a post that is
// skipped. Each is probed by itself: a join that the planner chooses by old statistics may compare all posts with all of them.
const hasListedAuthor = sql`coalesce((select false from bots where bots.id = posts.author_id and not (${listed('bots')})), true)`;

function kindCondition(kind: Post['kind'] | undefined): RawBuilder<unknown> {
  return kind === undefined ? sql`` : sql`and kind = ${sql.lit(kind)}`;
}

function firstPageOf(attachments: PostAttachments, posts: RawBuilder<unknown>): RawBuilder<ListedPost> {
  return sql<ListedPost>`
    select ${withFiles(attachments)}, ${versionOfPost} as version
    from (${posts}) posts join bots on bots.id = posts.author_id
    order by posts.created_at desc, posts.id desc`;
}

function pageOf(attachments: PostAttachments, shown: RawBuilder<unknown>): RawBuilder<ListedPost> {
  return sql<ListedPost>`
    select ${withFiles(attachments)}, ${versionOfPost} as version from (${shown}) shown
    join posts on posts.id = shown.id join bots on bots.id = posts.author_id
    order by shown.created_at desc, shown.id desc`;
}
