import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, type MutableObject, refusal, tokenOf, withJson } from '../../faults.ts';
import { objectIn, pathBelowApi, rememberAgents, textIn } from '../../memories.ts';
import type { Fault, ProxiedRequest } from '../../passing.ts';

const table = `
serves an agent its own closed card | only an active public profile, even for the caller's own UUID | = servesOwn
hides the cards of blocked agents | friendship.status blocked is present in a public card | = hidesBlocked
keeps the friendship that a reader saw first | friendship describes the relation of the caller to that agent | = keepsFriendship
links to another host | Action links are absolute paths | GET /bots/0* 200 -> map bot.links withHost
links to paths without a slash | Action links are absolute paths | GET /bots/0* 200 -> map bot.links withoutSlash
offers the acceptance of a request to its sender | Action links: the permitted next requests | GET /bots/0* 200 -> map bot offersAccept
offers a request to blocked agents | Action links: the permitted next requests | GET /bots/0* 200 -> map bot offersRequest
shows private posts among the works | public works | = showsPrivate
keeps the avatar that a card had first | null detaches | = keepsAvatar
shows the bio to friends alone | Bot: bio in a public card | = hidesBio
shows an avatar of strangers as null | visuals: avatar is an Attachment or null | = hidesAvatar
shows a card without works | Out: {bot} with friendship, action links, public works | GET /bots/0* 200 -> drop bot.works
`;

const isCard = (sent: ProxiedRequest) => sent.method === 'GET' && /^\/bots\/[0-9a-f-]{36}$/.test(pathBelowApi(sent));
const idOf = (sent: ProxiedRequest) => idIn(pathBelowApi(sent));
const statusOf = (bot: MutableObject | undefined) => textIn(bot?.['friendship'] as MutableObject | undefined, 'status');

function cards(change: (bot: MutableObject, sent: ProxiedRequest) => MutableObject): Fault {
  return {
    onReply: (reply, sent) => {
      const bot = objectIn(reply, 'bot');
      return isCard(sent) && bot !== undefined
        ? withJson(reply, (body) => ({ ...body, bot: change(bot, sent) }))
        : reply;
    },
  };
}

function servesOwn(): Fault {
  const { note, of } = rememberAgents();
  const isOwnClosed = (sent: ProxiedRequest) =>
    isCard(sent) && of(sent)?.['id'] === idOf(sent) && of(sent)?.['profile_public'] === false;
  return {
    onRequest: (sent) => (isOwnClosed(sent) ? { ...sent, path: '/api/v1/bots/me' } : sent),
    onReply: (reply, sent) => {
      note(reply, sent);
      return reply;
    },
  };
}

function keepsFriendship(): Fault {
  const first = new Map<string, unknown>();
  return cards((bot, sent) => {
    const key = `${tokenOf(sent)} ${idOf(sent)}`;
    if (!first.has(key)) first.set(key, bot['friendship']);
    return { ...bot, friendship: first.get(key) };
  });
}

/** Adds an agent's posts, as they were last returned, to the works in its card. */
function addsWorks(isAdded: (post: MutableObject, isDeleted: boolean) => boolean): () => Fault {
  return () => {
    const posts = new Map<string, { readonly post: MutableObject; readonly authorId: string; isDeleted: boolean }>();
    const { onReply } = cards((bot) => {
      const own = [...posts.values()].filter(({ authorId }) => authorId === bot['id']);
      const added = own.filter(({ post, isDeleted }) => isAdded(post, isDeleted)).map(({ post }) => post);
      const works = bot['works'] as { readonly posts: readonly MutableObject[] };
      const shown = new Set(works.posts.map(({ id }) => id));
      return { ...bot, works: { ...works, posts: [...added.filter(({ id }) => !shown.has(id)), ...works.posts] } };
    });
    return {
      onReply: (reply, sent) => {
        const post = objectIn(reply, 'post');
        if (post !== undefined && sent.method !== 'GET') {
          const authorId = textIn(post['author'] as MutableObject, 'id');
          posts.set(textIn(post, 'id'), { post, authorId, isDeleted: false });
        }
        const deleted = posts.get(idOf(sent));
        if (sent.method === 'DELETE' && reply.status === 200 && deleted !== undefined) deleted.isDeleted = true;
        return onReply?.(reply, sent) ?? reply;
      },
    };
  };
}

/** Makes cards keep the agent's first avatar even after it has changed. */
function keepsAvatar(): Fault {
  const first = new Map<unknown, unknown>();
  return cards((bot) => {
    const visuals = bot['visuals'] as MutableObject;
    if (visuals['avatar'] !== null && !first.has(bot['id'])) first.set(bot['id'], visuals['avatar']);
    return { ...bot, visuals: { ...visuals, avatar: first.get(bot['id']) ?? null } };
  });
}

const linked = (bot: MutableObject, status: string, name: string, path: (contactId: unknown) => string) =>
  statusOf(bot) === status
    ? {
        ...bot,
        links: { ...(bot['links'] as MutableObject), [name]: path((bot['friendship'] as MutableObject)['contact_id']) },
      }
    : bot;

const eachLink = (change: (path: string) => string) => (links: MutableObject) =>
  Object.fromEntries(Object.entries(links).map(([name, path]) => [name, change(String(path))]));

export default parseCatalogueTable(table, {
  values: {
    withHost: eachLink((path) => `https://platform.example${path}`),
    withoutSlash: eachLink((path) => path.slice(1)),
    offersAccept: (bot: MutableObject) =>
      linked(bot, 'outgoing', 'accept_contact', (id) => `/api/v1/contacts/${id}/accept`),
    offersRequest: (bot: MutableObject) => linked(bot, 'blocked', 'request_contact', () => '/api/v1/contacts/requests'),
  },
  faults: {
    servesOwn,
    hidesBlocked: {
      onReply: (reply, sent) =>
        isCard(sent) && statusOf(objectIn(reply, 'bot')) === 'blocked' ? refusal(404, 'not_found') : reply,
    },
    keepsFriendship,
    showsPrivate: addsWorks(({ visibility }, isDeleted) => visibility === 'private' && !isDeleted),
    keepsAvatar,
    hidesBio: cards((bot) => (statusOf(bot) === 'friends' ? bot : { ...bot, bio: '' })),
    hidesAvatar: cards((bot) =>
      statusOf(bot) === 'friends' ? bot : { ...bot, visuals: { ...(bot['visuals'] as MutableObject), avatar: null } },
    ),
  },
});
