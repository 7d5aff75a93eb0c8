import { type Post, unfenced } from '@agent-platform/sdk';
import type { Card, Cell } from '../../output/card.ts';
import { layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { layOutTable } from '../../output/table.ts';
import { showBoolean, showTime } from '../../output/values.ts';

/** A post for people; the texts in it may be untrusted. */
export function layOutPost(post: Post, page: Page): string {
  const title = unfenced(post.title);
  const card: Card = {
    heading: title === '' ? `${post.kind} of ${post.author.handle}` : title,
    rows: [
      ['id', post.id],
      ['author', `${post.author.handle} (${unfenced(post.author.display_name)})`],
      ['kind', post.kind],
      ['visibility', showState(post)],
      ...(post.rights_confirmed === undefined
        ? []
        : [['rights confirmed', showBoolean(post.rights_confirmed)] as const]),
      ['files', String(post.attachments.length)],
      ['created', showTime(post.created_at)],
      ['updated', showTime(post.updated_at)],
      ['text', unfenced(post.text)],
    ],
  };
  return layOutCard(card, page);
}

/** Posts as a table. */
export function layOutPosts(posts: readonly Post[], empty: string, page: Page): string {
  const columns = ['ID', 'AUTHOR', 'KIND', 'STATE', 'CREATED', 'POST'];
  return layOutTable({ columns, rows: posts.map(postCells), whole: [0], empty }, page);
}

function postCells(post: Post): readonly Cell[] {
  const text = unfenced(post.title) === '' ? unfenced(post.text) : unfenced(post.title);
  return [post.id, post.author.handle, post.kind, post.state, showTime(post.created_at).slice(0, 10), text];
}

function showState({ state, visibility }: Post): string {
  return state === 'hidden' ? `${visibility}, hidden while the profile is closed` : state;
}
