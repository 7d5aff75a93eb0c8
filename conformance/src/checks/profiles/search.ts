import type { Check } from '../../context/check.ts';
import { expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectList, expectNoRecord, expectRecord, isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  asPublic,
  changeMe,
  newWord,
  publicAuthor,
  publish,
  setProfilePublic,
} from '../../fixtures/profiles/publishing.ts';

/** Who is found by which words. */
export const searchChecks: readonly Check[] = [
  finds('handle', 'AP-SEARCH-004', async (_run, { handle }) => handle),
  ...[['display_name', 'AP-SEARCH-005'] as const, ['specialty', 'AP-SEARCH-006'], ['bio', 'AP-SEARCH-007']].map(
    ([name, requirement]) =>
      finds(name ?? '', requirement ?? '', async (run, author, word) => {
        await changeMe(run, author, { [name ?? '']: `An agent of ${word} and more.` });
        return word;
      }),
  ),
  ...[['title', 'AP-SEARCH-008'] as const, ['text', 'AP-SEARCH-009']].map(([name, requirement]) =>
    finds(`work-${name}`, requirement ?? '', async (run, author, word) => {
      await publish(run, author, { text: 'A work.', kind: 'portfolio', ...asPublic, [name ?? '']: `Of ${word}.` });
      return word;
    }),
  ),
  {
    id: 'search.private-works',
    covers: ['AP-SEARCH-010'],
    rule: 'Words of a private work match no agent.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await publicAuthor(run);
      const [open, hidden] = [newWord(), newWord()];
      await publish(run, author, { text: open, title: open, kind: 'portfolio', ...asPublic });
      await publish(run, author, { text: hidden, title: hidden, kind: 'portfolio' });
      expectRecord(await search(run, { q: open }), author.id, 'the author of a public work');
      expectNoRecord(await search(run, { q: hidden }), author.id, 'the author of a private work');
    },
  },
  {
    id: 'search.public-only',
    covers: ['AP-SEARCH-002'],
    rule: 'An agent with a closed profile is not found; with an open profile it is found again.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await publicAuthor(run);
      const word = newWord();
      await changeMe(run, author, { bio: word });
      expectRecord(await search(run, { q: word }), author.id, 'the agent with its profile open');
      await setProfilePublic(run, author, false);
      const closed = await search(run, { q: word });
      await setProfilePublic(run, author, true);
      expectNoRecord(closed, author.id, 'the agent with its profile closed');
      expectRecord(await search(run, { q: word }), author.id, 'the agent with its profile open again');
    },
  },
  {
    id: 'search.plain-text',
    covers: ['AP-SEARCH-011'],
    rule: 'The search term is plain text: %, _, \\, * and quotes have no special meaning.',
    cost: { writes: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const [word, tail] = [newWord(), newWord()];
      await changeMe(run, author, { bio: `${word}%_\\*'"${tail}` });
      expectRecord(await search(run, { q: `${word}%_\\*'"${tail}` }), author.id, 'the agent with these characters');
      for (const q of [`${word}%${tail}`, `${word}______${tail}`, `${word}*${tail}`, `${word}.*${tail}`]) {
        expectNoRecord(await search(run, { q }), author.id, `an agent whose bio does not contain ${q}`);
      }
    },
  },
  {
    id: 'search.specialty-filter',
    covers: ['AP-SEARCH-012'],
    rule: 'specialty filters by the specialty only; combined with q, both must match.',
    cost: { writes: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const [specialty, bio, other] = [newWord(), newWord(), newWord()];
      await changeMe(run, author, { specialty, bio });
      const fitting = [{ specialty }, { specialty, q: bio }];
      for (const query of fitting) expectRecord(await search(run, query), author.id, 'the agent that matches');
      const wrong = [{ specialty: bio }, { specialty: other, q: bio }, { specialty, q: other }];
      for (const query of wrong) expectNoRecord(await search(run, query), author.id, 'an agent that does not match');
    },
  },
  {
    id: 'search.order',
    covers: ['AP-SEARCH-003'],
    rule: 'Cards are sorted by display name, then by handle.',
    cost: { writes: 6 },
    async judge(run) {
      const agents = [await publicAuthor(run), await run.primaryAgent()].toSorted((a, b) =>
        a.handle < b.handle ? -1 : 1,
      );
      const [first, second] = agents as [PoolAgent, PoolAgent];
      await setProfilePublic(run, await run.primaryAgent(), true);
      const word = newWord();
      for (const agent of agents) await changeMe(run, agent, { display_name: word });
      demandOrder(await search(run, { q: word }), first, second, 'by handle');
      await changeMe(run, first, { display_name: `${word} b` });
      await changeMe(run, second, { display_name: `${word} a` });
      demandOrder(await search(run, { q: word }), second, first, 'by display name');
    },
  },
  {
    id: 'search.paging',
    covers: ['AP-SEARCH-001', 'AP-SEARCH-013', 'AP-SEARCH-014'],
    rule: 'A page has page_size cards, the next page continues, and the first page is the default.',
    cost: { writes: 4 },
    async judge(run) {
      const agents = [await publicAuthor(run), await run.primaryAgent()];
      await setProfilePublic(run, await run.primaryAgent(), true);
      const word = newWord();
      for (const agent of agents) await changeMe(run, agent, { specialty: word });
      const all = await search(run, { q: word });
      for (const { id } of agents) expectRecord(all, id, 'an agent that matches');
      expect(expectList(all).length === 2, 'the list has more cards than matching agents', all);
      const pages = [await search(run, { q: word, page_size: '1' })];
      for (const page of ['1', '2', '3']) pages.push(await search(run, { q: word, page, page_size: '1' }));
      const seen = pages.map((page) => expectList(page).map(({ id }) => id));
      const expected = expectList(all).map(({ id }) => [id]);
      for (const [index, ids] of [expected[0], expected[0], expected[1], []].entries()) {
        expect(String(seen[index]) === String(ids), 'the page does not contain the expected entries', pages[index]);
      }
    },
  },
  {
    id: 'search.page-bounds',
    covers: ['AP-SEARCH-013', 'AP-SEARCH-014'],
    rule: 'page goes from 1 to 1000 and page_size from 1 to 50; any other value is invalid_pagination.',
    cost: { writes: 1 },
    async judge(run) {
      await publicAuthor(run);
      for (const query of [{ page: '1000' }, { page_size: '50' }, { page: '1', page_size: '1' }]) {
        expectList(await search(run, query));
      }
      const wrong = [{ page: '0' }, { page: '1001' }, { page: '-1' }, { page: '1.5' }, { page: 'one' }];
      for (const query of [...wrong, { page_size: '0' }, { page_size: '51' }, { page_size: 'all' }]) {
        expectRefusal(await ask(run, query), 400, 'invalid_pagination');
      }
    },
  },
  {
    id: 'search.lengths',
    covers: ['AP-SEARCH-015', 'AP-SEARCH-016'],
    rule: 'q and specialty have at most 160 characters; longer values are invalid_search.',
    async judge(run) {
      for (const name of ['q', 'specialty']) {
        expectList(await search(run, { [name]: 'x'.repeat(160) }));
        expectRefusal(await ask(run, { [name]: 'x'.repeat(161) }), 400, 'invalid_search');
      }
    },
  },
];

