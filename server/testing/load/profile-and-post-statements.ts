import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import {
  postAttachmentsIgnoringExpiry,
  profileImagesIgnoringExpiry,
} from '../../src/attachments/attachment-commands.ts';
import { listPosts, preparePostLists } from '../../src/posts/post-list-queries.ts';
import { findCards } from '../../src/profiles/card-queries.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';

/** A search for a word, or a list of the posts that an agent may read. */
export type StatementRequest =
  | { readonly what: 'search'; readonly q: string }
  | { readonly what: 'posts'; readonly readerId: string; readonly kind?: 'update' | 'portfolio' };

interface SentStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

const strangerId = '019ab000-0000-7000-8000-000000000000';
const recording = new AsyncLocalStorage<SentStatement[]>();

const query: (...args: unknown[]) => unknown = Client.prototype.query;
Client.prototype.query = function record(this: Client, ...args: unknown[]) {
  const statement = args[0] as SentStatement | string;
  recording.getStore()?.push(typeof statement === 'string' ? { text: statement } : { ...statement });
  return query.apply(this, args);
} as typeof Client.prototype.query;

/** Requests a page of 20 with the server's own code. Returns the statements that the driver sent. */
export async function captureStatements(url: string, choice: StatementRequest, page = 1) {
  const store = await openPostgresStore(url, () => undefined);
  const bounds = { page, page_size: 20 };
  const sent: SentStatement[] = [];
  await recording.run(sent, async () => {
    if (choice.what === 'search')
      await findCards(store, profileImagesIgnoringExpiry, strangerId, { q: choice.q, ...bounds });
    else
      await listPosts(preparePostLists(store, postAttachmentsIgnoringExpiry), choice.readerId, {
        ...choice,
        ...bounds,
      });
  });
  await store.close();
  if (sent.length === 0) throw new Error('No statement was recorded.');
  return sent.map(({ text, values = [] }) => ({ text, values: [...values] }));
}
