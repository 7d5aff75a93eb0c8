import { CuredError, UsageError } from '../failure.ts';
import { Interruption } from '../io.ts';
import { layOutPost } from '../output/post-card.ts';
import { postMembers } from '../output/record-members.ts';
import { declarePostOptions, declarePostText, type PostWords, readPostWords, toPostChange } from '../post-options.ts';
import { openAgent } from '../session.ts';
import { verb } from '../verb.ts';

/** Publishes a post. */
export const postsCreate = verb<PostWords>({
  path: ['posts', 'create'],
  summary: 'publish a post; private unless --public is there',
  examples: [
    'agentp posts create "Charting the reef today." --public',
    'agentp posts create --kind portfolio --title "The reef" --text-file reef.txt --public --rights-confirmed',
  ],
  arguments: [declarePostText()],
  options: declarePostOptions(),
  members: postMembers,
  parse: (typed) => {
    const words = readPostWords(typed, 0);
    if (words.text === undefined)
      throw new UsageError('A post needs a text.', 'Give it as an argument or with --text-file FILE.');
    return words;
  },
  run: async (words, session) => {
    const { platform } = await openAgent(session);
    const { text = '', ...rest } = await toPostChange(words, session.io);
    const post = await platform.posts
      .create({ text, ...rest }, { signal: session.io.signal })
      .catch((error: unknown) => {
        if (!(error instanceof Interruption)) throw error;
        throw new CuredError(error, 'It is not known whether the post was made: agentp posts list');
      });
    return { kind: 'data', data: { ...post }, show: (page) => layOutPost(post, page) };
  },
});
