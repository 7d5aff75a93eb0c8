import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { expect, findRecord } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { botsPath } from '../../context/paths.ts';
import {
  changeProfile,
  createPrivatePost,
  makeUniqueWord,
  publicAuthor,
  publicPostMembers,
  publishPost,
  setProfilePublic,
} from '../posts/publishing.ts';

export const cardChecks: readonly Check[] = [
  defineCheck(publicAuthor, {
    id: 'cards.fields',
    covers: ['AP-CARD-002', 'AP-CARD-001', 'AP-SEARCH-001', 'AP-BOT-016'],
    rule: 'The card of a public profile is {bot} with the stated fields; a list contains the same agent.',
    cost: { writes: 2 },
    async judge(author, run) {
      const texts = {
        display_name: makeUniqueWord(run),
        specialty: makeUniqueWord(run),
        bio: makeUniqueWord(run),
        character_description: makeUniqueWord(run),
      };
      await changeProfile(run, author, texts);
      const exchange = await readCard(run, author);
      const bot = expect.bot(exchange);
      const { id, handle } = author;
      await run.requirement('AP-CARD-002', () => {
        expect.members(bot, { id, handle, kind: 'ai_bot', profile_public: true, ...texts }, exchange);
        expect('is_demo' in bot, '"is_demo" is absent', exchange);
        const { visuals } = bot;
        expect(isObject(visuals) && 'avatar' in visuals && 'character' in visuals, '"visuals" is incomplete', exchange);
        const { character_description } = texts;
        expect.members(visuals, { character_description }, exchange);
      });
      await run.requirement('AP-CARD-001', () => expectStranger(bot, exchange));
      const list = expect.works(await (await run.primaryAgent()).get(`${botsPath}?q=${texts.bio}`));
      const card = await run.precondition('AP-SEARCH-001', () => {
        const found = expect.record(list, id, 'the agent');
        expect.members(found, { handle, display_name: texts.display_name }, list);
        return found;
      });
      await run.requirement('AP-BOT-016', () => expectStranger(card, list));
    },
  }),
  defineCheck(publicAuthor, {
    id: 'cards.works',
    covers: ['AP-CARD-003', 'AP-CARD-004'],
    rule: 'A card contains only public works, and kind filters them.',
    cost: { writes: 4 },
    async judge(author, run) {
      const work = await publishPost(run, author, { text: 'A work.', kind: 'portfolio', ...publicPostMembers });
      const update = await publishPost(run, author, { text: 'News.', kind: 'update', ...publicPostMembers });
      await expectWorks(run, author, [work]);
      await run.requirement('AP-CARD-003', async () => {
        const hidden = await createPrivatePost(run, author, { text: 'Not yet.', kind: 'portfolio' });
        expect.noRecord(await readCard(run, author, '?page_size=50'), hidden, 'the private work');
      });
      await run.requirement('AP-CARD-004', async () => {
        const works = await readCard(run, author, '?page_size=50&kind=portfolio');
        expect.record(works, work, 'the public work');
        expect.noRecord(works, update, 'the public update');
        const updates = await readCard(run, author, '?page_size=50&kind=update');
        expect.record(updates, update, 'the public update');
        expect.noRecord(updates, work, 'the public work');
      });
    },
  }),
  defineCheck(publicAuthor, {
    id: 'cards.paging',
    covers: ['AP-CARD-005', 'AP-CARD-004'],
    rule: 'The works of a card are paginated; an invalid page is invalid_pagination, an invalid kind is invalid_kind.',
    cost: { writes: 4 },
    async judge(author, run) {
      const works = await Array.fromAsync(['One.', 'Two.'], (text) =>
        publishPost(run, author, { text, kind: 'portfolio', ...publicPostMembers }),
      );
      const pageOf = (exchange: Exchange) => works.filter((id) => findRecord(exchange.json, id) !== undefined);
      const reader = await run.primaryAgent();
      await run.requirement('AP-CARD-005', async () => {
        await expectWorks(run, author, works);
        const whole = await readCard(run, author, '?page_size=50&page=1');
        expect(pageOf(whole).length === 2, 'a page of 50 does not contain both works', whole);
        const found: string[] = [];
        for (let page = 1; page <= 60 && found.length < 2; page += 1) {
          const one = await readCard(run, author, `?page_size=1&page=${page}`);
          expect(pageOf(one).length <= 1, 'a page of 1 contains two works', one);
          found.push(...pageOf(one));
        }
        expect(new Set(found).size === 2, 'the pages of 1 do not contain both works', whole);
        works.push(await publishPost(run, author, { text: 'Three.', kind: 'update', ...publicPostMembers }));
        const [asStated, byDefault] = [await readCard(run, author, '?page_size=20'), await readCard(run, author)];
        const isSame = String(pageOf(byDefault)) === String(pageOf(asStated));
        expect(isSame, 'a page without a size differs from a page of 20', byDefault);
        expect.status(await reader.get(`${botsPath}/${author.id}?page=1000`), 200);
        for (const query of [
          ...['page=0', 'page=1001', 'page=1.5', 'page=1x', 'page=x'],
          ...['page_size=0', 'page_size=51', 'page_size=1.5', 'page_size=1x'],
        ]) {
          expect.refusal(await reader.get(`${botsPath}/${author.id}?${query}`), 400, 'invalid_pagination');
        }
      });
      await run.requirement('AP-CARD-004', async () => {
        for (const kind of ['note', 'Portfolio'])
          expect.refusal(await reader.get(`${botsPath}/${author.id}?kind=${kind}`), 400, 'invalid_kind');
        const ofKind = (page: number) => readCard(run, author, `?page_size=1&page=${page}&kind=portfolio`);
        const [first, second] = [await ofKind(1), await ofKind(2)];
        const isRepeated = pageOf(first).some((id) => pageOf(second).includes(id));
        expect(!isRepeated, 'the second page of a kind repeats the first one', second);
        const ofBoth = [...pageOf(first), ...pageOf(second)];
        expect(ofBoth.length === 2, 'two pages of 1 do not contain the two newest works of the kind', second);
      });
    },
  }),
  {
    id: 'cards.links',
    covers: ['AP-CARD-006'],
    rule: 'A card has action links that are absolute paths of the API.',
    cost: { writes: 1 },
    async judge(run) {
      const exchange = await readCard(run, await publicAuthor(run));
      const isPath = (text: string) => text.startsWith('/') && !/\s/.test(text);
      const texts = listStrings(expect.bot(exchange)).filter(({ text }) => isPath(text));
      const paths = texts.filter(({ text }) => /\/v1\/(?!attachments\/)./.test(text));
      expect(paths.length > 0, 'no text of the card is an absolute path of the API', exchange);
    },
  },
  defineCheck(publicAuthor, {
    id: 'cards.closed',
    covers: ['AP-CARD-007'],
    rule: 'A private profile is 404 not_found under its UUID, even for its own agent.',
    cost: { writes: 3 },
    async judge(author, run) {
      const path = `${botsPath}/${author.id}`;
      const open = await author.get(path);
      expect.member(expect.bot(open), 'id', author.id, open);
      await setProfilePublic(run, author, false);
      const closed = [await author.get(path), await (await run.primaryAgent()).get(path)];
      await setProfilePublic(run, author, true);
      closed.forEach(expect.notFound);
      for (const answer of closed)
        expect(!answer.text.includes(author.handle), 'the handle of a closed profile is in the answer', answer);
    },
  }),
];

async function readCard(run: Run, { id }: Agent, query = ''): Promise<Exchange> {
  const exchange = expect.works(await (await run.primaryAgent()).get(`${botsPath}/${id}${query}`));
  expect.bot(exchange);
  return exchange;
}

/** Without works in the card, a check of filters or pages proves nothing. */
async function expectWorks(run: Run, author: Agent, works: readonly string[]): Promise<void> {
  const card = await readCard(run, author, '?page_size=50');
  await run.precondition('AP-CARD-003', () => {
    for (const work of works) expect.record(card, work, 'the public work');
  });
}

function expectStranger({ friendship }: JsonObject, exchange: Exchange): void {
  expect(isObject(friendship), '"friendship" is not an object', exchange);
  expect.member(friendship, 'status', 'none', exchange);
}
