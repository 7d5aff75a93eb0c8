import { faultsOf } from '../fault-language.ts';
import { type Changeable, isAbout, items, json, parse, replyWhen, requestWhen, tokenOf, withJson } from '../faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const botsPath = '/api/v1/bots';
const fields = ['handle', 'display_name', 'specialty', 'bio'];
const byField = 'handle display-name specialty bio';
const byWork = 'work-title work-text';
const bounds = 'page-bounds posts.page-bounds cards.paging';
const list = `GET /bots* path:'bots([?].*)?$'`;
const card = `GET /bots/* path:'bots/(?!me)'`;

const parameter = (passing: PassingRequest, name: string) =>
  new URLSearchParams(passing.path.split('?')[1]).get(name) ?? '';
const onlyBots = (isFound: (bot: Changeable, q: string) => boolean): Fault =>
  replyWhen(
    ({ status }, sent) => isAbout(sent, 'GET /api/v1/bots?*') && status === 200,
    (passing, sent) =>
      withJson(
        passing,
        items('bots', (bots) => bots.filter((bot) => isFound(bot, parameter(sent, 'q')))),
      ),
  );
const blindTo = (name: string) =>
  onlyBots((bot, q) => fields.some((other) => other !== name && String(bot[other]).includes(q)));
const by = (name: string) => (bots: readonly Changeable[]) =>
  bots.toSorted((one, other) => String(one[name]).localeCompare(String(other[name])));

/** Servers that find, list or show the wrong agents. */
export const searchMutants = faultsOf(
  'search',
  `
does not search handle | handle | = blindTo handle
does not search display_name | display-name | = blindTo display_name
does not search <specialty bio> | <> | = blindTo <>
searches no works | ${byWork} | = blindTo works
finds the beginning of words alone | display-name specialty bio | = beginningsAlone
finds every agent | ${byField} ${byWork} plain-text specialty-filter | ${list} <- query drop q
finds no agent | ${byField} ${byWork} order paging | GET /bots?* 200 -> set bots []
publishes private works | private-works cards.works posts.defaults | POST /posts <- set visibility "public" & POST /posts <- set rights_confirmed true
only says that it closes a profile | public-only cards.closed posts.closed-profile | PATCH /bots/me sent:'^{"profile_public":false}$' <- 200 {"bot":{"profile_public":false}}
shows the profile of a suspended agent | suspension.card | GET /bots/* path:'(?<!/me)$' -> as-first-seen
lists the posts of suspended agents | suspension.search | GET /posts?* -> as-first-seen
lists agents that were suspended | suspension.search | GET /bots?* -> as-first-seen
finds closed profiles by their specialty | public-only | GET /bots?specialty=* -> as-first-seen
finds works by their titles alone | work-text | = titlesAlone
finds works that are private again | private-works | = remembersRetracted
finds works that were deleted | private-works | = remembersDeleted
lists fifty agents by default | page-default | ${list} <- query default page_size 50
lists every agent that was listed once | public-only | GET /bots?* -> as-first-seen
takes % for anything | plain-text | GET /bots?* <- path (q=[^&]*?)%25[^&]* $1
takes <_ *> for anything | plain-text | GET /bots?* <- path (q=[^&]*?)[<>][^&]* $1
finds no % at all | plain-text | = noPercent
ignores the specialty | specialty-filter | ${list} <- query drop specialty
searches the specialty everywhere | specialty-filter | GET /bots?* path:'[?&]q=' <- query drop specialty & GET /bots?* <- path specialty= q=
ignores q beside a specialty | specialty-filter | GET /bots?* path:'[?&]specialty=' <- query drop q
lists agents backwards | order | GET /bots?* 200 -> reverse bots
lists agents by age | order | GET /bots?* 200 -> map bots byAge
lists agents by handle alone | order | GET /bots?* 200 -> map bots byHandle
knows one size of pages | paging | ${list} <- query drop page_size
knows one page | paging | ${list} <- query drop page
counts pages from zero | paging | = countsFromZero
repeats an agent on the next page | paging | ${list} <- query change page 2 1
turns wrong pages into right ones | ${bounds} | = repairsPages
ignores wrong sizes of pages | ${bounds} | = repairsSizes
has a page less than stated | ${bounds} | * path:'[?&]page=(1000|100000)(&|$)' <- 400 invalid_pagination
has smaller pages than stated | ${bounds} posts.paging | * path:'[?&]page_size=50(&|$)' <- 400 invalid_pagination
names another code for wrong pages | ${bounds} | * invalid_pagination -> code bad_query
cuts long searches | lengths | = cutsSearches
takes searches of 159 characters | lengths | * path:'[?&]specialty=x{160}(&|$)' <- 400 invalid_search
names another code for long searches | lengths | * invalid_search -> code bad_query
has cards without <bio specialty character_description kind is_demo visuals friendship profile_public> | cards.fields | GET /bots/* 200 -> drop bot.<>
has lists without friendship | cards.fields | GET /bots?* 200 -> drop bots[].friendship
shows no works | cards.works cards.paging | GET /bots/* 200 -> set bot.works {"posts":[]}
shows works of every kind | cards.works | GET /bots/* <- query drop kind
shows all works on one page | cards.paging | GET /bots/* <- query drop page_size
ignores unknown kinds | cards.paging posts.list-kind | * <- path kind=note ''
has no links | cards.links | GET /bots/* 200 -> drop bot.links
has links with a host | cards.links | GET /bots/* 200 -> map bot.links withHost
opens no profile again | visibility.closing | = staysClosed
shows a closed profile to its agent | cards.closed | ${card} -> as-first-seen
calls a closed profile forbidden | cards.closed visibility.closing | ${card} 404 -> 403 forbidden
`,
  {
    byAge: by('created_at'),
    byHandle: by('handle'),
    withHost: (_: unknown, { id }: Changeable) => ({ self: `https://platform.example/api/v1/bots/${id}` }),
  },
  {
    ...Object.fromEntries([...fields, 'works'].map((name) => [`blindTo ${name}`, blindTo(name)])),
    beginningsAlone: onlyBots((bot, q) => fields.some((name) => ` ${bot[name]}`.includes(` ${q}`))),
    noPercent: onlyBots((_, q) => !q.includes('%')),
    countsFromZero: withQuery((query) => query.set('page', String(Number(query.get('page') ?? 0) + 1)), botsPath),
    cutsSearches: withQuery((query) => {
      for (const [name, value] of [...query]) query.set(name, value.slice(0, 160));
    }, botsPath),
    remembersRetracted: () => remembersWorks('PATCH'),
    remembersDeleted: () => remembersWorks('DELETE'),
    staysClosed,
    titlesAlone,
    repairsPages: repairs('page'),
    repairsSizes: repairs('page_size'),
  },
);

