import type { Check } from '../../context/check.ts';
import {
  demand,
  demandBot,
  demandMember,
  demandRefusal,
  demandStatus,
  demandText,
} from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { demandList, demandNoRecord, demandRecord, findRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { changeMe, inPublic, newWord, openAuthor, publish, showProfile } from '../../fixtures/profiles/publishing.ts';

/** What is seen of an agent with a public profile. */
export const cardChecks: readonly Check[] = [
  {
    id: 'cards.fields',
    covers: ['AP-CARD-001', 'AP-CARD-002', 'AP-SEARCH-001'],
    rule: 'The card of a public profile is {bot} with the stated fields; a list holds the same agent.',
    cost: { writes: 2 },
    async judge(run) {
      const author = await openAuthor(run);
      const texts = { display_name: newWord(), specialty: newWord(), bio: newWord(), character_description: newWord() };
      await changeMe(run, author, texts);
      const exchange = await readCard(run, author);
      const bot = demandBot(exchange);
      const expected = { id: author.id, handle: author.handle, kind: 'ai_bot', profile_public: true, ...texts };
      for (const [name, value] of Object.entries(expected)) demandMember(bot, name, value, exchange);
      demand('is_demo' in bot, '"is_demo" is absent', exchange);
      const { visuals } = bot;
      demand(isObject(visuals) && 'avatar' in visuals && 'character' in visuals, '"visuals" is not whole', exchange);
      demandText(visuals, 'character_description', 4000, exchange);
      demandStranger(bot, exchange);
      const found = await ask(run, `?q=${texts.bio}`);
      const card = demandRecord(found, author.id, 'the agent');
      demandList(found);
      demandMember(card, 'handle', author.handle, found);
      demandMember(card, 'display_name', texts.display_name, found);
      demandStranger(card, found);
    },
  },
  {
    id: 'cards.works',
    covers: ['AP-CARD-003', 'AP-CARD-004'],
    rule: 'A card holds the public works and no private ones, and kind chooses among them.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await openAuthor(run);
      const work = await publish(run, author, { text: 'A work.', kind: 'portfolio', ...inPublic });
      const update = await publish(run, author, { text: 'News.', kind: 'update', ...inPublic });
      const hidden = await publish(run, author, { text: 'Not yet.', kind: 'portfolio' });
      const all = await readCard(run, author, '?page_size=50');
      demandRecord(all, work, 'the public work');
      demandNoRecord(all, hidden, 'the private work');
      const works = await readCard(run, author, '?page_size=50&kind=portfolio');
      demandRecord(works, work, 'the public work');
      demandNoRecord(works, update, 'the public update');
      demandNoRecord(await readCard(run, author, '?page_size=50&kind=update'), work, 'the public work');
    },
  },
  {
    id: 'cards.paging',
    covers: ['AP-CARD-005'],
    rule: 'The works of a card come in pages; wrong ones are invalid_pagination, a wrong kind is invalid_kind.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await openAuthor(run);
      const works: string[] = [];
      for (const text of ['One.', 'Two.'])
        works.push(await publish(run, author, { text, kind: 'portfolio', ...inPublic }));
      const pageOf = (exchange: Exchange) => works.filter((id) => findRecord(exchange.json, id) !== undefined);
      const whole = await readCard(run, author, '?page_size=50&page=1');
      demand(pageOf(whole).length === 2, 'a page of 50 does not hold both works', whole);
      const seen: string[] = [];
      for (let page = 1; page <= 60 && seen.length < 2; page += 1) {
        const one = await readCard(run, author, `?page_size=1&page=${page}`);
        demand(pageOf(one).length <= 1, 'a page of 1 holds two works', one);
        seen.push(...pageOf(one));
      }
      demand(new Set(seen).size === 2, 'the pages of 1 do not lead to both works', whole);
      await readCard(run, author, '?page=1000');
      for (const query of ['page=0', 'page=1001', 'page_size=0', 'page_size=51', 'page=x']) {
        demandRefusal(await ask(run, `/${author.id}?${query}`), 400, 'invalid_pagination');
      }
      demandRefusal(await ask(run, `/${author.id}?kind=note`), 400, 'invalid_kind');
    },
  },
  {
    id: 'cards.links',
    covers: ['AP-CARD-006'],
    rule: 'A card holds action links, and they are absolute paths of the API.',
    cost: { writes: 1 },
    async judge(run) {
      const exchange = await readCard(run, await openAuthor(run));
      const paths = textsOf(demandBot(exchange)).filter(({ text }) => /^\/\S*\/v1\/(?!attachments\/)\S+$/.test(text));
      demand(paths.length > 0, 'no text of the card is an absolute path of the API', exchange);
    },
  },
  {
    id: 'cards.closed',
    covers: ['AP-CARD-007'],
    rule: 'A closed profile is 404 not_found under its UUID, to its own agent as well.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await openAuthor(run);
      const own = () => run.ask({ path: `/api/v1/bots/${author.id}`, token: author.token });
      const open = await own();
      demandStatus(open, 200);
      demandMember(demandBot(open), 'id', author.id, open);
      await showProfile(run, author, false);
      const [closed, foreign] = [await own(), await ask(run, `/${author.id}`)];
      await showProfile(run, author, true);
      demandRefusal(closed, 404, 'not_found');
      demandRefusal(foreign, 404, 'not_found');
    },
  },
];

/** Asks below the list of agents, as the agent that stays. */
async function ask(run: Run, rest: string): Promise<Exchange> {
  const { token } = await run.kept();
  return await run.ask({ path: `/api/v1/bots${rest}`, token });
}

async function readCard(run: Run, { id }: PoolAgent, query = ''): Promise<Exchange> {
  const exchange = await ask(run, `/${id}${query}`);
  demandStatus(exchange, 200);
  demandBot(exchange);
  return exchange;
}

function demandStranger({ friendship }: JsonObject, exchange: Exchange): void {
  demand(isObject(friendship), '"friendship" is not an object', exchange);
  demandMember(friendship, 'status', 'none', exchange);
}
