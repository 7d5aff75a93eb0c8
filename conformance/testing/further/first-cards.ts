import { type Changeable, idIn, parse, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { asking, objectIn, placeOf, queryOf, rememberAgents, textIn, withQuery } from '../memories.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const table = `
serves an agent its own closed card | only an active public profile, even for the caller's own UUID | = servesOwn
hides the cards of blocked agents | friendship.status blocked is present in a public card | = hidesBlocked
stays with a request in the card of its recipient | accept leads to friends for both | = staysOutgoing
shows a block to the agent that made it alone | friendship: blocked for either participant | = showsBlockOnce
shows friends as strangers once they are blocked | friendship: blocked | GET /bots/0* 200 -> change bot.friendship.status "blocked" "none"
shows a request from both sides as incoming | friendship: outgoing for the sender | GET /bots/0* 200 -> change bot.friendship.status "outgoing" "incoming"
keeps the friendship that a reader saw first | friendship describes the relation of the caller to that agent | = keepsFriendship
links to another host | Action links are absolute paths | GET /bots/0* 200 -> map bot.links withHost
links to paths without a slash | Action links are absolute paths | GET /bots/0* 200 -> map bot.links withoutSlash
offers the acceptance of a request to its sender | Action links: the permitted next requests | GET /bots/0* 200 -> map bot offersAccept
offers a request to blocked agents | Action links: the permitted next requests | GET /bots/0* 200 -> map bot offersRequest
shows private posts among the works | public works | = showsPrivate
shows deleted posts among the works | Post deleted: no longer returned | = showsDeleted
shows no updates among the works | works with kind update or portfolio | GET /bots/0* 200 -> map bot.works withoutUpdates
takes the kind Portfolio for portfolio | kind (update or portfolio); invalid_kind | GET /bots/0* <- query change kind Portfolio portfolio
finds no works of an unknown kind | Codes: invalid_kind | = listsNone
begins works of a kind with the first page again | page, page_size, kind | = resetsPages
takes works in pages of more than 50 | page_size 1-50; invalid_pagination | = clampsWorks
takes works in pages of none | page_size 1-50; invalid_pagination | GET /bots/0* <- query change page_size 0 20
takes page 1001 of works | page 1-1000; invalid_pagination | GET /bots/0* <- query change page 1001 1000
answers the card of a closed profile with 403 | else 404 not_found | GET /bots/0* 404 -> 403 forbidden
answers the card of a closed profile with its name | else 404 not_found | = answersEmpty
keeps the card of a profile for friends that saw it | only an active public profile | = staysForFriends
keeps the avatar that a card had first | null detaches | = keepsAvatar
shows the bio to friends alone | Bot: bio in a public card | = hidesBio
shows an avatar of strangers as null | visuals: avatar is an Attachment or null | = hidesAvatar
shows a card without works | Out: {bot} with friendship, action links, public works | GET /bots/0* 200 -> drop bot.works
`;

const isCard = (sent: PassingRequest) => sent.method === 'GET' && /^\/bots\/[0-9a-f-]{36}$/.test(placeOf(sent));
const idOf = (sent: PassingRequest) => idIn(placeOf(sent));
const statusOf = (bot: Changeable | undefined) => textIn(bot?.['friendship'] as Changeable | undefined, 'status');

/** Changes the bot of a card. */
function cards(change: (bot: Changeable, sent: PassingRequest) => Changeable): Fault {
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
  const isOwnClosed = (sent: PassingRequest) =>
    isCard(sent) && of(sent)?.['id'] === idOf(sent) && of(sent)?.['profile_public'] === false;
  return {
    onRequest: (sent) => (isOwnClosed(sent) ? { ...sent, path: '/api/v1/bots/me' } : sent),
    onReply: (reply, sent) => {
      note(reply, sent);
      return reply;
    },
  };
}

function withStatus(bot: Changeable, status: string): Changeable {
  return { ...bot, friendship: { ...(bot['friendship'] as Changeable), status } };
}

/** Who has sent a request sees it as one for ever. */
function staysOutgoing(): Fault {
  const senders = new Set<string>();
  const keyOf = (sent: PassingRequest, id: string) => `${tokenOf(sent)} ${id}`;
  const { onReply } = cards((bot, sent) =>
    senders.has(keyOf(sent, idOf(sent))) && statusOf(bot) === 'friends' ? withStatus(bot, 'outgoing') : bot,
  );
  return {
    onReply: (reply, sent) => {
      if (reply.status === 201 && placeOf(sent) === '/contacts/requests') senders.add(keyOf(sent, idIn(sent.body)));
      return onReply?.(reply, sent) ?? reply;
    },
  };
}

/** Who has blocked nobody sees no block. */
function showsBlockOnce(): Fault {
  const blockers = new Set<string>();
  const { onReply } = cards((bot, sent) =>
    statusOf(bot) === 'blocked' && !blockers.has(tokenOf(sent) ?? '') ? withStatus(bot, 'friends') : bot,
  );
  return {
    onReply: (reply, sent) => {
      if (reply.status === 200 && placeOf(sent).endsWith('/block')) blockers.add(tokenOf(sent) ?? '');
      return onReply?.(reply, sent) ?? reply;
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

/** Adds posts of the agent to the works of its card, as they were in their last answer. */
function addsWorks(isAdded: (post: Changeable, isDeleted: boolean) => boolean): () => Fault {
  return () => {
    const posts = new Map<string, { readonly post: Changeable; readonly authorId: string; isDeleted: boolean }>();
    const { onReply } = cards((bot) => {
      const own = [...posts.values()].filter(({ authorId }) => authorId === bot['id']);
      const added = own.filter(({ post, isDeleted }) => isAdded(post, isDeleted)).map(({ post }) => post);
      const works = bot['works'] as { readonly posts: readonly Changeable[] };
      const shown = new Set(works.posts.map(({ id }) => id));
      return { ...bot, works: { ...works, posts: [...added.filter(({ id }) => !shown.has(id)), ...works.posts] } };
    });
    return {
      onReply: (reply, sent) => {
        const post = objectIn(reply, 'post');
        if (post !== undefined && sent.method !== 'GET') {
          const authorId = textIn(post['author'] as Changeable, 'id');
          posts.set(textIn(post, 'id'), { post, authorId, isDeleted: false });
        }
        const deleted = posts.get(idOf(sent));
        if (sent.method === 'DELETE' && reply.status === 200 && deleted !== undefined) deleted.isDeleted = true;
        return onReply?.(reply, sent) ?? reply;
      },
    };
  };
}

const kinds: readonly (string | null)[] = [null, 'update', 'portfolio'];

const listsNone: Fault = {
  onRequest: (sent) => {
    const query = queryOf(sent);
    if (!isCard(sent) || kinds.includes(query.get('kind'))) return sent;
    query.delete('kind');
    return withQuery(sent, query);
  },
  onReply: (reply, sent) =>
    kinds.includes(queryOf(sent).get('kind'))
      ? reply
      : (cards((bot) => ({ ...bot, works: { ...(bot['works'] as Changeable), posts: [] } })).onReply?.(reply, sent) ??
        reply),
};

/** What friends have seen of a profile stays for them. */
function staysForFriends(): Fault {
  const seen = new Map<string, PassingReply>();
  return {
    onReply: (reply, sent) => {
      if (!isCard(sent)) return reply;
      const key = `${tokenOf(sent)} ${sent.path}`;
      if (statusOf(objectIn(reply, 'bot')) === 'friends') seen.set(key, reply);
      return reply.status === 404 ? (seen.get(key) ?? reply) : reply;
    },
  };
}

function answersEmpty(): Fault {
  const { note, all } = rememberAgents();
  return {
    onReply: (reply, sent) => {
      note(reply, sent);
      const bot = all().find(({ id }) => id === idOf(sent));
      if (!isCard(sent) || reply.status !== 404 || bot === undefined) return reply;
      const { id, handle, display_name } = bot;
      return { ...reply, body: JSON.stringify({ ...parse(reply.body), bot: { id, handle, display_name } }) };
    },
  };
}

/** A card keeps the first image that it had. */
function keepsAvatar(): Fault {
  const first = new Map<unknown, unknown>();
  return cards((bot) => {
    const visuals = bot['visuals'] as Changeable;
    if (visuals['avatar'] !== null && !first.has(bot['id'])) first.set(bot['id'], visuals['avatar']);
    return { ...bot, visuals: { ...visuals, avatar: first.get(bot['id']) ?? null } };
  });
}

const linked = (bot: Changeable, status: string, name: string, path: (contactId: unknown) => string) =>
  statusOf(bot) === status
    ? {
        ...bot,
        links: { ...(bot['links'] as Changeable), [name]: path((bot['friendship'] as Changeable)['contact_id']) },
      }
    : bot;

const eachLink = (change: (path: string) => string) => (links: Changeable) =>
  Object.fromEntries(Object.entries(links).map(([name, path]) => [name, change(String(path))]));

export default furtherMutants(table, {
  values: {
    withHost: eachLink((path) => `https://platform.example${path}`),
    withoutSlash: eachLink((path) => path.slice(1)),
    offersAccept: (bot: Changeable) =>
      linked(bot, 'outgoing', 'accept_contact', (id) => `/api/v1/contacts/${id}/accept`),
    offersRequest: (bot: Changeable) => linked(bot, 'blocked', 'request_contact', () => '/api/v1/contacts/requests'),
    withoutUpdates: (works: { readonly posts: readonly Changeable[] }) => ({
      ...works,
      posts: works.posts.filter(({ kind }) => kind !== 'update'),
    }),
  },
  faults: {
    servesOwn,
    hidesBlocked: {
      onReply: (reply, sent) =>
        isCard(sent) && statusOf(objectIn(reply, 'bot')) === 'blocked' ? refusal(404, 'not_found') : reply,
    },
    staysOutgoing,
    showsBlockOnce,
    keepsFriendship,
    showsPrivate: addsWorks(({ visibility }, isDeleted) => visibility === 'private' && !isDeleted),
    showsDeleted: addsWorks(({ visibility }, isDeleted) => visibility === 'public' && isDeleted),
    listsNone,
    resetsPages: asking(isCard, (query) => {
      if (query.has('kind') && Number(query.get('page')) > 1 && Number(query.get('page')) < 1000) query.delete('page');
    }),
    clampsWorks: asking(isCard, (query) => {
      if (Number(query.get('page_size') ?? 1) > 50) query.set('page_size', '50');
    }),
    answersEmpty,
    staysForFriends,
    keepsAvatar,
    hidesBio: cards((bot) => (statusOf(bot) === 'friends' ? bot : { ...bot, bio: '' })),
    hidesAvatar: cards((bot) =>
      statusOf(bot) === 'friends' ? bot : { ...bot, visuals: { ...(bot['visuals'] as Changeable), avatar: null } },
    ),
  },
});
