import {
  type Changeable,
  inAnswer,
  inBot,
  inQuery,
  inRequest,
  isAbout,
  json,
  type Mutant,
  mutant,
  parse,
  refusal,
  staysAsSeen,
} from '../faults.ts';
import type { Fault, PassingRequest } from '../proxy.ts';

const list = 'GET /api/v1/bots';
const card = 'GET /api/v1/bots/*';
const publishing = 'POST /api/v1/posts';
const change = 'PATCH /api/v1/bots/me';
const fields = ['handle', 'display_name', 'specialty', 'bio'];
const byField = ['search.handle', 'search.display-name', 'search.specialty', 'search.bio'];
const byWork = ['search.work-title', 'search.work-text'];
const bounds = ['search.page-bounds', 'posts.page-bounds', 'cards.paging'];

/** Servers that find, list or show the wrong agents. */
export const searchMutants: readonly Mutant[] = [
  ...fields.map((field, index) =>
    mutant(`does not look into ${field}`, [byField[index] ?? ''], () =>
      onlyBots((bot, q) => fields.some((name) => name !== field && String(bot[name]).includes(q))),
    ),
  ),
  mutant('looks into no works', byWork, () =>
    onlyBots((bot, q) => fields.some((name) => String(bot[name]).includes(q))),
  ),
  mutant('finds the beginning of words alone', byField.slice(1), () =>
    onlyBots((bot, q) => fields.some((name) => ` ${bot[name]}`.includes(` ${q}`))),
  ),
  mutant('finds everybody', [...byField, ...byWork, 'search.plain-text', 'search.specialty-filter'], () =>
    inQuery(list, (query) => query.delete('q')),
  ),
  mutant('finds nobody', [...byField, ...byWork, 'search.order', 'search.paging'], () =>
    inAnswer('GET /api/v1/bots?*', 200, (body) => ({ ...body, bots: [] })),
  ),
  mutant('publishes what is written privately', ['search.private-works', 'cards.works', 'posts.defaults'], () =>
    inRequest(publishing, (body) => ({ ...body, visibility: 'public', rights_confirmed: true })),
  ),
  mutant('closes a profile in words alone', ['search.public-only', 'cards.closed', 'posts.closed-profile'], () => ({
    onRequest: (request) =>
      isAbout(request, change) && request.body === '{"profile_public":false}'
        ? json(200, { bot: { profile_public: false } })
        : request,
  })),
  mutant('lists whoever was listed once', ['search.public-only'], () =>
    staysAsSeen((request) => isAbout(request, `${list}?*`)),
  ),
  mutant('takes % for anything', ['search.plain-text'], () => patterns('%')),
  mutant('takes _ for anything', ['search.plain-text'], () => patterns('_')),
  mutant('takes * for anything', ['search.plain-text'], () => patterns('*')),
  mutant('finds no % at all', ['search.plain-text'], () => onlyBots((_bot, q) => !q.includes('%'))),
  mutant('passes over the specialty', ['search.specialty-filter'], () =>
    inQuery(list, (query) => query.delete('specialty')),
  ),
  mutant('looks for the specialty everywhere', ['search.specialty-filter'], () =>
    inQuery(list, (query) => {
      if (!query.has('q')) query.set('q', query.get('specialty') ?? '');
      query.delete('specialty');
    }),
  ),
  mutant('passes over q beside a specialty', ['search.specialty-filter'], () =>
    inQuery(list, (query) => query.has('specialty') && query.delete('q')),
  ),
  mutant('lists agents backwards', ['search.order'], () => inList((bots) => bots.toReversed())),
  mutant('lists agents by age', ['search.order'], () => inList((bots) => by(bots, 'created_at'))),
  mutant('lists agents by handle alone', ['search.order'], () => inList((bots) => by(bots, 'handle'))),
  mutant('knows one size of pages', ['search.paging'], () => inQuery(list, (query) => query.delete('page_size'))),
  mutant('knows one page', ['search.paging'], () => inQuery(list, (query) => query.delete('page'))),
  mutant('counts pages from zero', ['search.paging'], () =>
    inQuery(list, (query) => query.set('page', String(Number(query.get('page') ?? 0) + 1))),
  ),
  mutant('repeats an agent on the next page', ['search.paging'], () =>
    inQuery(list, (query) => query.get('page') === '2' && query.set('page', '1')),
  ),
  mutant('turns wrong pages into right ones', bounds, () => repairsPages('page', 'page_size')),
  mutant('passes over wrong sizes of pages', bounds, () => repairsPages('page_size')),
  mutant('has a page less than stated', bounds, () => refusesIn('page', ['1000', '100000'])),
  mutant('has smaller pages than stated', [...bounds, 'posts.paging'], () => refusesIn('page_size', ['50'])),
  mutant('names another code for wrong pages', bounds, () => otherCode('invalid_pagination')),
  mutant('cuts long searches', ['search.lengths'], () =>
    inQuery(list, (query) => {
      for (const [name, value] of [...query]) query.set(name, value.slice(0, 160));
    }),
  ),
  mutant('takes searches of 159 characters', ['search.lengths'], () => refusesIn('specialty', ['x'.repeat(160)])),
  mutant('names another code for long searches', ['search.lengths'], () => otherCode('invalid_search')),
  ...['bio', 'specialty', 'character_description', 'kind', 'is_demo', 'visuals', 'friendship', 'profile_public'].map(
    (name) => mutant(`has cards without ${name}`, ['cards.fields'], () => inBot(card, 200, (bot) => delete bot[name])),
  ),
  mutant('has lists without friendship', ['cards.fields'], () =>
    inList((bots) => bots.map(({ friendship: _, ...bot }) => bot)),
  ),
  mutant('shows no works', ['cards.works', 'cards.paging'], () =>
    inBot(card, 200, (bot) => (bot['works'] = { posts: [] })),
  ),
  mutant('shows works of every kind', ['cards.works'], () => inQuery(card, (query) => query.delete('kind'))),
  mutant('shows all works on one page', ['cards.paging'], () => inQuery(card, (query) => query.delete('page_size'))),
  mutant('passes over kinds that nobody knows', ['cards.paging', 'posts.list-kind'], () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace('kind=note', '') }),
  })),
  mutant('has no links', ['cards.links'], () => inBot(card, 200, (bot) => delete bot['links'])),
  mutant('has links with a host', ['cards.links'], () =>
    inBot(card, 200, (bot) => (bot['links'] = { self: `https://platform.example/api/v1/bots/${bot['id']}` })),
  ),
  mutant('shows a closed profile to its agent', ['cards.closed'], () => staysAsSeen((request) => isCard(request))),
  mutant('calls a closed profile forbidden', ['cards.closed', 'visibility.closing'], () => ({
    onAnswer: (answer, request) => (isCard(request) && answer.status === 404 ? refusal(403, 'forbidden') : answer),
  })),
];

