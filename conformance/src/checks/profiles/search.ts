import type { Agent } from '../../context/agent.ts';
import type { Check } from '../../context/check.ts';
import { expect, listedIds } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { botsPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { asPublic, publish } from '../../fixtures/profiles/posts.ts';
import { changeProfile, newWord, publicAuthor, setProfilePublic } from '../../fixtures/profiles/profiles.ts';
import { given, primaryAgent } from '../given.ts';
import { expectPageBounds, readPage } from '../paging.ts';

/** Which words find which agents. */
export const searchChecks: readonly Check[] = [
  fieldCheck('handle', 'AP-SEARCH-004', async ({ handle }) => handle),
  fieldCheck('display-name', 'AP-SEARCH-005', profileWith('display_name')),
  fieldCheck('specialty', 'AP-SEARCH-006', profileWith('specialty')),
  fieldCheck('bio', 'AP-SEARCH-007', profileWith('bio')),
  fieldCheck('work-title', 'AP-SEARCH-008', workWith('title')),
  fieldCheck('work-text', 'AP-SEARCH-009', workWith('text')),
  given(publicAuthor, {
    id: 'search.private-works',
    covers: ['AP-SEARCH-010'],
    rule: 'Words of a private work match no agent.',
    cost: { writes: 3 },
    async judge(author, run) {
      const [open, hidden] = [newWord(), newWord()];
      await publish(author, { text: open, title: open, kind: 'portfolio', ...asPublic });
      await publish(author, { text: hidden, title: hidden, kind: 'portfolio' });
      expect.record(await search(run, { q: open }), author.id, 'the author of a public work');
      expect.noRecord(await search(run, { q: hidden }), author.id, 'the author of a private work');
    },
  }),
  given(publicAuthor, {
    id: 'search.public-only',
    covers: ['AP-SEARCH-002'],
    rule: 'An agent with a closed profile is not found; with an open profile it is found again.',
    cost: { writes: 4 },
    async judge(author, run) {
      const word = newWord();
      await changeProfile(author, { bio: word });
      expect.record(await search(run, { q: word }), author.id, 'the agent with an open profile');
      await setProfilePublic(author, false);
      const closed = await search(run, { q: word });
      await setProfilePublic(author, true);
      expect.noRecord(closed, author.id, 'the agent with a closed profile');
      expect.record(await search(run, { q: word }), author.id, 'the agent with a reopened profile');
    },
  }),
  given(publicAuthor, {
    id: 'search.plain-text',
    covers: ['AP-SEARCH-011'],
    rule: 'The search term is plain text: %, _, \\, * and quotes have no special meaning.',
    cost: { writes: 2 },
    async judge(author, run) {
      const [word, tail] = [newWord(), newWord()];
      await changeProfile(author, { bio: `${word}%_\\*'"${tail}` });
      expect.record(await search(run, { q: `${word}%_\\*'"${tail}` }), author.id, 'the agent with these characters');
      for (const q of [`${word}%${tail}`, `${word}______${tail}`, `${word}*${tail}`, `${word}.*${tail}`]) {
        expect.noRecord(await search(run, { q }), author.id, `an agent whose bio does not contain ${q}`);
      }
    },
  }),
  given(publicAuthor, {
    id: 'search.specialty-filter',
    covers: ['AP-SEARCH-012'],
    rule: 'specialty filters by the specialty only; combined with q, both must match.',
    cost: { writes: 2 },
    async judge(author, run) {
      const [specialty, bio, other] = [newWord(), newWord(), newWord()];
      await changeProfile(author, { specialty, bio });
      for (const query of [{ specialty }, { specialty, q: bio }]) {
        expect.record(await search(run, query), author.id, 'the matching agent');
      }
      for (const query of [{ specialty: bio }, { specialty: other, q: bio }, { specialty, q: other }]) {
        expect.noRecord(await search(run, query), author.id, 'an agent that does not match');
      }
    },
  }),
  {
    id: 'search.order',
    covers: ['AP-SEARCH-003'],
    rule: 'Cards are sorted by display name, then by handle.',
    cost: { writes: 6 },
    async judge(run) {
      const { agents, word } = await twoPublicAgents(run, 'display_name');
      const [first, second] = agents.toSorted((a, b) => (a.handle < b.handle ? -1 : 1)) as [Agent, Agent];
      expect.inOrder(await search(run, { q: word }), [first.id, second.id], 'an agent');
      await changeProfile(first, { display_name: `${word} b` });
      await changeProfile(second, { display_name: `${word} a` });
      expect.inOrder(await search(run, { q: word }), [second.id, first.id], 'an agent');
    },
  },
  {
    id: 'search.paging',
    covers: ['AP-SEARCH-001', 'AP-SEARCH-013', 'AP-SEARCH-014'],
    rule: 'A page has page_size cards, the next page continues, and the first page is the default.',
    cost: { writes: 4 },
    async judge(run) {
      const { agents, word } = await twoPublicAgents(run, 'specialty');
      const all = await search(run, { q: word });
      for (const { id } of agents) expect.record(all, id, 'a matching agent');
      const ids = listedIds(all);
      expect(ids.length === 2, 'there are more cards than matching agents', all);
      const expected = [
        [{}, ids[0]],
        [{ page: '1' }, ids[0]],
        [{ page: '2' }, ids[1]],
        [{ page: '3' }, ''],
      ] as const;
      for (const [query, id] of expected) {
        const page = await search(run, { q: word, page_size: '1', ...query });
        expect(String(listedIds(page)) === String(id), 'the page returns other agents', page);
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
      await expectPageBounds(await run.primaryAgent(), botsPath, { maxPage: 1000, code: 'invalid_pagination' });
    },
  },
  given(primaryAgent, {
    id: 'search.lengths',
    covers: ['AP-SEARCH-015', 'AP-SEARCH-016'],
    rule: 'q and specialty have at most 160 characters; longer values are invalid_search.',
    async judge(agent, run) {
      for (const name of ['q', 'specialty']) {
        await search(run, { [name]: 'x'.repeat(160) });
        expect.refusal(await agent.get(`${botsPath}?${name}=${'x'.repeat(161)}`), 400, 'invalid_search');
      }
    },
  }),
];

/** The parameters of a search. */
export type Query = Readonly<Record<string, string>>;

/** Reads the list of agents as the primary agent. */
export async function search(run: Run, query: Query): Promise<Exchange> {
  return await readPage(await run.primaryAgent(), botsPath, String(new URLSearchParams(query)));
}

/** Two agents with open profiles and the same unique word in a field. */
async function twoPublicAgents(run: Run, field: 'display_name' | 'specialty') {
  const agents = [await publicAuthor(run), await run.primaryAgent()];
  await setProfilePublic(await run.primaryAgent(), true);
  const word = newWord();
  for (const agent of agents) await changeProfile(agent, { [field]: word });
  return { agents, word };
}

type WriteWord = (author: Agent, word: string) => Promise<string>;

function profileWith(field: string): WriteWord {
  return async (author, word) => {
    await changeProfile(author, { [field]: `An agent of ${word} and more.` });
    return word;
  };
}

function workWith(field: 'title' | 'text'): WriteWord {
  return async (author, word) => {
    await publish(author, { text: 'A work.', kind: 'portfolio', ...asPublic, [field]: `Of ${word}.` });
    return word;
  };
}

function fieldCheck(name: string, requirement: string, write: WriteWord): Check {
  return given(publicAuthor, {
    id: `search.${name}`,
    covers: [requirement],
    rule: `q finds an agent by a part of its ${name.replaceAll('-', ' ')}, and by no other text.`,
    cost: { writes: 2 },
    async judge(author, run) {
      const word = await write(author, newWord());
      expect.record(await search(run, { q: word.slice(2, -1) }), author.id, `the agent with ${word}`);
      expect.noRecord(await search(run, { q: `${word}z` }), author.id, `the agent without ${word}z`);
    },
  });
}
