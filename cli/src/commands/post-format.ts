import { type Column, formatCard, formatTable, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { formatBoolean, formatTime, makeTimeColumn } from '@agent-platform/cli-core/output/values';
import { type Post, unfenced } from '@agent-platform/sdk';

const columns: readonly Column<Post>[] = [
  ['ID', (post) => post.id],
  ['AUTHOR', (post) => post.author.handle],
  ['KIND', (post) => post.kind],
  ['STATE', (post) => post.state],
  makeTimeColumn('CREATED', (post) => post.created_at),
  ['POST', (post) => unfenced(unfenced(post.title) === '' ? post.text : post.title), 'text'],
];

/** Formats a post as text; its title and content may be untrusted. */
export function formatPost(page: TextLayout, post: Post): string {
  const title = unfenced(post.title);
  const { author, rights_confirmed, state, visibility } = post;
  return formatCard(page, title === '' ? `${post.kind} of ${author.handle}` : title, [
    ['id', post.id],
    ['author', `${author.handle} (${unfenced(author.display_name)})`],
    ['kind', post.kind],
    ['visibility', state === 'hidden' ? `${visibility}, hidden while the profile is private` : state],
    ['rights confirmed', rights_confirmed === undefined ? undefined : formatBoolean(rights_confirmed)],
    ['files', String(post.attachments.length)],
    ['created', formatTime(post.created_at, page.now)],
    ['updated', formatTime(post.updated_at, page.now)],
    ['text', unfenced(post.text)],
  ]);
}

export function formatPosts(page: TextLayout, posts: readonly Post[], messageIfEmpty: string): string {
  return formatTable(page, posts, columns, messageIfEmpty);
}
