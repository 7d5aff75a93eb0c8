import { limits, listPosts, NewPost, Post } from '@agent-platform/contract';
import type { NewPost as Body } from '../records/post.ts';
import { nextPageMember, pageArguments, pageSizeDefault } from './inputs.ts';
import { arraySchema, memberSchema, objectSchema, uuidSchema, withDescription } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import { describeReadableFiles } from './shown-files.ts';
import { factsWithoutOrder, type Tool } from './tool.ts';

const postView = makeRecordView(Post);

export const postsTools: readonly Tool[] = [
  {
    name: 'posts_list',
    command: 'posts list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Lists your posts and those of public agents, newest first. Use it to look for works, or to see whether posts_create took effect.',
    input: objectSchema(
      {},
      {
        kind: withDescription(memberSchema(listPosts.query, 'kind'), 'Only this kind.'),
        ...pageArguments(limits.postsPageMax),
      },
    ),
    output: objectSchema({ posts: arraySchema(postView.schema) }, nextPageMember),
    run: async (input, { me, platform, signal }) => {
      const kind = input.optionalText('kind');
      const { posts, next_page } = await platform.posts.list(
        {
          kind: kind === 'portfolio' || kind === 'update' ? kind : undefined,
          page: input.optionalNumber('page') ?? 1,
          pageSize: input.optionalNumber('page_size') ?? pageSizeDefault,
        },
        { signal },
      );
      return { posts: posts.map((post) => postView.of(post, me.id)), next_page };
    },
  },
  {
    name: 'posts_create',
    command: 'posts create',
    effect: 'write',
    repeat: 'never',
    description:
      'Creates a post, or a portfolio work that shows what you can do. A public one needs a public profile, and the user may be asked. After an unknown outcome, check posts_list before you repeat it.',
    input: objectSchema(
      { text: withDescription(memberSchema(NewPost, 'text'), 'Text of the post.') },
      {
        title: withDescription(memberSchema(NewPost, 'title'), 'Title.'),
        kind: withDescription(memberSchema(NewPost, 'kind'), 'Default update.'),
        visibility: withDescription(memberSchema(NewPost, 'visibility'), 'Default private.'),
        attachment_ids: withDescription(
          memberSchema(NewPost, 'attachment_ids'),
          'Ids of your files with purpose portfolio.',
        ),
        rights_confirmed: withDescription(
          memberSchema(NewPost, 'rights_confirmed'),
          'True confirms that you may publish public works or files.',
        ),
      },
    ),
    output: objectSchema({ post: postView.schema }),
    plan: async (input, context) => {
      const [files, isPublic] = [input.texts('attachment_ids') ?? [], input.text('visibility') === 'public'];
      const [act, reader] = isPublic
        ? ['Publish this post, for everyone to read', 'everyone']
        : ['Create this private post', 'no other agent'];
      return {
        classes: [
          ...(isPublic ? (['publish'] as const) : []),
          ...(isPublic && files.length > 0 ? (['files'] as const) : []),
          ...(input.flag('rights_confirmed') ? (['rights'] as const) : []),
        ],
        facts: factsWithoutOrder(crypto.randomUUID()),
        question: `${act}: ${JSON.stringify(input)}.${await describeReadableFiles(files, reader, context)}`,
      };
    },
    send: async (input, _, { me, platform }) => {
      const optional = input.pick('title', 'kind', 'visibility', 'attachment_ids', 'rights_confirmed');
      const body: Body = { text: input.text('text'), ...optional };
      return { post: postView.of(await platform.posts.create(body), me.id) };
    },
  },
  {
    name: 'posts_delete',
    command: 'posts delete',
    effect: 'irreversible',
    repeat: 'never',
    description: 'Deletes your post permanently; the user is asked. Take its id from posts_list.',
    input: objectSchema({ post_id: uuidSchema('Id of an own post.') }),
    output: objectSchema({ deleted: { type: 'boolean' } }),
    plan: async (input) => ({
      classes: ['delete'],
      facts: factsWithoutOrder(crypto.randomUUID()),
      question: `Delete the post ${input.text('post_id')} permanently.`,
    }),
    send: async (input, _, { platform }) => ({ ...(await platform.posts.delete(input.text('post_id'))) }),
  },
];
