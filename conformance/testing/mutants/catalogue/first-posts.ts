import { randomUUID } from 'node:crypto';
import { runSqlAroundRequests, sqlIds } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, isAbout, type MutableObject, tokenOf, withJson } from '../../faults.ts';
import { objectIn, pathBelowApi, refuseMatching, textIn } from '../../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';
import { repeatReplies } from '../../stateful-faults.ts';

const table = String.raw`
refuses ten files | attachment_ids (up to 10) | = refusesTenFiles
resets the kind that a change leaves out | In: changed fields | PATCH /posts/* <- default kind "update"
hides a post whose change leaves its visibility out | In: changed fields, including visibility | PATCH /posts/* <- default visibility "private"
has another id after a change | Identifiers: a post has one id | PATCH /posts/* 200 -> set post.id uuid
loses the files of a post with its change | files are fixed at creation | = losesFiles
answers an equal post with the first one | POST /posts is not idempotent | = repeatsPosts
keeps five posts of an agent | a post is returned until it is deleted | after insert on posts | update posts set deleted_at = now() where author_id = new.author_id and deleted_at is null and id not in (select id from posts where author_id = new.author_id and deleted_at is null order by id desc limit 5); return null;
binds the files of a refused post | a refusal has no effect; attachment_already_bound | = bindsRefused
moves files to another post | attachment_already_bound; binding is fixed | = movesFiles
binds files of orders to posts | a fixed purpose; invalid_attachment | = bindsOrderFiles
binds files of other agents | invalid_attachment | = bindsForeign
publishes posts of a closed profile | public needs a public active profile | = publishesClosed
needs no rights for files that become public later | rights_confirmed: true for the first public exposure of files | PATCH /posts/* sent:'"visibility":"public"' <- default rights_confirmed true
needs no rights for updates with files | rights_confirmed: true for the first public exposure of files | POST /posts sent:'"attachment_ids":\["' <- default rights_confirmed true
accepts a public portfolio without rights | Public portfolio needs confirmed rights | POST /posts sent:'portfolio' <- change rights_confirmed false true
needs no rights for a public update that becomes a portfolio | Public portfolio needs confirmed rights | PATCH /posts/* sent:'"kind":"portfolio"' <- default rights_confirmed true
needs rights for a public text | rights for the first public exposure of files alone | = rightsForText
ignores the change of a post by another agent | PATCH: author only, otherwise 404 | = ignoresForeign
deletes all posts of an agent with one | DELETE of this post alone | after update on posts | if old.deleted_at is null and new.deleted_at is not null and pg_trigger_depth() = 1 then update posts set deleted_at = new.deleted_at where author_id = new.author_id and deleted_at is null and id > new.id; end if; return null;
`;

const isCreation = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/posts');
const isOfPost = (sent: ProxiedRequest, method: string) =>
  sent.method === method && /^\/posts\/[^/]+$/.test(pathBelowApi(sent));
const idOf = (sent: ProxiedRequest) => idIn(pathBelowApi(sent));

/** Makes a fault with access to each post as last returned, its author and whether it was deleted. */
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
  readonly post: MutableObject;
  readonly token: string;
  readonly isDeleted: boolean;
}

type Posts = Map<string, KnownPost>;

function note(posts: Posts, reply: ProxiedReply, sent: ProxiedRequest): void {
  const post = objectIn(reply, 'post');
  const token = tokenOf(sent) ?? '';
  if (isCreation(sent) && post !== undefined) posts.set(textIn(post, 'id'), { post, token, isDeleted: false });
  const before = posts.get(idOf(sent));
  if (before === undefined || reply.status !== 200) return;
  if (isOfPost(sent, 'PATCH') && post !== undefined) posts.set(idOf(sent), { ...before, post });
  if (isOfPost(sent, 'DELETE')) posts.set(idOf(sent), { ...before, isDeleted: true });
}

const isOwn = (found: KnownPost | undefined, sent: ProxiedRequest) => found?.token === tokenOf(sent);

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

const creation = 'POST /api/v1/posts';
const filesOf = (body: MutableObject) => sqlIds(Array.isArray(body['attachment_ids']) ? body['attachment_ids'] : []);

export default parseCatalogueTable(table, {
  faults: {
    refusesTenFiles: refuseMatching(
      creation,
      ({ attachment_ids: ids }) => Array.isArray(ids) && ids.length === 10,
      400,
      'invalid_field',
    ),
    losesFiles,
    repeatsPosts: repeatReplies((sent) => (isCreation(sent) ? `${tokenOf(sent)} ${sent.body}` : undefined)),
    rightsForText: refuseMatching(
      creation,
      (body) => body['visibility'] === 'public' && body['kind'] !== 'portfolio' && body['rights_confirmed'] !== true,
      400,
      'publication_rights_required',
    ),
    ignoresForeign: withPosts((posts) => ({
      onRequest: (sent) =>
        isOfPost(sent, 'PATCH') && posts.has(idOf(sent)) && !isOwn(posts.get(idOf(sent)), sent)
          ? { ...sent, method: 'GET', body: '' }
          : sent,
    })),
  },
  builds: {
    bindsRefused: runSqlAroundRequests(creation, {
      after: ({ body }, _, status) =>
        status >= 400
          ? `update attachments set bound_kind = 'post', bound_id = '${randomUUID()}', position = 0 where id in ${filesOf(body)} and bound_id is null`
          : undefined,
    }),
    movesFiles: runSqlAroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set bound_kind = null, bound_id = null, position = null
         where id in ${filesOf(body)} and owner_id = ${callerId} and bound_kind = 'post'`,
    }),
    bindsOrderFiles: runSqlAroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set purpose = 'portfolio' where id in ${filesOf(body)} and owner_id = ${callerId} and purpose = 'order'`,
    }),
    bindsForeign: runSqlAroundRequests(creation, {
      before: ({ body, callerId }) =>
        `update attachments set owner_id = ${callerId} where id in ${filesOf(body)} and purpose = 'portfolio' and bound_id is null`,
    }),
    publishesClosed: runSqlAroundRequests(creation, {
      before: ({ body, callerId }) =>
        body['visibility'] === 'public'
          ? `update bots set profile_public = true where id = ${callerId} and not profile_public returning id`
          : undefined,
      after: (_, rows) =>
        rows.length === 0
          ? undefined
          : `update bots set profile_public = false where id in ${sqlIds(rows.map(({ id }) => id))}`,
    }),
  },
});
