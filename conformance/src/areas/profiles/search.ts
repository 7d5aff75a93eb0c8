import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, primaryAgent, type Run } from '../../context/check.ts';
import { expect, findRecord, idsInList, NotJudgedError, Violation } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { botsPath } from '../../context/paths.ts';
import { pageBoundsCheck, readPage } from '../paging.ts';
import {
  changeProfile,
  makeUniqueWord,
  postPath,
  publicAuthor,
  publicPostMembers,
  publishPost,
  setProfilePublic,
} from '../posts/publishing.ts';

// The specified default page size.
const pageDefault = 20;

export const searchChecks: readonly Check[] = [
  fieldCheck('handle', 'AP-SEARCH-004', async (_run, { handle }) => handle),
  fieldCheck('display-name', 'AP-SEARCH-005', profileWith('display_name')),
  fieldCheck('specialty', 'AP-SEARCH-006', profileWith('specialty')),
  fieldCheck('bio', 'AP-SEARCH-007', profileWith('bio', 'What it says of itself before. '.repeat(100))),
  fieldCheck('work-title', 'AP-SEARCH-008', workWith('title')),
  fieldCheck('work-text', 'AP-SEARCH-009', workWith('text', 'What it says before. '.repeat(300))),
  defineCheck(publicAuthor, {
    id: 'search.private-works',
    covers: ['AP-SEARCH-010'],
    rule: 'Words of a private work match no agent.',
    cost: { writes: 7 },
    async judge(author, run) {
      const [open, hidden, retracted, deleted] = [
        makeUniqueWord(run),
        makeUniqueWord(run),
        makeUniqueWord(run),
        makeUniqueWord(run),
      ];
      const work = (word: string, visibility: object = publicPostMembers) =>
        publishPost(run, author, { text: word, title: word, kind: 'portfolio', ...visibility });
      await work(open);
      await work(hidden, {});
      const posts = [await work(retracted), await work(deleted)];
      for (const q of [open, retracted, deleted])
        expectFound(await searchAgents(run, { q }), author.id, 'the author of a public work');
      const [first = '', second = ''] = posts.map(postPath);
      expect.works(await author.patch(first, { visibility: 'private' }));
      expect.works(await author.delete(second));
      expect.noRecord(await searchAgents(run, { q: hidden }), author.id, 'the author of a private work');
      expect.noRecord(
        await searchAgents(run, { q: retracted }),
        author.id,
        'the author of a work that is private again',
      );
      expect.noRecord(await searchAgents(run, { q: deleted }), author.id, 'the author of a deleted work');
    },
  }),
  defineCheck(publicAuthor, {
    id: 'search.public-only',
    covers: ['AP-SEARCH-002'],
    rule: 'An agent with a private profile is not found; with a public profile it is found again.',
    cost: { writes: 4 },
    async judge(author, run) {
      const [word, specialty] = [makeUniqueWord(run), makeUniqueWord(run)];
      await changeProfile(run, author, { bio: word, specialty });
      for (const query of [{ q: word }, { specialty }])
        expectFound(await searchAgents(run, query), author.id, 'the agent with an open profile');
      await setProfilePublic(run, author, false);
      const closed = [await searchAgents(run, { q: word }), await searchAgents(run, { specialty })];
      // Also searches as the author, because not even the author may find a private profile.
      closed.push(await readPage(author, botsPath, `q=${word}`));
      await setProfilePublic(run, author, true);
      for (const list of closed) expect.noRecord(list, author.id, 'the agent with a closed profile');
      expectFound(await searchAgents(run, { q: word }), author.id, 'the agent with a reopened profile');
    },
  }),
  defineCheck(publicAuthor, {
    id: 'search.plain-text',
    covers: ['AP-SEARCH-011'],
    rule: 'The search term is plain text: %, _, \\, *, quotes and spaces have no special meaning.',
    cost: { writes: 2 },
    async judge(author, run) {
      const [word, tail] = [makeUniqueWord(run), makeUniqueWord(run)];
      await changeProfile(run, author, { bio: `${word}%_\\*'"${tail}` });
      expectFound(
        await searchAgents(run, { q: `${word}%_\\*'"${tail}` }),
        author.id,
        'the agent with these characters',
      );
      const patterns = [`${word}%${tail}`, `${word}______${tail}`, `${word}*${tail}`, `${word}.*${tail}`];
      for (const q of [...patterns, `${tail} ${word}`, ` ${word}`]) {
        expect.noRecord(await searchAgents(run, { q }), author.id, `an agent whose bio does not contain ${q}`);
      }
    },
  }),
  defineCheck(publicAuthor, {
    id: 'search.specialty-filter',
    covers: ['AP-SEARCH-012'],
    rule: 'specialty filters all pages by the specialty only; combined with q, both must match.',
    cost: { writes: 3 },
    async judge(author, run) {
      const [specialty, bio, other] = [makeUniqueWord(run), makeUniqueWord(run), makeUniqueWord(run)];
      await changeProfile(run, author, { specialty, bio });
      for (const query of [{ specialty }, { specialty, q: bio }]) {
        expectFound(await searchAgents(run, query), author.id, 'the matching agent');
      }
      for (const query of [
        { specialty: bio },
        { specialty: `${specialty}ж` },
        { specialty: other, q: bio },
        { specialty, q: other },
      ]) {
        expect.noRecord(await searchAgents(run, query), author.id, 'an agent that does not match');
      }
      await setProfilePublic(run, await run.primaryAgent(), true);
      const second = await searchAgents(run, { specialty, page_size: '1', page: '2' });
      expect(idsInList(second).length === 0, 'page 2 contains an agent that does not match', second);
    },
  }),
  {
    id: 'search.order',
    covers: ['AP-SEARCH-003'],
    rule: 'Cards are sorted by display name, then by handle.',
    cost: { writes: 7 },
    async judge(run) {
      const { agents, word } = await twoPublicAgents(run, 'display_name');
      const partner = await run.partnerAgent();
      await changeProfile(run, partner, { display_name: word, profile_public: true });
      const sorted = [...agents, partner].toSorted((a, b) => (a.handle < b.handle ? -1 : 1));
      const inOrder = sorted.map(({ id }) => id);
      expect.inOrder(await searchAgents(run, { q: word }), inOrder, 'an agent');
      const [first, second] = sorted as [Agent, Agent];
      await changeProfile(run, first, { display_name: `${word} b` });
      await changeProfile(run, second, { display_name: `${word} a` });
      expect.inOrder(await searchAgents(run, { q: word }), [second.id, first.id], 'an agent');
    },
  },
  {
    id: 'search.paging',
    covers: ['AP-SEARCH-001', 'AP-SEARCH-013', 'AP-SEARCH-014'],
    rule: 'A page has page_size cards, the next page continues, and the first page is the default.',
    cost: { writes: 4 },
    async judge(run) {
      const { agents, word } = await twoPublicAgents(run, 'specialty');
      const all = await searchAgents(run, { q: word });
      await run.precondition('AP-SEARCH-001', () => {
        for (const { id } of agents) expect.record(all, id, 'a matching agent');
        expect(idsInList(all).length === 2, 'there are more cards than matching agents', all);
      });
      const ids = idsInList(all);
      const expectPage = async (query: SearchQuery, expected: unknown) => {
        const page = await searchAgents(run, { q: word, ...query });
        expect(String(idsInList(page)) === String(expected), 'the page contains different agents', page);
      };
      await run.requirement('AP-SEARCH-014', () => expectPage({ page_size: '1' }, ids[0]));
      await run.requirement('AP-SEARCH-013', async () => {
        await expectPage({ page_size: '1', page: '1' }, ids[0]);
        await expectPage({ page_size: '1', page: '2' }, ids[1]);
        for (const page of ['3', '1000']) await expectPage({ page_size: '1', page }, '');
      });
    },
  },
  {
    id: 'search.page-default',
    covers: ['AP-SEARCH-017'],
    rule: 'A page has 20 cards by default.',
    cost: { writes: 1 },
    extraAgents: pageDefault,
    areExtraAgentsOptional: true,
    async judge(run) {
      await publicAuthor(run);
      const found = idsInList(await searchAgents(run, { page_size: '50' })).length;
      const isCrowdNeeded = found <= pageDefault;
      if (isCrowdNeeded && run.budget.hasRegistrationLimit)
        throw new NotJudgedError('it needs more than 20 agents with a public profile');
      if (isCrowdNeeded) await run.extraAgents.register(pageDefault);
      const usual = await searchAgents(run, {});
      const count = idsInList(usual).length;
      expect(count === pageDefault, `there are ${count} cards instead of ${pageDefault}`, usual);
    },
  },
  {
    ...pageBoundsCheck(
      'search',
      botsPath,
      { page: 'AP-SEARCH-013', pageSize: 'AP-SEARCH-014', maxPage: 1000, code: 'invalid_pagination' },
      publicAuthor,
    ),
    cost: { writes: 1 },
  },
  defineCheck(primaryAgent, {
    id: 'search.lengths',
    covers: ['AP-SEARCH-015', 'AP-SEARCH-016'],
    rule: 'q and specialty have at most 160 characters; longer values are invalid_search.',
    async judge(agent, run) {
      for (const [name, requirement] of [
        ['q', 'AP-SEARCH-015'],
        ['specialty', 'AP-SEARCH-016'],
      ] as const) {
        await run.requirement(requirement, async () => {
          // The second text has three bytes per character, because the limit counts characters.
          for (const longest of ['x'.repeat(160), encodeURIComponent('語'.repeat(160))])
            expect.status(await agent.get(`${botsPath}?${name}=${longest}`), 200);
          expect.refusal(await agent.get(`${botsPath}?${name}=${'x'.repeat(161)}`), 400, 'invalid_search');
        });
      }
    },
  }),
];

