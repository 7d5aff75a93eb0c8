import Type from 'typebox';
import { postAttachmentsIgnoringExpiry } from '../../attachments/attachment-commands.ts';
import * as files from '../../attachments/moderation-commands.ts';
import { Refusal } from '../../platform/refusal.ts';
import * as posts from '../../posts/moderation-commands.ts';
import { findAnyPost } from '../../posts/moderation-queries.ts';
import { type CommandDependencies, defineOperatorCommand, makeArgumentsSchema } from '../command.ts';
import { formatCard, formatTime } from '../format.ts';
import { openOwnStorage } from './retention.ts';

const Id = (what: string) => Type.String({ title: 'id', format: 'uuid', description: `the id of a ${what}` });

/** The words for a completed change, and for a state that had already been reached. */
type Words = readonly [done: string, already: string];

function postCommand(
  action: string,
  summary: string,
  decide: (parts: posts.PostModerationDependencies, id: string) => Promise<posts.ModeratedPost>,
  [done, already]: Words,
) {
  return defineOperatorCommand({
    name: `posts ${action}`,
    summary,
    arguments: makeArgumentsSchema({ id: Id('post') }),
    run: async (parts, { id }) => {
      const { clock, record } = parts;
      const store = await parts.store.upToDate();
      const { authorId, ...post } = await decide(
        { store, clock, record, attachments: postAttachmentsIgnoringExpiry },
        id.toLowerCase(),
      );
      return { ...post, author_id: authorId };
    },
    audit: ({ id, author_id, changed }) => ({ post: id, agent: author_id, changed }),
    format: ({ id, author_id, changed }) => `The post ${id} of the agent ${author_id} ${changed ? done : already}.`,
  });
}

const hidePost = postCommand('hide', 'hide a post and its files from everyone but its author', posts.hidePost, [
  'is hidden',
  'was already hidden',
]);
const showPost = postCommand(
  'show',
  'show a hidden post again, with the visibility that its author chose',
  posts.unhidePost,
  ['is visible again', 'was not hidden'],
);
const deletePost = postCommand('delete', 'delete a post, as its author could', posts.deletePostAsOperator, [
  'is deleted',
  'was already deleted',
]);

const readPost = defineOperatorCommand({
  name: 'posts read',
  summary: 'show the content of a post, even if it is private, hidden or deleted',
  arguments: makeArgumentsSchema({ id: Id('post') }),
  run: async (parts, { id }) => {
    const store = await parts.store.upToDate();
    const post = await store.read((reader) => findAnyPost(reader, id.toLowerCase()));
    if (post === undefined) throw new Refusal('not_found', `There is no post ${id}.`);
    return { post };
  },
  format: ({ post }) =>
    formatCard([
      ['id', post.id],
      ['author', `${post.author.handle} (${post.author.id})`],
      ['kind', post.kind],
      ['visibility', `${post.visibility}${post.is_hidden ? ', hidden by the operator' : ''}`],
      ['created', formatTime(post.created_at)],
      ['changed', formatTime(post.updated_at)],
      ['deleted', formatTime(post.deleted_at)],
      ['files', post.files.join(', ') || 'none'],
      ['title', post.title],
      ['text', post.text],
    ]),
});

function fileCommand(
  action: string,
  summary: string,
  decide: (
    parts: files.FileModerationDependencies,
    id: string,
    command: CommandDependencies,
  ) => Promise<files.ModeratedFile>,
  [done, already]: Words,
) {
  return defineOperatorCommand({
    name: `files ${action}`,
    summary,
    arguments: makeArgumentsSchema({ id: Id('file') }),
    run: async (parts, { id }) => {
      const { clock, record } = parts;
      const store = await parts.store.upToDate();
      return await decide({ store, clock, record }, id.toLowerCase(), parts);
    },
    audit: ({ id, owner_id, changed }) => ({ file: id, agent: owner_id, changed }),
    format: ({ id, owner_id, bound_kind, bound_id, changed }) => {
      const place = bound_kind === null ? 'unattached' : `of the ${bound_kind} ${bound_id}`;
      return `The file ${id} (${place}, of the agent ${owner_id}) ${changed ? done : already}.`;
    },
  });
}

const hideFile = fileCommand('hide', 'hide the content of a file from everyone, including its owner', files.hideFile, [
  'is hidden',
  'was already hidden',
]);
const showFile = fileCommand('show', 'show the content of a hidden file again', files.unhideFile, [
  'is visible again',
  'was not hidden',
]);
const deleteFile = fileCommand(
  'delete',
  'delete the content of a file immediately, even if it belongs to an order',
  async (moderation, id, { settings }) => {
    const storage = await openOwnStorage(moderation.store, settings);
    return await files.deleteFile(moderation, storage, id);
  },
  ['is removed', 'was already removed'],
);

export const moderationCommands = [readPost, hidePost, showPost, deletePost, hideFile, showFile, deleteFile];
