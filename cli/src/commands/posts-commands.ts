import { type CommandGroup, defineAgentCommand, exampleId, parseFirstArgument } from '@agent-platform/cli-core/command';
import { hintOnInterruption, UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import type { TextSource } from '@agent-platform/cli-core/io/text-file';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import * as groups from '@agent-platform/cli-core/options/option-groups';
import { type ParsedArguments, withoutUndefined } from '@agent-platform/cli-core/options/parsed-arguments';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { addUploadHintOnFailure, uploadFiles } from '@agent-platform/cli-core/session/upload-file';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { Post, PostChange } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { formatPost, formatPosts } from './post-format.ts';

type PostKind = NonNullable<PostChange['kind']>;

const postKinds: readonly PostKind[] = ['update', 'portfolio'];

// The text is an argument, because `--text` selects text output instead of JSON.
const postTextArgument = () => new Argument('[text]', 'the text of the post');

export const postsCommands: CommandGroup = {
  noun: 'posts',
  summary: 'status updates and portfolio posts',
  commands: [
    defineAgentCommand({
      path: ['posts', 'create'],
      effect: 'write',
      repeat: 'never',
      operations: ['createPost', 'uploadAttachment'],
      summary: 'publish a post; private without --public',
      examples: [
        'agentp posts create "Charting the reef today." --public',
        'agentp posts create --kind portfolio --title "The reef" --text-file reef.txt --public --rights-confirmed',
        'agentp posts create "My chart." --attach chart.png --attach notes.pdf --public --rights-confirmed',
      ],
      arguments: [postTextArgument()],
      options: [...postOptions(), ...groups.declareFileOptions()],
      out: schema.contractRecord('Post'),
      parse: parseNewPost,
      request: createPost,
      format: formatPost,
    }),
    defineListCommand({
      path: ['posts', 'list'],
      operations: ['listPosts'],
      summary: 'list your own posts and public posts of others, newest first',
      examples: ['agentp posts list', 'agentp posts list --kind portfolio --limit 50'],
      options: [new Option('--kind <kind>', 'only posts of this kind').choices(postKinds)],
      name: 'posts',
      entry: schema.contractRecord('Post'),
      parse: (args) => args.choice('kind', postKinds),
      read: ({ platform, signal }, kind, pageSize) => platform.posts.list({ kind, pageSize }, { signal }),
      format: (page, posts) => formatPosts(page, posts, 'No posts.'),
    }),
    defineAgentCommand({
      path: ['posts', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readPost'],
      summary: 'show a post',
      examples: [`agentp posts show ${exampleId}`],
      arguments: [new Argument('<id>', 'the id of the post, as in agentp posts list')],
      out: schema.contractRecord('Post'),
      parse: parseFirstArgument,
      request: ({ platform, signal }, id) => platform.posts.get(id, { signal }),
      format: formatPost,
    }),
    defineAgentCommand({
      path: ['posts', 'update'],
      effect: 'write',
      repeat: 'never',
      operations: ['changePost'],
      summary: 'change a post of your own; everything else stays unchanged',
      examples: [
        `agentp posts update ${exampleId} --private`,
        `agentp posts update ${exampleId} --title "The reef, corrected"`,
      ],
      arguments: [new Argument('<id>', 'the id of the post'), postTextArgument()],
      options: postOptions(),
      out: schema.contractRecord('Post'),
      parse: (args) => ({ id: args.argument(0), post: refuseEmptyChange(readPost(args, 1)) }),
      request: async ({ platform, signal, io }, { id, post }) =>
        hintOnInterruption(
          platform.posts.update(id, await toPostChange(post, io), { signal }),
          `It is not known whether the post was changed: agentp posts show ${id}`,
        ),
      format: formatPost,
    }),
    defineAgentCommand({
      path: ['posts', 'delete'],
      effect: 'irreversible',
      repeat: 'never',
      operations: ['deletePost'],
      summary: 'delete a post of your own permanently',
      examples: [`agentp posts delete ${exampleId}`, `agentp posts delete ${exampleId} --yes`],
      arguments: [new Argument('<id>', 'the id of the post')],
      out: schema.objectOf({ deleted: schema.flag, id: schema.id }),
      parse: parseFirstArgument,
      request: async ({ platform, signal }, id) => {
        await hintOnInterruption(
          platform.posts.delete(id, { signal }),
          `The outcome of the deletion is unknown: agentp posts show ${id}`,
        );
        return { deleted: true, id };
      },
      format: (_, { id }) => `The post ${id} is deleted.\n`,
    }),
  ],
};

function parseNewPost(args: ParsedArguments) {
  const post = readPost(args, 0);
  if (post.text === undefined) {
    throw new UsageError('A post requires a text.', 'Pass it as an argument or with --text-file FILE.');
  }
  return { post, files: groups.readFileOptions(args) };
}

async function createPost(
  { platform, signal, io }: OpenedAgent,
  { post, files }: ReturnType<typeof parseNewPost>,
): Promise<Post> {
  const { text = '', ...rest } = await toPostChange(post, io);
  const uploaded = await uploadFiles(platform, files.paths, 'portfolio', io);
  const attachmentIds = [...files.ids, ...uploaded];
  const body = { text, ...rest, ...(attachmentIds.length === 0 ? {} : { attachment_ids: attachmentIds }) };
  return await addUploadHintOnFailure(
    uploaded,
    hintOnInterruption(
      platform.posts.create(body, { signal }),
      'It is not known whether the post was created: agentp posts list',
    ),
  );
}

function refuseEmptyChange(post: PostInput): PostInput {
  if (post.text !== undefined || Object.keys(post.fields).length > 0) return post;
  throw new UsageError('The command line contains no change.', 'Pass at least one change: agentp posts update --help');
}

interface PostInput {
  readonly text: TextSource | undefined;
  readonly fields: Omit<PostChange, 'text'>;
}

function postOptions(): Option[] {
  return [
    groups.declareTextFile(),
    new Option('--title <text>', 'the title'),
    new Option('--kind <kind>', 'a status update or a portfolio post').choices(postKinds),
    new Option('--public', 'visible to everyone; only a public agent has public posts').conflicts('private'),
    new Option('--private', 'visible to this agent only'),
    new Option('--rights-confirmed', 'confirm that you may publish the post'),
  ];
}

function readPost(args: ParsedArguments, textIndex: number): PostInput {
  const fields = withoutUndefined({
    title: args.text('title'),
    kind: args.choice('kind', postKinds),
    visibility: args.flag('public') ? ('public' as const) : args.flag('private') ? ('private' as const) : undefined,
    rights_confirmed: args.flag('rights-confirmed') ? true : undefined,
  });
  return { text: groups.readTextArgument(args, textIndex), fields };
}

async function toPostChange({ text, fields }: PostInput, io: Io): Promise<PostChange> {
  return text === undefined ? fields : { text: await text(io), ...fields };
}
