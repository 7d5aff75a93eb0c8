import { parseFaults } from '../fault-language.ts';
import {
  changeInnerList,
  changeRequests,
  changeSelectedReplies,
  isAbout,
  jsonReply,
  type MutableObject,
  tokenOf,
  withJson,
} from '../faults.ts';
import { changeMember } from '../operators/generated.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

const botsPath = '/api/v1/bots';
const fields = ['handle', 'display_name', 'specialty', 'bio'];
const byField = 'handle display-name specialty bio';
const byWork = 'work-title work-text';
const bounds = 'page-bounds posts.page-bounds cards.paging';
const list = `GET /bots* path:'bots([?].*)?$'`;
const card = `GET /bots/* path:'bots/(?!me)'`;

const parameter = (passing: ProxiedRequest, name: string) =>
  new URLSearchParams(passing.path.split('?')[1]).get(name) ?? '';
const onlyBots = (isFound: (bot: MutableObject, q: string) => boolean): Fault =>
  changeSelectedReplies(
    ({ status }, sent) => isAbout(sent, 'GET /api/v1/bots?*') && status === 200,
    (passing, sent) =>
      withJson(
        passing,
        changeInnerList('bots', (bots) => bots.filter((bot) => isFound(bot, parameter(sent, 'q')))),
      ),
  );
const blindTo = (name: string) =>
  onlyBots((bot, q) => fields.some((other) => other !== name && String(bot[other]).includes(q)));
const by = (name: string) => (bots: readonly MutableObject[]) =>
  bots.toSorted((one, other) => String(one[name]).localeCompare(String(other[name])));

export const searchMutants = parseFaults(
  'search',
  `
finds every agent | ${byField} ${byWork} plain-text specialty-filter | ${list} <- query drop q
finds no agent | ${byField} ${byWork} order paging | GET /bots?* 200 -> set bots []
publishes private works | private-works cards.works posts.defaults | POST /posts <- set visibility "public" & POST /posts <- set rights_confirmed true
only says that it closes a profile | public-only cards.closed posts.closed-profile | PATCH /bots/me sent:'^{"profile_public":false}$' <- 200 {"bot":{"profile_public":false}}
shows the profile of a suspended agent | suspension.card | GET /bots/* path:'(?<!/me)$' -> as-first-seen
lists the posts of suspended agents | suspension.search | GET /posts?* -> as-first-seen
lists agents that were suspended | suspension.search | GET /bots?* -> as-first-seen
finds closed profiles by their specialty | public-only | GET /bots?specialty=* -> as-first-seen
finds works that are private again | private-works | = remembersRetracted
finds works that were deleted | private-works | = remembersDeleted
lists fifty agents by default | page-default | ${list} <- query default page_size 50
lists every agent that was listed once | public-only | GET /bots?* -> as-first-seen
searches the specialty everywhere | specialty-filter | GET /bots?* path:'[?&]q=' <- query drop specialty & GET /bots?* <- path specialty= q=
lists agents by age | order | GET /bots?* 200 -> map bots byAge
has a page less than stated | ${bounds} | * path:'[?&]page=(1000|100000)(&|$)' <- 400 invalid_pagination
has smaller pages than stated | ${bounds} posts.paging | * path:'[?&]page_size=50(&|$)' <- 400 invalid_pagination
cuts long searches | lengths | = cutsSearches
takes searches of 159 characters | lengths | * path:'[?&]specialty=x{160}(&|$)' <- 400 invalid_search
filters by specialty on the first page alone | specialty-filter | GET /bots?* path:'[?&]page=2' <- query drop specialty
filters by kind on the first page alone | posts.list-kind | GET /posts?* path:'[?&]page=2' <- query drop kind
has cards without bio | cards.fields | GET /bots/* 200 -> drop bot.bio
shows no works | cards.works cards.paging | GET /bots/* 200 -> set bot.works {"posts":[]}
shows works of every kind | cards.works | GET /bots/* <- query drop kind
ignores unknown kinds | cards.paging posts.list-kind | * <- path kind=note ''
has no links | cards.links | GET /bots/* 200 -> drop bot.links
filters by kind after the page is cut | cards.paging posts.list-kind | = filtersLate
has links with a host | cards.links | GET /bots/* 200 -> map bot.links withHost
opens no profile again | visibility.closing | = staysClosed
shows a closed profile to its agent | cards.closed | ${card} -> as-first-seen
calls a closed profile forbidden | cards.closed visibility.closing | ${card} 404 -> 403 forbidden
`,
  {
    byAge: by('created_at'),
    withHost: (_: unknown, { id }: MutableObject) => ({ self: `https://platform.example/api/v1/bots/${id}` }),
  },
  {
    ...Object.fromEntries([...fields, 'works'].map((name) => [`blindTo ${name}`, blindTo(name)])),
    cutsSearches: withQuery((query) => {
      for (const [name, value] of [...query]) query.set(name, value.slice(0, 160));
    }, botsPath),
    filtersLate,
    remembersRetracted: () => remembersWorks('PATCH'),
    remembersDeleted: () => remembersWorks('DELETE'),
    staysClosed,
  },
);

/** Reports that a closed profile is public again, but keeps it closed. */
function staysClosed(): Fault {
  const closed = new Set<string | undefined>();
  const asks = (sent: ProxiedRequest, isPublic: boolean) =>
    isAbout(sent, 'PATCH /api/v1/bots/me') && sent.body.includes(`"profile_public":${isPublic}`);
  return {
    onRequest: (sent) => {
      if (asks(sent, true) && closed.has(tokenOf(sent))) return jsonReply(200, { bot: { profile_public: true } });
      if (asks(sent, false)) closed.add(tokenOf(sent));
      return sent;
    },
  };
}

/** Removes the posts of other kinds from a page of all posts, so that the page is shorter than requested. */
function filtersLate(): Fault {
  const isKind = (sent: ProxiedRequest) => /[?&]kind=(portfolio|update)(&|$)/.test(sent.path);
  return {
    onRequest: (sent) => (isKind(sent) ? { ...sent, path: sent.path.replace(/kind=\w+/, '') } : sent),
    onReply: (reply, sent) => {
      const isOfKind = ({ kind }: MutableObject) => sent.path.includes(`kind=${kind}`);
      const filter = (posts: unknown) => (Array.isArray(posts) ? posts.filter(isOfKind) : posts);
      const places = [['posts'], ['bot', 'works', 'posts']];
      return isKind(sent) ? places.reduce((last, place) => changeMember(last, place, filter), reply) : reply;
    },
  };
}

/** Returns earlier search results again after a post was changed with this method. */
function remembersWorks(method: string): Fault {
  const found = new Map<string, ProxiedReply>();
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

/** Changes the queries of GET requests to one path, or to all paths. */
function withQuery(change: (query: URLSearchParams, path: string) => unknown, of?: string): Fault {
  return changeRequests(
    ({ method, path }) => method === 'GET' && (of === undefined || of === path.split('?')[0]),
    (passing) => {
      const [path = '', search] = passing.path.split('?');
      const query = new URLSearchParams(search);
      change(query, path);
      return { ...passing, path: query.size === 0 ? path : `${path}?${query}` };
    },
  );
}
