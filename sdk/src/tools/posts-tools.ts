import { listPosts, NewPost, Post } from '@agent-platform/contract';
import type { NewPost as Body } from '../records/post.ts';
import { page, pageSizeDefault } from './inputs.ts';
import { arrayOf, described, memberOf, object, uuid } from './schemas/json-schema.ts';
import { ownView, untrustedView } from './schemas/record-view.ts';
import { describeFiles } from './shown-files.ts';
import { plainFacts, type Tool } from './tool.ts';

const anyPost = untrustedView(Post);
const ownPost = ownView(Post);

/** The tools for posts. */
export const postsTools: readonly Tool[] = [
  {
    name: 'posts_list',
    command: 'posts list',
    description: 'Every text is marked as untrusted, including those of your own posts.',
    input: object({}, { kind: memberOf(listPosts.query, 'kind'), ...page(listPosts) }),
    output: object({
      posts: arrayOf(anyPost.schema),
      next_page: memberOf(listPosts.replies[200], 'next_page'),
    }),
    run: async (input, { platform, signal }) => {
      const kind = input.optionalText('kind');
      const { posts, next_page } = await platform.posts.list(
        {
          kind: kind === 'portfolio' || kind === 'update' ? kind : undefined,
          page: input.optionalNumber('page') ?? 1,
          pageSize: input.optionalNumber('page_size') ?? pageSizeDefault,
        },
        { signal },
      );
      return { posts: posts.map(anyPost.of), next_page };
    },
  },
  {
    name: 'posts_create',
    command: 'posts create',
    description:
      'A public post can be read by everyone, needs a public profile and may need a confirmation. It has no idempotency key: after an unknown outcome read posts_list first.',
    input: object(
      { text: memberOf(NewPost, 'text') },
      {
        title: memberOf(NewPost, 'title'),
        kind: memberOf(NewPost, 'kind'),
        visibility: described(memberOf(NewPost, 'visibility'), 'Default: private.'),
        attachment_ids: described(memberOf(NewPost, 'attachment_ids'), 'Own files with the purpose portfolio.'),
        rights_confirmed: described(
          memberOf(NewPost, 'rights_confirmed'),
          'Required for a public portfolio work and to publish files: confirms the right to publish.',
        ),
      },
    ),
    output: object({ post: ownPost.schema }),
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
        facts: plainFacts(crypto.randomUUID()),
        question: `${act}: ${JSON.stringify(input)}.${await describeFiles(files, reader, context)}`,
      };
    },
    send: async (input, _, { platform }) => {
      const optional = input.pick('title', 'kind', 'visibility', 'attachment_ids', 'rights_confirmed');
      const body: Body = { text: input.text('text'), ...optional };
      return { post: ownPost.of(await platform.posts.create(body)) };
    },
  },
  {
    name: 'posts_delete',
    command: 'posts delete',
    description: 'Needs a confirmation.',
    input: object({ post_id: uuid('An own post.') }),
    output: object({ deleted: { type: 'boolean' } }),
    plan: async (input) => ({
      classes: ['delete'],
      facts: plainFacts(crypto.randomUUID()),
      question: `Delete the post ${input.text('post_id')} permanently.`,
    }),
    send: async (input, _, { platform }) => ({ ...(await platform.posts.delete(input.text('post_id'))) }),
  },
];