function isCard(request: PassingRequest): boolean {
  return isAbout(request, card) && !request.path.includes('/me');
}

type Bots = readonly Changeable[];

function inList(reorder: (bots: Bots, q: string) => Bots): Fault {
  return {
    onAnswer: (answer, request) => {
      if (!isAbout(request, `${list}?*`) || answer.status !== 200) return answer;
      const { bots, ...rest } = parse(answer.body) as { readonly bots: Bots };
      const q = new URLSearchParams(request.path.split('?')[1]).get('q') ?? '';
      return json(200, { bots: reorder(bots, q), ...rest });
    },
  };
}

function onlyBots(isFound: (bot: Changeable, q: string) => boolean): Fault {
  return inList((bots, q) => bots.filter((bot) => isFound(bot, q)));
}

function by(bots: Bots, name: string): Bots {
  return bots.toSorted((one, other) => String(one[name]).localeCompare(String(other[name])));
}

function patterns(wildcard: string): Fault {
  return inQuery(list, (query) => {
    const q = query.get('q') ?? '';
    if (q.includes(wildcard)) query.set('q', q.slice(0, q.indexOf(wildcard)));
  });
}

function repairsPages(...names: readonly string[]): Fault {
  return {
    onRequest: (request) => {
      const [path = '', search = ''] = request.path.split('?');
      const query = new URLSearchParams(search);
      for (const name of names) {
        const value = query.get(name) ?? '1';
        const max = name === 'page_size' ? 50 : path.endsWith('/posts') ? 100_000 : 1_000;
        if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > max) query.delete(name);
      }
      return search === '' ? request : { ...request, path: `${path}?${query}` };
    },
  };
}

function refusesIn(name: string, values: readonly string[]): Fault {
  const code = name === 'specialty' ? 'invalid_search' : 'invalid_pagination';
  return {
    onRequest: (request) => {
      const value = new URLSearchParams(request.path.split('?')[1]).get(name) ?? '';
      return values.includes(value) ? refusal(400, code) : request;
    },
  };
}

function otherCode(code: string): Fault {
  return {
    onAnswer: (answer) => (answer.body.includes(`"${code}"`) ? refusal(answer.status, 'bad_query') : answer),
  };
}
