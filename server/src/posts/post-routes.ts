import { changePost, createPost, deletePost, limits, listPosts, readPost } from '@agent-platform/contract';
import { getPostState, mayReadPost } from '@agent-platform/contract/validation';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import * as commands from './post-commands.ts';
import * as lists from './post-list-queries.ts';
import * as queries from './post-queries.ts';
import { showPost, showPostPage } from './post-view.ts';

export function mountPosts(mount: OperationMounter<Caller>, parts: commands.PostDependencies): void {
  const { store, attachments } = parts;
  const postLists = lists.preparePostLists(store, attachments);

  mount(listPosts, async ({ caller, query }) => {
    const readerId = caller.agent.id;
    const found = await lists.listPosts(postLists, readerId, query);
    return makeReply(200, showPostPage(found, attachments, readerId, query, limits.postsPageMax));
  });

  mount(createPost, async ({ caller, body }) => {
    const created = await commands.createPost(parts, caller.agent, body);
    return makeReply(201, { post: showPost(created, attachments, caller.agent.id) });
  });

  mount(readPost, async ({ caller, params }) => {
    const readerId = caller.agent.id;
    const found = await store.read((reader) => queries.findPost(reader, attachments, params.post_id));
    const isReadable =
      found !== undefined &&
      mayReadPost(readerId, found.author_id, getPostState(found.visibility, found.author_is_listed));
    if (!isReadable) throw commands.postNotFoundRefusal();
    return makeReply(200, { post: showPost(found, attachments, readerId) });
  });

  mount(changePost, async ({ caller, params, body }) => {
    const changed = await commands.changePost(parts, caller.agent.id, params.post_id, body);
    return makeReply(200, { post: showPost(changed, attachments, caller.agent.id) });
  });

  mount(deletePost, async ({ caller, params }) => {
    await commands.deletePost(parts, caller.agent.id, params.post_id);
    return makeReply(200, { deleted: true });
  });
}
