import {
  type Changeable,
  drop,
  type FaultRow,
  faultTable,
  inside,
  isAbout,
  items,
  json,
  parse,
  path,
  query,
  refusal,
  reply,
  replyWhen,
  request,
  requestWhen,
  set,
} from '../faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { staysAsSeen } from '../stateful-faults.ts';

const list = 'GET /api/v1/bots';
const card = 'GET /api/v1/bots/*';
const publishing = 'POST /api/v1/posts';
const change = 'PATCH /api/v1/bots/me';
const fields = ['handle', 'display_name', 'specialty', 'bio'];
const byField = 'handle display-name specialty bio';
const byWork = 'work-title work-text';
const bounds = 'page-bounds posts.page-bounds cards.paging';

type Bots = readonly Changeable[];
const isCard = (passing: PassingRequest) => isAbout(passing, card) && !passing.path.includes('/me');
const parameter = (passing: PassingRequest, name: string) =>
  new URLSearchParams(passing.path.split('?')[1]).get(name) ?? '';
const inList = (reorder: (bots: Bots, q: string) => readonly unknown[]): Fault =>
  replyWhen(
    ({ status }, sent) => isAbout(sent, `${list}?*`) && status === 200,
    (passing, sent) => {
      const { bots, ...rest } = parse(passing.body) as { readonly bots: Bots };
      return json(200, { bots: reorder(bots, parameter(sent, 'q')), ...rest });
    },
  );
const onlyBots = (isFound: (bot: Changeable, q: string) => boolean) =>
  inList((bots, q) => bots.filter((bot) => isFound(bot, q)));
const by = (name: string) =>
  inList((bots) => bots.toSorted((one, other) => String(one[name]).localeCompare(String(other[name]))));
const without = (name: string) => query(list, (parameters) => parameters.delete(name));
const inBot = (damage: (bot: Changeable) => unknown) => reply(`${card} 200`, inside('bot', damage));
const wildcard = (character: string) =>
  query(list, (parameters) => {
    const q = parameters.get('q') ?? '';
    if (q.includes(character)) parameters.set('q', q.slice(0, q.indexOf(character)));
  });
const refusesIn = (name: string, values: readonly string[], code = 'invalid_pagination') =>
  requestWhen((passing) => values.includes(parameter(passing, name)), refusal(400, code));

const blindFields: readonly FaultRow[] = fields.map((name) => [
  `does not search ${name}`,
  name.replace('_', '-'),
  onlyBots((bot, q) => fields.some((other) => other !== name && String(bot[other]).includes(q))),
]);
const cardsWithout: readonly FaultRow[] = [
  ...['bio', 'specialty', 'character_description', 'kind', 'is_demo', 'visuals', 'friendship', 'profile_public'],
].map((name) => [`has cards without ${name}`, 'cards.fields', reply(`${card} 200`, drop('bot', name))]);

