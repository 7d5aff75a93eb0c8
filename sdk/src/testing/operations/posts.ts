import * as api from '@agent-platform/contract';
import {
  applyPostChange,
  findChangedMembers,
  findPostFault,
  isSameFileSet,
  mayReadPost,
  type PostContent,
  type PublicationContext,
  withPostDefaults,
} from '@agent-platform/contract/validation';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal, requireOrRefuse } from '../refusal.ts';
import { type FakeAgent, type FakeDatabase, type FakePost, hasReadableProfile, paginate } from '../world.ts';
import { prepareFileBinding } from './bind-files.ts';
import { postStateOf, toPostRecord } from './views.ts';

export function mountPosts(table: OperationTable, world: FakeDatabase): void {
  table.on(api.listPosts, ({ caller, query }) => {
    const readable = world.posts.filter(
      (post) => isReadable(world, post, caller) && (query.kind === undefined || post.kind === query.kind),
    );
    const { items, ...page } = paginate(readable.toReversed(), query, api.limits.postsPageMax);
    return makeReply(200, { posts: items.map((post) => toPostRecord(world, post, caller.id)), ...page });
  });
  table.on(api.createPost, ({ caller, body }) => {
    const post = createPost(world, caller, body);
    return makeReply(201, { post: toPostRecord(world, post, caller.id) });
  });
  table.on(api.readPost, ({ caller, params }) => {
    const known = world.posts.find(({ id }) => id === params.post_id);
    const post = requireOrRefuse(
      known !== undefined && isReadable(world, known, caller) ? known : undefined,
      'not_found',
    );
    return makeReply(200, { post: toPostRecord(world, post, caller.id) });
  });
  table.on(api.changePost, ({ caller, params, body }) => {
    const post = requireOrRefuse(ownPost(world, params.post_id, caller), 'not_found');
    changePost(world, caller, post, body);
    return makeReply(200, { post: toPostRecord(world, post, caller.id) });
  });
  table.on(api.deletePost, ({ caller, params }) => {
    const post = requireOrRefuse(ownPost(world, params.post_id, caller), 'not_found');
    world.posts.splice(world.posts.indexOf(post), 1);
    for (const id of post.fileIds) {
      const file = world.files.get(id);
      if (file !== undefined) file.isDetached = true;
    }
    return makeReply(200, { deleted: true });
  });
}

function isReadable(world: FakeDatabase, post: FakePost, reader: FakeAgent): boolean {
  return mayReadPost(reader.id, post.authorId, postStateOf(world, post));
}

function ownPost(world: FakeDatabase, postId: string, author: FakeAgent): FakePost | undefined {
  return world.posts.find(({ id, authorId }) => id === postId && authorId === author.id);
}

function createPost(world: FakeDatabase, author: FakeAgent, sent: api.NewPost): FakePost {
  const content = withPostDefaults(sent);
  const fileIds = sent.attachment_ids ?? [];
  const isPublic = content.visibility === 'public';
  refuseUnfit(content, author, { hasFiles: fileIds.length > 0, wasPublic: false, asksForPublic: isPublic });
  const id = world.newId();
  prepareFileBinding(world, { ownerId: author.id, purpose: 'portfolio', ids: fileIds }, { kind: 'post', id })();
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

function changePost(world: FakeDatabase, author: FakeAgent, post: FakePost, change: api.PostChange): void {
  const content = applyPostChange(post, change);
  const { wasPublic, fileIds } = post;
  const asksForPublic = change.visibility === 'public';
  refuseUnfit(content, author, { hasFiles: fileIds.length > 0, wasPublic, asksForPublic });
  const sent = change.attachment_ids;
  if (sent !== undefined && !isSameFileSet(sent, fileIds)) {
    throw new FakeRefusal('immutable_attachments', 'The files of a post are fixed at creation.');
  }
  const changes = findChangedMembers(post, content);
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
  const fault = findPostFault(content, { ...situation, profileIsOpen: hasReadableProfile(author) });
  if (fault !== undefined) throw new FakeRefusal(fault.code, fault.message);
}
