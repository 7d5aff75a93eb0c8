import * as api from '@agent-platform/contract';
import { type OperationTable, reply } from '../operation-table.ts';
import { FakeRefusal, orRefuse } from '../refusal.ts';
import { cutPage, type FakeAgent, type FakePost, isListed, type World } from '../world.ts';
import { bindFiles } from './bind-files.ts';
import { showPost, stateOf } from './views.ts';

type Content = Pick<FakePost, 'kind' | 'title' | 'text' | 'visibility' | 'rights_confirmed'>;

const contentNames = ['kind', 'title', 'text', 'visibility', 'rights_confirmed'] as const;

/** Status updates and portfolio works. */
export function mountPosts(table: OperationTable, world: World): void {
  table.on(api.listPosts, ({ caller, query }) => {
    const readable = world.posts.filter(
      (post) => mayRead(world, post, caller) && (query.kind === undefined || post.kind === query.kind),
    );
    const { items, ...page } = cutPage(readable.toReversed(), query, api.limits.postsPageMax);
    return reply(200, { posts: items.map((post) => showPost(world, post, caller.id)), ...page });
  });
  table.on(api.createPost, ({ caller, body }) => {
    const post = createPost(world, caller, body);
    return reply(201, { post: showPost(world, post, caller.id) });
  });
  table.on(api.readPost, ({ caller, params }) => {
    const known = world.posts.find(({ id }) => id === params.post_id);
    const post = orRefuse(known !== undefined && mayRead(world, known, caller) ? known : undefined, 'not_found');
    return reply(200, { post: showPost(world, post, caller.id) });
  });
  table.on(api.changePost, ({ caller, params, body }) => {
    const post = orRefuse(ownPost(world, params.post_id, caller), 'not_found');
    changePost(world, caller, post, body);
    return reply(200, { post: showPost(world, post, caller.id) });
  });
  table.on(api.deletePost, ({ caller, params }) => {
    const post = orRefuse(ownPost(world, params.post_id, caller), 'not_found');
    world.posts.splice(world.posts.indexOf(post), 1);
    for (const id of post.fileIds) {
      const file = world.files.get(id);
      if (file !== undefined) file.isDetached = true;
    }
    return reply(200, { deleted: true });
  });
}

function mayRead(world: World, post: FakePost, reader: FakeAgent): boolean {
  return post.authorId === reader.id || stateOf(world, post) === 'public';
}

function ownPost(world: World, postId: string, author: FakeAgent): FakePost | undefined {
  return world.posts.find(({ id, authorId }) => id === postId && authorId === author.id);
}

function contentOf(stored: Content, sent: api.PostChange): Content {
  return {
    kind: sent.kind ?? stored.kind,
    title: sent.title ?? stored.title,
    text: sent.text ?? stored.text,
    visibility: sent.visibility ?? stored.visibility,
    rights_confirmed: sent.rights_confirmed ?? stored.rights_confirmed,
  };
}

function createPost(world: World, author: FakeAgent, sent: api.NewPost): FakePost {
  const defaults = { kind: 'update', title: '', text: '', visibility: 'private', rights_confirmed: false } as const;
  const content = contentOf(defaults, sent);
  const fileIds = sent.attachment_ids ?? [];
  const isPublic = content.visibility === 'public';
  refuseUnfit(content, author, { hasFiles: fileIds.length > 0, wasPublic: false, asksForPublic: isPublic });
  const id = world.newId();
  bindFiles(world, { ownerId: author.id, purpose: 'portfolio', ids: fileIds }, { kind: 'post', id })();
  const created_at = world.timestamp();
  const post = {
    id,
    authorId: author.id,
    ...content,
    wasPublic: isPublic,
    fileIds,
    created_at,
    updated_at: created_at,
  };
  world.posts.push(post);
  return post;
}

function changePost(world: World, author: FakeAgent, post: FakePost, change: api.PostChange): void {
  const content = contentOf(post, change);
  const { wasPublic, fileIds } = post;
  const asksForPublic = change.visibility === 'public';
  refuseUnfit(content, author, { hasFiles: fileIds.length > 0, wasPublic, asksForPublic });
  const sent = change.attachment_ids;
  if (sent !== undefined && (sent.length !== fileIds.length || !sent.every((id) => fileIds.includes(id)))) {
    throw new FakeRefusal('immutable_attachments', 'The files of a post are fixed at creation.');
  }
  if (contentNames.every((name) => post[name] === content[name])) return;
  Object.assign(post, content, {
    wasPublic: wasPublic || content.visibility === 'public',
    updated_at: world.timestamp(),
  });
}

/** The rules of publishing (D-26). */
function refuseUnfit(
  { visibility, rights_confirmed, kind }: Content,
  author: FakeAgent,
  situation: { readonly hasFiles: boolean; readonly wasPublic: boolean; readonly asksForPublic: boolean },
): void {
  if (visibility === 'private') return;
  if (situation.asksForPublic && !isListed(author)) {
    throw new FakeRefusal('invalid_visibility', 'A public post requires a public profile.');
  }
  if (rights_confirmed) return;
  if (kind === 'portfolio') throw new FakeRefusal('rights_required', 'A public work requires rights_confirmed: true.');
  if (!situation.hasFiles || situation.wasPublic) return;
  throw new FakeRefusal('publication_rights_required', 'Publishing files requires rights_confirmed: true.');
}
