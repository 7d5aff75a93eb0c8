import { Argument } from 'commander';
import { CuredError } from '../../errors/failure.ts';
import { Interruption } from '../../errors/interruption.ts';
import { postMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutPost } from './post-format.ts';
import {
  declarePostOptions,
  declarePostText,
  type PostWords,
  readPostWords,
  refuseNoWords,
  toPostChange,
} from './post-options.ts';

interface Input {
  readonly id: string;
  readonly words: PostWords;
}

/** Changes an own post; what is not named stays as it is. */
export const postsUpdate = verb<Input>({
  path: ['posts', 'update'],
  summary: 'change an own post; what is not named stays as it is',
  examples: [
    'agentp posts update 01a1fdff-c0dc-7093-b041-e5d4cac41340 --private',
    'agentp posts update 01a1fdff-c0dc-7093-b041-e5d4cac41340 --title "The reef, corrected"',
  ],
  arguments: [new Argument('<id>', 'the id of the post'), declarePostText()],
  options: declarePostOptions(),
  members: postMembers,
  parse: (typed) => ({ id: typed.argument(0), words: refuseNoWords(readPostWords(typed, 1)) }),
  run: async ({ id, words }, session) => {
    const { platform } = await openAgent(session);
    const change = await toPostChange(words, session.io);
    const post = await platform.posts.update(id, change, { signal: session.io.signal }).catch((error: unknown) => {
      if (!(error instanceof Interruption)) throw error;
      throw new CuredError(error, `It is not known whether the change was made: agentp posts show ${id}`);
    });
    return { kind: 'data', data: { ...post }, show: (page) => layOutPost(post, page) };
  },
});
