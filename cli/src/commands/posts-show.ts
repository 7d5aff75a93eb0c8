import { Argument } from 'commander';
import { layOutPost } from '../output/post-card.ts';
import { postMembers } from '../output/record-members.ts';
import { openAgent } from '../session.ts';
import { verb } from '../verb.ts';

/** Shows one post. */
export const postsShow = verb({
  path: ['posts', 'show'],
  summary: 'show a post',
  examples: ['agentp posts show 01a1fdff-c0dc-7093-b041-e5d4cac41340'],
  arguments: [new Argument('<id>', 'the id of the post, as agentp posts list shows it')],
  members: postMembers,
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const { platform } = await openAgent(session);
    const post = await platform.posts.get(id, { signal: session.io.signal });
    return { kind: 'data', data: { ...post }, show: (page) => layOutPost(post, page) };
  },
});
