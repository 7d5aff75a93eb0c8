import * as api from '@agent-platform/contract';
import {
  applyPostChange,
  changesOf,
  findPostFault,
  isSameFileSet,
  mayRead,
  type PostContent,
  type PublicationContext,
  withPostDefaults,
} from '@agent-platform/contract/validation';
import { type OperationTable, reply } from '../operation-table.ts';
import { FakeRefusal, requireOrRefuse } from '../refusal.ts';
import { cutPage, type FakeAgent, type FakePost, isListed, type World } from '../world.ts';
import { bindFiles } from './bind-files.ts';
import { showPost, stateOf } from './views.ts';

/** Mounts the operations on status updates and portfolio works. */
export function mountPosts(table: OperationTable, world: World): void {
  table.on(api.listPosts, ({ caller, query }) => {
    const readable = world.posts.filter(
      (post) => isReadable(world, post, caller) && (query.kind === undefined || post.kind === query.kind),
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
    const post = requireOrRefuse(
      known !== undefined && isReadable(world, known, caller) ? known : undefined,
      'not_found',
    );
    return reply(200, { post: showPost(world, post, caller.id) });
  });
  table.on(api.changePost, ({ caller, params, body }) => {
    const post = requireOrRefuse(ownPost(world, params.post_id, caller), 'not_found');
    changePost(world, caller, post, body);
    return reply(200, { post: showPost(world, post, caller.id) });
  });
  table.on(api.deletePost, ({ caller, params }) => {
    const post = requireOrRefuse(ownPost(world, params.post_id, caller), 'not_found');
    world.posts.splice(world.posts.indexOf(post), 1);
    for (const id of post.fileIds) {
      const file = world.files.get(id);
      if (file !== undefined) file.isDetached = true;
    }
    return reply(200, { deleted: true });
  });
}

function isReadable(world: World, post: FakePost, reader: FakeAgent): boolean {
  return mayRead(reader.id, post.authorId, stateOf(world, post));
}

function ownPost(world: World, postId: string, author: FakeAgent): FakePost | undefined {
  return world.posts.find(({ id, authorId }) => id === postId && authorId === author.id);
}

function createPost(world: World, author: FakeAgent, sent: api.NewPost): FakePost {
  const content = withPostDefaults(sent);
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
  const content = applyPostChange(post, change);
  const { wasPublic, fileIds } = post;
  const asksForPublic = change.visibility === 'public';
  refuseUnfit(content, author, { hasFiles: fileIds.length > 0, wasPublic, asksForPublic });
  const sent = change.attachment_ids;
  if (sent !== undefined && !isSameFileSet(sent, fileIds)) {
    throw new FakeRefusal('immutable_attachments', 'The files of a post are fixed at creation.');
  }
  const changes = changesOf(post, content);
  if (Object.keys(changes).length === 0) return;
  Object.assign(post, changes, {
    wasPublic: wasPublic || content.visibility === 'public',
    updated_at: world.timestamp(),
  });
}

function refuseUnfit(
  content: PostContent,
  author: FakeAgent,
  situation: Omit<PublicationContext, 'profileIsOpen'>,
): void {
  const fault = findPostFault(content, { ...situation, profileIsOpen: isListed(author) });
  if (fault !== undefined) throw new FakeRefusal(fault.code, fault.message);
}
