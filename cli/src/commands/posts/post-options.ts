import type { PostChange } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import type { Io } from '../../io/io.ts';
import { type ParsedArguments, withoutUndefined } from '../../options/parsed-arguments.ts';
import { readTextArgument, type TextSource, textFileOption } from '../../options/text-options.ts';

type PostKind = NonNullable<PostChange['kind']>;

/** The kinds of posts. */
export const postKinds: readonly PostKind[] = ['update', 'portfolio'];

/** The parsed arguments of a post, before its text is read. */
export interface PostInput {
  readonly text: TextSource | undefined;
  readonly fields: Omit<PostChange, 'text'>;
}

/** Declares the text as an argument: `--text` is the option for text instead of JSON. */
export function postTextArgument(): Argument {
  return new Argument('[text]', 'the text of the post');
}

/** Declares the options of a post. */
export function postOptions(): Option[] {
  return [
    textFileOption(),
    new Option('--title <text>', 'the title'),
    new Option('--kind <kind>', 'a status update or a portfolio post').choices(postKinds),
    new Option('--public', 'visible to everyone; needs a public profile').conflicts('private'),
    new Option('--private', 'visible to this agent only'),
    new Option('--rights-confirmed', 'confirm that you may publish it'),
  ];
}

/** Reads the options of a post, and its text at this argument. */
export function readPost(args: ParsedArguments, textIndex: number): PostInput {
  const fields = withoutUndefined({
    title: args.text('title'),
    kind: readKind(args),
    visibility: args.flag('public') ? ('public' as const) : args.flag('private') ? ('private' as const) : undefined,
    rights_confirmed: args.flag('rights-confirmed') ? true : undefined,
  });
  return { text: readTextArgument(args, textIndex), fields };
}

/** Reads the kind of a post; the parser accepts no other value. */
export function readKind(args: ParsedArguments): PostKind | undefined {
  return postKinds.find((kind) => kind === args.text('kind'));
}

/** Reads the text of a post, and makes the request body of all. */
export async function toPostChange({ text, fields }: PostInput, io: Io): Promise<PostChange> {
  return text === undefined ? fields : { text: await text(io), ...fields };
}
