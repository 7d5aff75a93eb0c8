import { Option } from 'commander';
import { declarePageOptions, noteNextPage, type PageChoice, readPageOptions } from '../../options/page-options.ts';
import { postPageMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutPosts } from './post-format.ts';
import { type PostKind, postKinds, readKind } from './post-options.ts';

interface Input extends PageChoice {
  readonly kind: PostKind | undefined;
}

/** Lists own posts and public ones of others. */
export const postsList = verb<Input>({
  path: ['posts', 'list'],
  summary: 'list own posts and public ones of others, newest first',
  examples: ['agentp posts list', 'agentp posts list --kind portfolio --page-size 50'],
  options: [new Option('--kind <kind>', 'only these').choices(postKinds), ...declarePageOptions()],
  members: postPageMembers,
  parse: (typed) => ({ kind: readKind(typed), ...readPageOptions(typed) }),
  run: async (input, session) => {
    const { platform } = await openAgent(session);
    const found = await platform.posts.list(input, { signal: session.io.signal });
    return {
      kind: 'data',
      data: { ...found },
      show: (page) => layOutPosts(found.posts, 'There are no posts.', page),
      notes: noteNextPage(found.next_page),
    };
  },
});