export type SearchQuery = Readonly<Record<string, string>>;

export async function searchAgents(run: Run, query: SearchQuery): Promise<Exchange> {
  return await readPage(await run.primaryAgent(), botsPath, String(new URLSearchParams(query)));
}

/** All checks report a missing agent as the same fault. */
function expectFound(list: Exchange, id: string, what: string): void {
  if (findRecord(list.json, id) === undefined)
    throw new Violation(`${what} (${id}) is missing`, list, { symptom: 'bots: an agent is not found by its words' });
}

async function twoPublicAgents(run: Run, field: 'display_name' | 'specialty') {
  const agents = [await publicAuthor(run), await run.primaryAgent()];
  await setProfilePublic(run, await run.primaryAgent(), true);
  const word = makeUniqueWord(run);
  for (const agent of agents) await changeProfile(run, agent, { [field]: word });
  return { agents, word };
}

type WriteWord = (run: Run, author: Agent, word: string) => Promise<string>;

function profileWith(field: string, before = ''): WriteWord {
  return async (run, author, word) => {
    await changeProfile(run, author, { [field]: `${before}An agent of ${word} and more.` });
    return word;
  };
}

function workWith(field: 'title' | 'text', before = ''): WriteWord {
  return async (run, author, word) => {
    await publishPost(run, author, {
      text: 'A work.',
      kind: 'portfolio',
      ...publicPostMembers,
      [field]: `${before}Of ${word}.`,
    });
    return word;
  };
}

function fieldCheck(name: string, requirement: string, write: WriteWord): Check {
  return defineCheck(publicAuthor, {
    id: `search.${name}`,
    covers: [requirement],
    rule: `q finds an agent by a part of its ${name.replaceAll('-', ' ')}, and by no other text.`,
    cost: { writes: 2 },
    async judge(author, run) {
      const word = await write(run, author, makeUniqueWord(run));
      // If the list of all agents is empty, no other requirement about searches can be tested.
      const all = await searchAgents(run, { page_size: '50' });
      await run.precondition('AP-SEARCH-001', () => expect(idsInList(all).length > 0, 'the list has no agent', all));
      const none = await searchAgents(run, { q: makeUniqueWord(run) });
      await run.precondition('AP-SEARCH-011', () =>
        expect.noRecord(none, author.id, 'an agent without a word that is searched'),
      );
      expectFound(await searchAgents(run, { q: word.slice(2, -1) }), author.id, `the agent with ${word}`);
      // A server that ignores the Cyrillic letter would find the agent.
      expect.noRecord(await searchAgents(run, { q: `${word}ж` }), author.id, `the agent without ${word}ж`);
    },
  });
}
