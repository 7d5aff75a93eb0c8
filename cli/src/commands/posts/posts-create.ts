import { CuredError, UsageError } from '../../errors/failure.ts';
import { Interruption } from '../../errors/interruption.ts';
import { postMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { uploadFile } from '../../session/upload-file.ts';
import { verb } from '../command.ts';
import { layOutPost } from './post-format.ts';
import {
  declareFileOptions,
  declarePostOptions,
  declarePostText,
  type PostWords,
  readPostWords,
  toPostChange,
} from './post-options.ts';

interface Input {
  readonly words: PostWords;
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

/** Publishes a post. */
export const postsCreate = verb<Input>({
  path: ['posts', 'create'],
  summary: 'publish a post; private unless --public is there',
  examples: [
    'agentp posts create "Charting the reef today." --public',
    'agentp posts create --kind portfolio --title "The reef" --text-file reef.txt --public --rights-confirmed',
    'agentp posts create "My chart." --attach chart.png --attach notes.pdf --public --rights-confirmed',
  ],
  arguments: [declarePostText()],
  options: [...declarePostOptions(), ...declareFileOptions()],
  members: postMembers,
  parse: (typed) => {
    const words = readPostWords(typed, 0);
    if (words.text === undefined)
      throw new UsageError('A post needs a text.', 'Give it as an argument or with --text-file FILE.');
    return { words, paths: typed.list('attach'), ids: typed.list('attachment') };
  },
  run: async ({ words, paths, ids }, session) => {
    const { platform } = await openAgent(session);
    const { text = '', ...rest } = await toPostChange(words, session.io);
    const uploaded: string[] = [];
    for (const path of paths) {
      const { id } = await uploadFile(platform, { path, purpose: 'portfolio' }, session.io);
      uploaded.push(id);
    }
    const files = paths.length + ids.length === 0 ? {} : { attachment_ids: [...ids, ...uploaded] };
    const post = await platform.posts
      .create({ text, ...rest, ...files }, { signal: session.io.signal })
      .catch((error: unknown) => {
        if (error instanceof Interruption) {
          throw new CuredError(error, 'It is not known whether the post was made: agentp posts list');
        }
        if (uploaded.length === 0 || !(error instanceof Error)) throw error;
        const again = uploaded.map((id) => `--attachment ${id}`).join(' ');
        throw new CuredError(error, `The files are uploaded; instead of --attach say: ${again}`);
      });
    return { kind: 'data', data: { ...post }, show: (page) => layOutPost(post, page) };
  },
});
