import { Argument } from 'commander';
import { postMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutPost } from './post-format.ts';

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
