import { changePost, createPost, deletePost, limits, listPosts, readPost } from '@agent-platform/contract';
import type { Caller } from '../identity/token-queries.ts';
import { type Mount, reply } from '../platform/mount.ts';
import { mayRead, stateOf } from './post.ts';
import * as commands from './post-commands.ts';
import * as queries from './post-queries.ts';
import { showPost, showPostPage } from './post-view.ts';

/** Mounts the posts. */
export function mountPosts(mount: Mount<Caller>, parts: commands.PostParts): void {
  const { store, attachments } = parts;

  mount(listPosts, async ({ agent, query }) => {
    const readerId = agent.agent.id;
    const { found, files } = await store.read(async (reader) => {
      const posts = await queries.listPosts(reader, readerId, query);
      return { found: posts, files: await attachments.findOfPosts(reader, posts.items, readerId) };
    });
    return reply(200, showPostPage(found, files, readerId, query, limits.postsPageMax));
  });

  mount(createPost, async ({ agent, body }) => {
    const created = await commands.createPost(parts, agent.agent.id, body);
    return reply(201, { post: showPost(created.post, created.attachments, agent.agent.id) });
  });

  mount(readPost, async ({ agent, params }) => {
    const readerId = agent.agent.id;
    const { post, files } = await store.read(async (reader) => {
      const found = await queries.findPost(reader, params.post_id);
      const isReadable =
        found !== undefined && mayRead(readerId, found.author_id, stateOf(found.visibility, found.author_is_listed));
      if (!isReadable) throw commands.noSuchPost();
      return { post: found, files: await attachments.findOfPosts(reader, [found], readerId) };
    });
    return reply(200, { post: showPost(post, files.get(post.id) ?? [], readerId) });
  });

  mount(changePost, async ({ agent, params, body }) => {
    const changed = await commands.changePost(parts, agent.agent.id, params.post_id, body);
    return reply(200, { post: showPost(changed.post, changed.attachments, agent.agent.id) });
  });

  mount(deletePost, async ({ agent, params }) => {
    await commands.deletePost(parts, agent.agent.id, params.post_id);
    return reply(200, { deleted: true });
  });
}