type Query = Readonly<Record<string, string>>;

/** Asks for the list of agents, as the agent that stays. */
async function ask(run: Run, query: Query): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  return await run.send({ path: `/api/v1/bots?${new URLSearchParams(query)}`, token });
}

async function search(run: Run, query: Query): Promise<Exchange> {
  const answer = await ask(run, query);
  expectStatus(answer, 200);
  expectList(answer);
  return answer;
}

function finds(
  name: string,
  requirement: string,
  write: (run: Run, author: PoolAgent, word: string) => Promise<string>,
): Check {
  return {
    id: `search.${name.replaceAll('_', '-')}`,
    covers: [requirement],
    rule: `q finds an agent by a substring of its ${name.replaceAll('-', ' ')}, and by no other text.`,
    cost: { writes: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const word = await write(run, author, newWord());
      expectRecord(await search(run, { q: word.slice(2, -1) }), author.id, `the agent with ${word}`);
      expectNoRecord(await search(run, { q: `${word}z` }), author.id, `the agent without ${word}z`);
    },
  };
}

function demandOrder(exchange: Exchange, first: PoolAgent, second: PoolAgent, by: string): void {
  const list = expectList(exchange);
  const [one, other] = [first, second].map((agent) => list.findIndex(({ id }) => isSameId(id, agent.id)));
  expect(one !== -1 && other !== -1, 'not both agents are there', exchange);
  expect((one ?? 0) < (other ?? 0), `${first.handle} does not precede ${second.handle} ${by}`, exchange);
}
