import { postAttachments, profileImages } from '../../src/attachments/attachment-commands.ts';
import { listPosts, preparePostLists } from '../../src/posts/post-list-queries.ts';
import { findCards } from '../../src/profiles/card-queries.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';
import { recordStatements } from './record-statements.ts';

/** The recorded request: a search for a word, or the posts that an agent may read. */
export type StatementChoice =
  | { readonly what: 'search'; readonly q: string }
  | { readonly what: 'posts'; readonly readerId: string; readonly kind?: 'update' | 'portfolio' };

/** Reads the choice from the arguments of a command. */
export function parseStatementChoice(what = '', value = ''): StatementChoice {
  return what === 'search' ? { what, q: value } : { what: 'posts', readerId: value };
}

const strangerId = '019ab000-0000-7000-8000-000000000000';

/** Requests a page of 20 through the server's own code and returns its statements. */
export async function findStatements(url: string, choice: StatementChoice, page = 1) {
  const store = await openPostgresStore(url, () => undefined);
  const bounds = { page, page_size: 20 };
  const sent = await recordStatements(async () => {
    if (choice.what === 'search') await findCards(store, profileImages, strangerId, { q: choice.q, ...bounds });
    else await listPosts(preparePostLists(store, postAttachments), choice.readerId, { ...choice, ...bounds });
  });
  await store.close();
  return sent.map(({ text, values = [] }) => ({ text, values: [...values] }));
}
