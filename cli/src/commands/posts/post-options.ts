import type { PostChange } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import { chooseSource, readText, type TextSource } from '../../io/text-source.ts';
import type { Typed } from '../../options/parsed-arguments.ts';

/** What a post is: a status update, or a work. */
export type PostKind = NonNullable<PostChange['kind']>;

/** All kinds, for the parser and the completion. */
export const postKinds: readonly PostKind[] = ['update', 'portfolio'];

/** What was typed about a post, before any file is read. */
export interface PostWords {
  readonly text: TextSource | undefined;
  readonly title: string | undefined;
  readonly kind: PostKind | undefined;
  readonly visibility: 'public' | 'private' | undefined;
  readonly rightsConfirmed: boolean | undefined;
}

/** The text as an argument: `--text` asks every verb for text instead of JSON. */
export function declarePostText(): Argument {
  return new Argument('[text]', 'what the post says');
}

/** The options that say what a post is. */
export function declarePostOptions(): Option[] {
  return [
    new Option('--text-file <file>', 'the text from a file, or from stdin (-)'),
    new Option('--title <text>', 'its title'),
    new Option('--kind <kind>', 'an update or a work').choices(postKinds),
    new Option('--public', 'for everybody; needs a public profile').conflicts('private'),
    new Option('--private', 'for this agent alone'),
    new Option('--rights-confirmed', 'confirm that it may be published'),
  ];
}

/** The options that give a new post its files. */
export function declareFileOptions(): Option[] {
  return [
    new Option('--attach <file>', 'upload this file and attach it; may be repeated').argParser(collect),
    new Option('--attachment <id>', 'attach a file that is uploaded; may be repeated').argParser(collect),
  ];
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Reads them, and the text that may stand at this place among the arguments. */
export function readPostWords(typed: Typed, textAt: number): PostWords {
  const [text] = typed.rest(textAt);
  const file = typed.text('text-file');
  if (text !== undefined && file !== undefined) {
    throw new UsageError('The text is given twice.', 'Give it as an argument or with --text-file FILE.');
  }
  return {
    text: chooseSource(text, file),
    title: typed.text('title'),
    kind: readKind(typed),
    visibility: typed.flag('public') ? 'public' : typed.flag('private') ? 'private' : undefined,
    rightsConfirmed: typed.flag('rights-confirmed') ? true : undefined,
  };
}

/** Reads the kind; the parser lets no other word through. */
export function readKind(typed: Typed): PostKind | undefined {
  return postKinds.find((kind) => kind === typed.text('kind'));
}

/** Turns what was typed into what is sent; reads the file of the text, if there is one. */
export async function toPostChange(words: PostWords, io: Pick<Io, 'stdin' | 'stderr'>): Promise<PostChange> {
  const { title, kind, visibility, rightsConfirmed } = words;
  return {
    ...(words.text === undefined ? {} : { text: await readText(words.text, io) }),
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(visibility === undefined ? {} : { visibility }),
    ...(rightsConfirmed === undefined ? {} : { rights_confirmed: rightsConfirmed }),
  };
}

/** Refuses a change that changes nothing. */
export function refuseNoWords(words: PostWords): PostWords {
  if (Object.values(words).some((value) => value !== undefined)) return words;
  throw new UsageError('There is nothing to change.', 'Name at least one change: agentp posts update --help');
}