/** Says that it opens a profile, and does not, once the agent has closed it. */
function staysClosed(): Fault {
  const closed = new Set<string | undefined>();
  const asks = (sent: PassingRequest, isPublic: boolean) =>
    isAbout(sent, 'PATCH /api/v1/bots/me') && sent.body.includes(`"profile_public":${isPublic}`);
  return {
    onRequest: (sent) => {
      if (asks(sent, true) && closed.has(tokenOf(sent))) return json(200, { bot: { profile_public: true } });
      if (asks(sent, false)) closed.add(tokenOf(sent));
      return sent;
    },
  };
}

/** Repeats what a search has found before a post was changed in this way. */
function remembersWorks(method: string): Fault {
  const found = new Map<string, PassingReply>();
  let isOver = false;
  return {
    onReply: (passing, sent) => {
      isOver ||= sent.method === method && sent.path.startsWith('/api/v1/posts/') && passing.status === 200;
      if (!isAbout(sent, 'GET /api/v1/bots?q=*')) return passing;
      if (!isOver) found.set(sent.path, passing);
      return found.get(sent.path) ?? passing;
    },
  };
}

/** Finds nobody by a word of a text that was published. */
function titlesAlone(): Fault {
  const texts: string[] = [];
  return {
    onRequest: (sent) => {
      if (isAbout(sent, 'POST /api/v1/posts')) texts.push(String(parse(sent.body)?.['text']));
      const q = new URLSearchParams(sent.path.split('?')[1]).get('q');
      const isOfText = isAbout(sent, 'GET /api/v1/bots?*') && q !== null && texts.some((text) => text.includes(q));
      return isOfText ? { ...sent, path: `${sent.path}nothing-of-the-kind` } : sent;
    },
  };
}

/** Changes the queries of readings of a path, or of all. */
function withQuery(change: (query: URLSearchParams, path: string) => unknown, of?: string): Fault {
  return requestWhen(
    ({ method, path }) => method === 'GET' && (of === undefined || of === path.split('?')[0]),
    (passing) => {
      const [path = '', search] = passing.path.split('?');
      const query = new URLSearchParams(search);
      change(query, path);
      return { ...passing, path: query.size === 0 ? path : `${path}?${query}` };
    },
  );
}

function repairs(...names: readonly string[]): Fault {
  return withQuery((query, path) => {
    for (const name of names) {
      const value = query.get(name) ?? '1';
      const most = path.endsWith('/posts') ? 100_000 : 1_000;
      const max = name === 'page_size' ? 50 : most;
      if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > max) query.delete(name);
    }
  });
}
