import { randomUUID } from 'node:crypto';
import { aroundRequests, toIds } from '../around-requests.ts';
import { type Changeable, idIn, isAbout, json, parse, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { countUnderWay, objectIn, placeOf, refuses, rememberAgents, textIn, withTexts } from '../memories.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const table = String.raw`
changes a title to 161 characters | title (up to 160) | PATCH /posts/* <- cut title 160
changes a text to 8001 characters | text (1-8000 chars) | PATCH /posts/* <- cut text 8000
keeps an empty text as it was | text (1-8000 chars) | PATCH /posts/* sent:'"text":""' <- drop text
counts the bytes of a text | text (1-8000 chars) | = countsBytes
refuses a title of 160 characters | title (up to 160) | = refusesLongTitle
refuses ten files | attachment_ids (up to 10) | = refusesTenFiles
takes other visibilities for private | visibility private or public; invalid_visibility | POST /posts sent:'"visibility":"(?!private"|public")' <- set visibility "private"
keeps the visibility where a change names another word | visibility private or public; invalid_visibility | PATCH /posts/* sent:'"visibility":"(?!private"|public")' <- drop visibility
keeps the kind where a change names another word | kind update or portfolio; invalid_kind | PATCH /posts/* sent:'"kind":"(?!update"|portfolio")' <- drop kind
takes unknown members of a change | Codes: unknown_fields | = dropsUnknown
takes rights_confirmed as a number | rights_confirmed (boolean); invalid_field | POST /posts sent:'"rights_confirmed":1' <- set rights_confirmed true
resets the title that a change leaves out | In: changed fields | PATCH /posts/* <- default title ""
resets the kind that a change leaves out | In: changed fields | PATCH /posts/* <- default kind "update"
hides a post whose change leaves its visibility out | In: changed fields, including visibility | PATCH /posts/* <- default visibility "private"
has another id after a change | Identifiers: a post has one id | PATCH /posts/* 200 -> set post.id uuid
changes what a refused change of a post may change | Codes: invalid_kind; a refusal changes nothing | = changesInPart
loses the files of a post with its change | files are fixed at creation | = losesFiles
answers an equal post with the first one | POST /posts is not idempotent | = repeatsPosts
keeps five posts of an agent | a post is returned until it is deleted | after insert on posts | update posts set deleted_at = now() where author_id = new.author_id and deleted_at is null and id not in (select id from posts where author_id = new.author_id and deleted_at is null order by id desc limit 5); return null;
binds the files of a refused post | a refusal has no effect; attachment_already_bound | = bindsRefused
moves files to another post | attachment_already_bound; binding is fixed | = movesFiles
binds files of orders to posts | a fixed purpose; invalid_attachment | = bindsOrderFiles
binds files of other agents | invalid_attachment | = bindsForeign
publishes posts of a closed profile | public needs a public active profile | = publishesClosed
publishes posts of a profile as they are closed | public needs a public active profile | = hidesClosed
needs no rights for files that become public later | rights_confirmed: true for the first public exposure of files | PATCH /posts/* sent:'"visibility":"public"' <- default rights_confirmed true
needs no rights for updates with files | rights_confirmed: true for the first public exposure of files | POST /posts sent:'"attachment_ids":\["' <- default rights_confirmed true
takes denied rights for a public portfolio | Public portfolio needs confirmed rights | POST /posts sent:'portfolio' <- change rights_confirmed false true
needs no rights for a public update that becomes a portfolio | Public portfolio needs confirmed rights | PATCH /posts/* sent:'"kind":"portfolio"' <- default rights_confirmed true
needs rights for a public text | rights for the first public exposure of files alone | = rightsForText
deletes a post again | a repeat gives 404 | = deletesAgain
deletes a post twice at the same time | a repeat gives 404 | = deletesTwice
changes deleted posts | soft delete; the post is no longer returned | = changesDeleted
shows deleted posts to their authors | soft delete; the post is no longer returned | = showsDeleted
ignores the change of a post by another agent | PATCH: author only, otherwise 404 | = ignoresForeign
answers the change of a public post by another agent with 403 | PATCH: author only, otherwise 404 | = forbidsForeign
replaces rare characters of a post | the service stores the plain text | = replacesRare
shortens the texts of a list | GET /posts: the posts with their text | GET /posts?* 200 -> cut posts[].text 200
answers a new post with the beginning of its text | Out 201: {post} | POST /posts 201 -> cut post.text 500
deletes all posts of an agent with one | DELETE of this post alone | after update on posts | if old.deleted_at is null and new.deleted_at is not null and pg_trigger_depth() = 1 then update posts set deleted_at = new.deleted_at where author_id = new.author_id and deleted_at is null and id > new.id; end if; return null;
`;

const isCreation = (sent: PassingRequest) => isAbout(sent, 'POST /api/v1/posts');
const isOfPost = (sent: PassingRequest, method: string) =>
  sent.method === method && /^\/posts\/[^/]+$/.test(placeOf(sent));
const idOf = (sent: PassingRequest) => idIn(placeOf(sent));
const members = ['text', 'title', 'kind', 'visibility', 'attachment_ids', 'rights_confirmed'];

const known = (body: Changeable) => Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));

const dropsUnknown: Fault = {
  onRequest: (sent) => (isOfPost(sent, 'PATCH') ? withJson(sent, known) : sent),
};

/** The members of a change that are right are kept, although its kind is refused. */
const changesInPart: Fault = {
  onRequest: (sent) =>
    isOfPost(sent, 'PATCH') && isWrongKind(sent) ? withJson(sent, ({ kind: _, ...others }) => others) : sent,
  onReply: (reply, sent) => (isOfPost(sent, 'PATCH') && isWrongKind(sent) ? refusal(400, 'invalid_kind') : reply),
};

function isWrongKind(sent: PassingRequest): boolean {
  const { kind = 'update' } = parse(sent.body) ?? {};
  return kind !== 'update' && kind !== 'portfolio';
}

/** Knows the posts in their last answer, the agents that wrote them, and which are deleted. */
function withPosts(fault: (posts: Posts) => Fault): () => Fault {
  return () => {
    const posts: Posts = new Map();
    const { onRequest, onReply } = fault(posts);
    return {
      ...(onRequest && { onRequest }),
      onReply: (reply, sent) => {
        const become = onReply?.(reply, sent) ?? reply;
        note(posts, reply, sent);
        return become;
      },
    };
  };
}

interface KnownPost {
  readonly post: Changeable;
  readonly token: string;
  readonly isDeleted: boolean;
}

type Posts = Map<string, KnownPost>;

function note(posts: Posts, reply: PassingReply, sent: PassingRequest): void {
  const post = objectIn(reply, 'post');
  const token = tokenOf(sent) ?? '';
  if (isCreation(sent) && post !== undefined) posts.set(textIn(post, 'id'), { post, token, isDeleted: false });
  const before = posts.get(idOf(sent));
  if (before === undefined || reply.status !== 200) return;
  if (isOfPost(sent, 'PATCH') && post !== undefined) posts.set(idOf(sent), { ...before, post });
  if (isOfPost(sent, 'DELETE')) posts.set(idOf(sent), { ...before, isDeleted: true });
}

const isOwn = (found: KnownPost | undefined, sent: PassingRequest) => found?.token === tokenOf(sent);
const deletedOwn = (posts: Posts, sent: PassingRequest) => {
  const found = posts.get(idOf(sent));
  return found?.isDeleted === true && isOwn(found, sent) ? found.post : undefined;
};

function losesFiles(): Fault {
  const changed = new Set<string>();
  return {
    onReply: (reply, sent) => {
      const post = objectIn(reply, 'post');
      if (isOfPost(sent, 'PATCH') && reply.status === 200) changed.add(idOf(sent));
      if (post === undefined || !changed.has(idOf(sent))) return reply;
      return withJson(reply, (body) => ({ ...body, post: { ...post, attachments: [] } }));
    },
  };
}

function deletesTwice(): Fault {
  const { begin, end } = countUnderWay();
  const doubled = new WeakSet<PassingRequest>();
  return {
    onRequest: (sent) => {
      if (isOfPost(sent, 'DELETE') && begin(sent.path)) doubled.add(sent);
      return sent;
    },
    onReply: (reply, sent) => {
      if (isOfPost(sent, 'DELETE')) end(sent.path);
      return doubled.has(sent) && reply.status === 404 ? json(200, { deleted: true }) : reply;
    },
  };
}

/** A public post of a closed profile is kept as a private one. */
function hidesClosed(): Fault {
  const { note: noteAgent, of } = rememberAgents();
  return {
    onRequest: (sent) =>
      isCreation(sent) && of(sent)?.['profile_public'] === false
        ? withJson(sent, (body) => (body['visibility'] === 'public' ? { ...body, visibility: 'private' } : body))
        : sent,
    onReply: (reply, sent) => {
      noteAgent(reply, sent);
      return reply;
    },
  };
}

const replacesRare: Fault = {
  onRequest: (sent) =>
    placeOf(sent).startsWith('/posts')
      ? withTexts(sent, (text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'))
      : sent,
};

const creation = 'POST /api/v1/posts';
const filesOf = (body: Changeable) => toIds(Array.isArray(body['attachment_ids']) ? body['attachment_ids'] : []);

export default furtherMutants(table, {
  faults: {
    countsBytes: refuses(creation, (body) => Buffer.byteLength(textIn(body, 'text')) > 8000, 400, 'invalid_text'),
    refusesLongTitle: refuses(creation, (body) => [...textIn(body, 'title')].length === 160, 400, 'invalid_title'),
    refusesTenFiles: refuses(
      creation,
      ({ attachment_ids: ids }) => Array.isArray(ids) && ids.length === 10,
      400,
      'invalid_field',
    ),
    dropsUnknown,
    changesInPart,
    losesFiles,
    repeatsPosts: repeatsReplies((sent) => (isCreation(sent) ? `${tokenOf(sent)} ${sent.body}` : undefined)),
    hidesClosed,
    rightsForText: refuses(
      creation,
      (body) => body['visibility'] === 'public' && body['kind'] !== 'portfolio' && body['rights_confirmed'] !== true,
      400,
      'publication_rights_required',
    ),
    deletesAgain: withPosts((posts) => ({
      onReply: (reply, sent) =>
        isOfPost(sent, 'DELETE') && deletedOwn(posts, sent) !== undefined ? json(200, { deleted: true }) : reply,
    })),
    deletesTwice,
    changesDeleted: withPosts((posts) => ({
      onReply: (reply, sent) => {
        const post = isOfPost(sent, 'PATCH') ? deletedOwn(posts, sent) : undefined;
        return post === undefined ? reply : json(200, { post: { ...post, ...known(parse(sent.body) ?? {}) } });
      },
    })),
    showsDeleted: withPosts((posts) => ({
      onReply: (reply, sent) => {
        const post = isOfPost(sent, 'GET') ? deletedOwn(posts, sent) : undefined;
        return post === undefined ? reply : json(200, { post });
      },
    })),
    ignoresForeign: withPosts((posts) => ({
      onRequest: (sent) =>
        isOfPost(sent, 'PATCH') && posts.has(idOf(sent)) && !isOwn(posts.get(idOf(sent)), sent)
          ? { ...sent, method: 'GET', body: '' }
          : sent,
    })),
    forbidsForeign: withPosts((posts) => ({
      onReply: (reply, sent) => {
        const found = posts.get(idOf(sent));
        const isPublic = found?.post['visibility'] === 'public' && !found.isDeleted && !isOwn(found, sent);
        return isPublic && isOfPost(sent, 'PATCH') && reply.status === 404 ? refusal(403, 'forbidden') : reply;
      },
    })),
    replacesRare,
  },
  builds: {
    bindsRefused: aroundRequests(creation, {
      after: ({ body }, _, status) =>
        status >= 400
          ? `update attachments set bound_kind = 'post', bound_id = '${randomUUID()}', position = 0 where id in ${filesOf(body)} and bound_id is null`
          : undefined,
    }),
    movesFiles: aroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set bound_kind = null, bound_id = null, position = null
         where id in ${filesOf(body)} and owner_id = ${callerId} and bound_kind = 'post'`,
    }),
    bindsOrderFiles: aroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set purpose = 'portfolio' where id in ${filesOf(body)} and owner_id = ${callerId} and purpose = 'order'`,
    }),
    bindsForeign: aroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set owner_id = ${callerId} where id in ${filesOf(body)} and purpose = 'portfolio' and bound_id is null`,
    }),
    publishesClosed: aroundRequests(creation, {
      before: ({ body, callerId }) =>
        body['visibility'] === 'public'
          ? `update bots set profile_public = true where id = ${callerId} and not profile_public returning id`
          : undefined,
      after: (_, rows) =>
        rows.length === 0
          ? undefined
          : `update bots set profile_public = false where id in ${toIds(rows.map(({ id }) => id))}`,
    }),
  },
});
