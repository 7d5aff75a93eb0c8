import { postAttachments, profileImages } from '../../src/attachments/attachment-commands.ts';
import { listPosts, prepareFirstPages } from '../../src/posts/post-queries.ts';
import { findCards } from '../../src/profiles/card-queries.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';
import type { Reader, Store } from '../../src/store/store.ts';

/** A statement as it was sent. */
interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The recorded request: a search for a word, or the posts that an agent may read. */
export type StatementChoice =
  | { readonly what: 'search'; readonly q: string }
  | { readonly what: 'posts'; readonly readerId: string };

/** Reads the choice from the arguments of a command. */
export function parseStatementChoice(what = '', value = ''): StatementChoice {
  return what === 'search' ? { what, q: value } : { what: 'posts', readerId: value };
}

const strangerId = '019ab000-0000-7000-8000-000000000000';

/** Requests a page of 20 through the server's own code and records the statements. */
export async function recordStatements(
  url: string,
  choice: StatementChoice,
  page = 1,
): Promise<readonly SentStatement[]> {
  const store = await openPostgresStore(url, () => undefined);
  const sent: SentStatement[] = [];
  const recording: Pick<Store, 'read' | 'run'> = {
    read: (work) => store.read((reader) => work(recordReader(reader, sent))),
    run: async (prepared, values) => {
      sent.push({ text: prepared.text, values });
      return await store.run(prepared, values);
    },
  };
  const bounds = { page, page_size: 20 };
  if (choice.what === 'search') await findCards(recording, profileImages, strangerId, { q: choice.q, ...bounds });
  else {
    const firstPages = prepareFirstPages(postAttachments);
    await listPosts(recording, postAttachments, firstPages, choice.readerId, bounds);
  }
  await store.close();
  if (sent.length === 0) throw new Error('No statement was recorded.');
  return sent;
}

/** The same reader, which records its statements. */
function recordReader(reader: Reader, sent: SentStatement[]): Reader {
  const executor = reader.getExecutor();
  const recorder = new Proxy(executor, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'executeQuery') {
          const { sql, parameters } = args[0] as { sql: string; parameters: readonly unknown[] };
          sent.push({ text: sql, values: parameters });
        }
        return member.apply(target, args);
      };
    },
  });
  return { selectFrom: reader.selectFrom, with: reader.with, getExecutor: () => recorder };
}
