import { type HandledRequest, withTemporaryRows } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeInnerList, type MutableObject, refusal, withJson } from '../../faults.ts';
import { objectIn, pathBelowApi, queryOf, rememberAgents, textIn } from '../../memories.ts';
import type { Fault, ProxiedRequest } from '../../passing.ts';

const table = `
shows private posts to friends | GET /posts/{post_id}: accessible posts only | = readsOfFriends
lists private posts of friends | own posts of any visibility plus public posts | = listsOfFriends
shows private posts to those who asked for friendship | GET /posts/{post_id}: accessible posts only | = readsOfAsked
lists own posts before those of others | newest first | = pinsOwn
lists posts of one second from the oldest to the newest | newest first | = reversesSeconds
lists posts of closed profiles | public posts of active public profiles | = listsClosed
shows posts of closed profiles | a closed profile hides its works | = readsClosed
shows posts of closed profiles to their friends | a closed profile hides its works | = readsClosedOfFriends
shows posts of suspended agents | public posts of active public profiles | = readsSuspended
lists posts of suspended agents | public posts of active public profiles | = listsSuspended
makes posts private with the closing of a profile | Back to false hides the works; visibility is what was sent | after update on bots | if old.profile_public and not new.profile_public then update posts set visibility = 'private' where author_id = new.id; end if; return null;
publishes private posts with the opening of a profile | private (default) to public: by PATCH | after update on bots | if new.profile_public and not old.profile_public then update posts set visibility = 'public' where author_id = new.id; end if; return null;
publishes the next post after a public one | visibility (default private) | before insert on posts | if (select visibility from posts where author_id = new.author_id order by id desc limit 1) = 'public' then new.visibility := 'public'; end if; return new;
refuses pages of posts above 1000 | page (1-100000) | = boundsLikeAgents
shows the hashes of files of others | attachments of others are sanitized public metadata | = hashesFiles
leaves the files of others out | attachments of others are sanitized public metadata | = hidesFiles
`;

const isList = (sent: ProxiedRequest) => sent.method === 'GET' && pathBelowApi(sent) === '/posts';
const authorOf = (post: MutableObject) => (post['author'] as MutableObject | undefined)?.['id'];

/** Changes lists of posts; `ownId` is the caller's id. */
function lists(
  change: (posts: readonly MutableObject[], sent: ProxiedRequest, ownId: unknown) => readonly MutableObject[],
): () => Fault {
  return () => {
    const { note, of } = rememberAgents();
    return {
      onReply: (reply, sent) => {
        note(reply, sent);
        if (!isList(sent)) return reply;
        return withJson(
          reply,
          changeInnerList('posts', (posts) => change(posts, sent, of(sent)?.['id'])),
        );
      },
    };
  };
}

const secondOf = (post: MutableObject) => textIn(post, 'created_at').slice(0, 19);

/** Adds this member, which only a file's owner may read, to the records that other agents read. */
function leaks(name: 'filename' | 'sha256'): () => Fault {
  return () => {
    const values = new Map<string, unknown>();
    const withValues = (post: MutableObject): MutableObject => ({
      ...post,
      attachments: (post['attachments'] as readonly MutableObject[]).map((file) => ({
        ...file,
        [name]: file[name] ?? values.get(textIn(file, 'id')),
      })),
    });
    return {
      onReply: (reply, sent) => {
        const file = objectIn(reply, 'attachment');
        const post = objectIn(reply, 'post');
        if (file !== undefined) values.set(textIn(file, 'id'), file[name]);
        if (post !== undefined) return withJson(reply, (body) => ({ ...body, post: withValues(post) }));
        return isList(sent)
          ? withJson(
              reply,
              changeInnerList('posts', (posts) => posts.map(withValues)),
            )
          : reply;
      },
    };
  };
}

const isReadingOne = ({ path }: HandledRequest) => /^\/api\/v1\/posts\/[0-9a-f-]{36}/.test(path);

function whilePosts(
  isMeant: (request: HandledRequest) => boolean,
  lend: (request: HandledRequest) => string,
  restore: string,
) {
  return withTemporaryRows('GET /api/v1/posts*', (request) => (isMeant(request) ? lend(request) : undefined), restore);
}

const isListing = (request: HandledRequest) => !isReadingOne(request);
const closes = 'update bots set profile_public = false';
const hides = `update posts set visibility = 'private'`;
const suspends = 'update bots set suspended_at = now()';
const friends = ({ callerId }: HandledRequest, condition = `state = 'friends'`) => `(
  select case when first_id = ${callerId} then second_id else first_id end from contacts
  where ${condition} and ${callerId} in (first_id, second_id))`;
const authorOfPath = ({ pathId }: HandledRequest) => `(select author_id from posts where id = ${pathId})`;
const publishes = `update posts set visibility = 'public' where visibility = 'private' and deleted_at is null and hidden_visibility is null`;

export default parseCatalogueTable(table, {
  faults: {
    pinsOwn: lists((posts, _, ownId) =>
      posts.toSorted((one, other) => Number(authorOf(other) === ownId) - Number(authorOf(one) === ownId)),
    ),
    reversesSeconds: lists((posts) =>
      posts.toReversed().sort((one, other) => {
        if (secondOf(one) === secondOf(other)) return 0;
        return secondOf(one) < secondOf(other) ? 1 : -1;
      }),
    ),
    boundsLikeAgents: {
      onRequest: (sent) =>
        isList(sent) && Number(queryOf(sent).get('page')) > 1000 ? refusal(400, 'invalid_pagination') : sent,
    },
    hashesFiles: leaks('sha256'),
    hidesFiles: lists((posts, _, ownId) =>
      posts.map((post) => (authorOf(post) === ownId ? post : { ...post, attachments: [] })),
    ),
  },
  builds: {
    readsOfFriends: whilePosts(
      isReadingOne,
      (request) => `${publishes} and id = ${request.pathId} and author_id in ${friends(request)}`,
      hides,
    ),
    listsOfFriends: whilePosts(isListing, (request) => `${publishes} and author_id in ${friends(request)}`, hides),
    readsOfAsked: whilePosts(
      isReadingOne,
      (request) =>
        `${publishes} and id = ${request.pathId} and author_id in ${friends(request, `state = 'requested'`)}`,
      hides,
    ),
    listsClosed: whilePosts(
      isListing,
      () => `update bots set profile_public = true where not profile_public and id in (select author_id from posts)`,
      closes,
    ),
    readsClosed: whilePosts(
      isReadingOne,
      (request) => `update bots set profile_public = true where not profile_public and id = ${authorOfPath(request)}`,
      closes,
    ),
    readsClosedOfFriends: whilePosts(
      isReadingOne,
      (request) =>
        `update bots set profile_public = true where not profile_public and id = ${authorOfPath(request)} and id in ${friends(request)}`,
      closes,
    ),
    readsSuspended: whilePosts(
      isReadingOne,
      (request) =>
        `update bots set suspended_at = null where suspended_at is not null and id = ${authorOfPath(request)}`,
      suspends,
    ),
    listsSuspended: whilePosts(
      isListing,
      () => `update bots set suspended_at = null where suspended_at is not null`,
      suspends,
    ),
  },
});
