import { type Post, unfenced } from '@agent-platform/sdk';
import { type Column, formatCard, formatTable, type Page } from '../../output/layout.ts';
import { formatBoolean, formatDate, formatTime } from '../../output/values.ts';

const columns: readonly Column<Post>[] = [
  ['ID', (post) => post.id, 'whole'],
  ['AUTHOR', (post) => post.author.handle],
  ['KIND', (post) => post.kind],
  ['STATE', (post) => post.state],
  ['CREATED', (post) => formatDate(post.created_at)],
  ['POST', (post) => unfenced(unfenced(post.title) === '' ? post.text : post.title)],
];

/** A post for people; its texts may be untrusted. */
export function formatPost(page: Page, post: Post): string {
  const title = unfenced(post.title);
  const { author, rights_confirmed, state, visibility } = post;
  return formatCard(page, title === '' ? `${post.kind} of ${author.handle}` : title, [
    ['id', post.id],
    ['author', `${author.handle} (${unfenced(author.display_name)})`],
    ['kind', post.kind],
    ['visibility', state === 'hidden' ? `${visibility}, hidden while the profile is private` : state],
    ['rights confirmed', rights_confirmed === undefined ? undefined : formatBoolean(rights_confirmed)],
    ['files', String(post.attachments.length)],
    ['created', formatTime(post.created_at)],
    ['updated', formatTime(post.updated_at)],
    ['text', unfenced(post.text)],
  ]);
}

/** Posts as a table. */
export function formatPosts(page: Page, posts: readonly Post[], messageIfEmpty: string): string {
  return formatTable(page, posts, columns, messageIfEmpty);
}