/** Servers that find, list or show the wrong agents. */
export const searchMutants = faultTable('search', [
  ...blindFields,
  ['searches no works', byWork, onlyBots((bot, q) => fields.some((name) => String(bot[name]).includes(q)))],
  [
    'finds the beginning of words alone',
    'display-name specialty bio',
    onlyBots((bot, q) => fields.some((name) => ` ${bot[name]}`.includes(` ${q}`))),
  ],
  ['finds every agent', `${byField} ${byWork} plain-text specialty-filter`, without('q')],
  ['finds no agent', `${byField} ${byWork} order paging`, reply(`${list}?* 200`, (body) => ({ ...body, bots: [] }))],
  [
    'publishes private works',
    'private-works cards.works posts.defaults',
    request(publishing, (body) => ({ ...body, visibility: 'public', rights_confirmed: true })),
  ],
  [
    'only says that it closes a profile',
    'public-only cards.closed posts.closed-profile',
    requestWhen(
      (passing) => isAbout(passing, change) && passing.body === '{"profile_public":false}',
      json(200, { bot: { profile_public: false } }),
    ),
  ],
  ['lists every agent that was listed once', 'public-only', staysAsSeen((passing) => isAbout(passing, `${list}?*`))],
  ['takes % for anything', 'plain-text', wildcard('%')],
  ['takes _ for anything', 'plain-text', wildcard('_')],
  ['takes * for anything', 'plain-text', wildcard('*')],
  ['finds no % at all', 'plain-text', onlyBots((_bot, q) => !q.includes('%'))],
  ['ignores the specialty', 'specialty-filter', without('specialty')],
  ['searches the specialty everywhere', 'specialty-filter', searchesSpecialtyEverywhere()],
  [
    'ignores q beside a specialty',
    'specialty-filter',
    query(list, (parameters) => parameters.has('specialty') && parameters.delete('q')),
  ],
  ['lists agents backwards', 'order', inList((bots) => bots.toReversed())],
  ['lists agents by age', 'order', by('created_at')],
  ['lists agents by handle alone', 'order', by('handle')],
  ['knows one size of pages', 'paging', without('page_size')],
  ['knows one page', 'paging', without('page')],
  [
    'counts pages from zero',
    'paging',
    query(list, (parameters) => parameters.set('page', String(Number(parameters.get('page') ?? 0) + 1))),
  ],
  [
    'repeats an agent on the next page',
    'paging',
    query(list, (parameters) => parameters.get('page') === '2' && parameters.set('page', '1')),
  ],
  ['turns wrong pages into right ones', bounds, repairsPages('page', 'page_size')],
  ['ignores wrong sizes of pages', bounds, repairsPages('page_size')],
  ['has a page less than stated', bounds, refusesIn('page', ['1000', '100000'])],
  ['has smaller pages than stated', `${bounds} posts.paging`, refusesIn('page_size', ['50'])],
  ['names another code for wrong pages', bounds, reply('* * invalid_pagination', 'bad_query')],
  [
    'cuts long searches',
    'lengths',
    query(list, (parameters) => {
      for (const [name, value] of [...parameters]) parameters.set(name, value.slice(0, 160));
    }),
  ],
  ['takes searches of 159 characters', 'lengths', refusesIn('specialty', ['x'.repeat(160)], 'invalid_search')],
  ['names another code for long searches', 'lengths', reply('* * invalid_search', 'bad_query')],
  ...cardsWithout,
  [
    'has lists without friendship',
    'cards.fields',
    reply(
      `${list}?* 200`,
      items('bots', (bots) => bots.map(({ friendship: _, ...bot }) => bot)),
    ),
  ],
  ['shows no works', 'cards.works cards.paging', reply(`${card} 200`, set('bot', { works: { posts: [] } }))],
  ['shows works of every kind', 'cards.works', query(card, (parameters) => parameters.delete('kind'))],
  ['shows all works on one page', 'cards.paging', query(card, (parameters) => parameters.delete('page_size'))],
  ['ignores unknown kinds', 'cards.paging posts.list-kind', path('kind=note', '')],
  ['has no links', 'cards.links', reply(`${card} 200`, drop('bot', 'links'))],
  [
    'has links with a host',
    'cards.links',
    inBot((bot) => (bot['links'] = { self: `https://platform.example/api/v1/bots/${bot['id']}` })),
  ],
  ['shows a closed profile to its agent', 'cards.closed', staysAsSeen(isCard)],
  [
    'calls a closed profile forbidden',
    'cards.closed visibility.closing',
    replyWhen(({ status }, sent) => isCard(sent) && status === 404, refusal(403, 'forbidden')),
  ],
]);

function searchesSpecialtyEverywhere(): Fault {
  return query(list, (parameters) => {
    if (!parameters.has('q')) parameters.set('q', parameters.get('specialty') ?? '');
    parameters.delete('specialty');
  });
}

function repairsPages(...names: readonly string[]): Fault {
  return requestWhen(
    ({ path: sent }) => sent.includes('?'),
    (passing) => {
      const [below = '', search] = passing.path.split('?');
      const parameters = new URLSearchParams(search);
      for (const name of names) {
        const value = parameters.get(name) ?? '1';
        const max = name === 'page_size' ? 50 : below.endsWith('/posts') ? 100_000 : 1_000;
        if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > max) parameters.delete(name);
      }
      return { ...passing, path: `${below}?${parameters}` };
    },
  );
}
