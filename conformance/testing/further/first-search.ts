import { aroundRequests, toIds } from '../around-requests.ts';
import { type Changeable, items, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { asking, placeOf, queryOf, rememberAgents, textIn } from '../memories.ts';
import type { Fault, PassingRequest } from '../passing.ts';

const table = String.raw`
takes page sizes above 50 for 50 | page_size (1-50); invalid_pagination | = clampsSizes
reads the number at the start of a page | page (integer 1-1000); invalid_pagination | = readsDigits
takes page 0 for the first | page (integer 1-1000); invalid_pagination | GET /bots?* <- query change page 0 1
takes a page below zero for the first | page (integer 1-1000); invalid_pagination | GET /bots?* <- query change page -1 1
refuses page 1000 | page (integer 1-1000) | GET path:'/bots\?(.*&)?page=1000(&|$)' <- 400 invalid_pagination
takes page 1001 | page (integer 1-1000); invalid_pagination | GET /bots?* <- query change page 1001 1000
shows the first page beyond the last | a list in pages | GET /bots?* <- query change page 1000 1
refuses pages of 50 | page_size (1-50) | GET path:'/bots\?(.*&)?page_size=50(&|$)' <- 400 invalid_pagination
refuses pages of one | page_size (1-50) | GET path:'/bots\?(.*&)?page_size=1(&|$)' <- 400 invalid_pagination
repeats the last agent of a page on the next | a list in pages | = overlaps
leaves out the first agent of each further page | a list in pages | = skips
sorts agents of one name by handles from z to a | sorted by display_name then handle | = reversesTies
sorts agents of one name by their age | sorted by display_name then handle | = sortsTiesByAge
ignores the specialty beside q | specialty is a separate filter combined with q | = ignoresSpecialty
ignores q beside the specialty | specialty is a separate filter combined with q | = ignoresQuery
finds handles by their beginning alone | q is a substring match over handle | = matchesBeginnings
finds bios by their first 100 characters | q is a substring match over bio | = readsBeginnings
finds any word of q | q is a substring match | = splitsWords
trims q | q is a substring match | = trims
takes the percent sign of q for anything | q is a substring match | = takesPercent
takes the underscore of q for anything | q is a substring match | = takesUnderscore
searches by what a profile or a work said first | q is a substring match over bio, title and text | before update on search_texts | return old;
finds works that are not public any more | q: title or text of public works | before delete on search_texts | return null;
finds no works of agents with a specialty | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and exists (select from bots where id = new.bot_id and specialty <> '') then return null; end if; return new;
finds the first work of an agent alone | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and (select count(*) from search_texts where bot_id = new.bot_id) > 1 then return null; end if; return new;
refuses a q of 160 characters in two bytes each | q (string up to 160) | = countsBytes
takes a q of 161 characters | q (string up to 160); invalid_search | = cutsQuery
takes a specialty of 161 characters | specialty (string up to 160); invalid_search | = cutsSpecialty
names a q that is too long an invalid input | Codes: invalid_search | GET /bots?* invalid_search -> code invalid_input
leaves the searching agent out | only active public profiles, own ones included | = hidesCaller
leaves blocked agents out | only active public profiles, whatever the relation | = hidesBlocked
lists friends as strangers | friendship describes the relation of the caller | GET path:'^/api/v1/bots(\?|$)' 200 -> change bots[].friendship.status "friends" "none"
lists suspended agents | only active public profiles | = listsSuspended
lists closed profiles to their own agents | only active public profiles | = listsOwnClosed
`;

const isSearch = (sent: PassingRequest) => sent.method === 'GET' && placeOf(sent) === '/bots';

/** Sets a parameter that is there to what a function makes of it. */
function asksFor(name: string, change: (value: string) => string): Fault {
  return asking(isSearch, (query) => {
    const value = query.get(name);
    if (value !== null) query.set(name, change(value));
  });
}

/** Drops one parameter beside another one. */
function ignores(name: string, beside: string): Fault {
  return asking(isSearch, (query) => {
    if (query.get(beside)) query.delete(name);
  });
}

/** Leaves agents out of the list. */
function lists(isListed: (bot: Changeable, sent: PassingRequest) => boolean): Fault {
  return {
    onReply: (reply, sent) =>
      isSearch(sent)
        ? withJson(
            reply,
            items('bots', (bots) => bots.filter((bot) => isListed(bot, sent))),
          )
        : reply,
  };
}

const searchOf = (sent: PassingRequest) => (queryOf(sent).get('q') ?? '').toLowerCase();
const isIn = (bot: Changeable, names: readonly string[], q: string) =>
  names.some((name) => textIn(bot, name).toLowerCase().includes(q));

/** Keeps the last agent of a page, which the next one begins with. */
function overlaps(): Fault {
  const last = new Map<string, Changeable>();
  const keyOf = (sent: PassingRequest, page: number) => `${tokenOf(sent)} ${page} ${queryOf(sent).get('page_size')}`;
  return {
    onReply: (reply, sent) => {
      if (!isSearch(sent)) return reply;
      const page = Number(queryOf(sent).get('page') ?? 1);
      const before = last.get(keyOf(sent, page - 1));
      const change = items('bots', (bots) => {
        const end = bots.at(-1);
        if (end !== undefined) last.set(keyOf(sent, page), end);
        return before === undefined || bots.length === 0 ? bots : [before, ...bots.slice(0, -1)];
      });
      return withJson(reply, change);
    },
  };
}

/** Sorts agents of the same name within a page. */
function sortsTies(compare: (one: Changeable, other: Changeable) => number): Fault {
  const change = items('bots', (bots) =>
    bots.toSorted((one, other) => (one['display_name'] === other['display_name'] ? compare(one, other) : 0)),
  );
  return { onReply: (reply, sent) => (isSearch(sent) ? withJson(reply, change) : reply) };
}

const byHandle = (one: Changeable, other: Changeable) => (textIn(one, 'handle') < textIn(other, 'handle') ? 1 : -1);
const byAge = (one: Changeable, other: Changeable) => (textIn(one, 'id') < textIn(other, 'id') ? -1 : 1);

function hidesCaller(): Fault {
  const { note, of } = rememberAgents();
  const { onReply } = lists((bot, sent) => bot['id'] !== of(sent)?.['id']);
  return {
    onReply: (reply, sent) => {
      note(reply, sent);
      return onReply?.(reply, sent) ?? reply;
    },
  };
}

/** Opens profiles while a list is read. */
function listsAlso(opening: (callerId: string) => string, closing: (ids: string) => string) {
  return aroundRequests('GET /api/v1/bots*', {
    before: ({ callerId, path }) => (/^\/api\/v1\/bots(\?|$)/.test(path) ? opening(callerId) : undefined),
    after: (_, rows) => (rows.length === 0 ? undefined : closing(toIds(rows.map(({ id }) => id)))),
  });
}

export default furtherMutants(table, {
  faults: {
    clampsSizes: asksFor('page_size', (size) => (Number(size) > 50 ? '50' : size)),
    readsDigits: asksFor('page', (page) => /^[1-9]\d*/.exec(page)?.[0] ?? page),
    overlaps,
    skips: {
      onReply: (reply, sent) =>
        isSearch(sent) && Number(queryOf(sent).get('page')) > 1
          ? withJson(
              reply,
              items('bots', (bots) => bots.slice(1)),
            )
          : reply,
    },
    reversesTies: sortsTies(byHandle),
    sortsTiesByAge: sortsTies(byAge),
    ignoresSpecialty: ignores('specialty', 'q'),
    ignoresQuery: ignores('q', 'specialty'),
    matchesBeginnings: lists((bot, sent) => {
      const q = searchOf(sent);
      const isElsewhere = isIn(bot, ['display_name', 'specialty', 'bio'], q) || !isIn(bot, ['handle'], q);
      return isElsewhere || textIn(bot, 'handle').startsWith(q);
    }),
    readsBeginnings: lists((bot, sent) => {
      const q = searchOf(sent);
      const isElsewhere = isIn(bot, ['display_name', 'specialty', 'handle'], q) || !isIn(bot, ['bio'], q);
      return isElsewhere || textIn(bot, 'bio').slice(0, 100).toLowerCase().includes(q);
    }),
    splitsWords: asksFor(
      'q',
      (q) =>
        q
          .trim()
          .split(/\s+/)
          .toSorted((one, other) => other.length - one.length)[0] ?? q,
    ),
    trims: asksFor('q', (q) => q.trim()),
    takesPercent: asksFor('q', (q) => q.split('%')[0] ?? ''),
    takesUnderscore: asksFor('q', (q) => (/^_+$/.test(q) ? '' : q.replace(/_.*$/, ''))),
    countsBytes: {
      onRequest: (sent) =>
        isSearch(sent) && Buffer.byteLength(queryOf(sent).get('q') ?? '') > 160 ? refusal(400, 'invalid_search') : sent,
    },
    cutsQuery: asksFor('q', (q) => [...q].slice(0, 160).join('')),
    cutsSpecialty: asksFor('specialty', (text) => [...text].slice(0, 160).join('')),
    hidesCaller,
    hidesBlocked: lists((bot) => !JSON.stringify(bot['friendship'] ?? {}).includes('"blocked"')),
  },
  builds: {
    listsSuspended: listsAlso(
      () => `update bots set suspended_at = null where suspended_at is not null returning id`,
      (ids) => `update bots set suspended_at = now() where id in ${ids}`,
    ),
    listsOwnClosed: listsAlso(
      (callerId) => `update bots set profile_public = true where id = ${callerId} and not profile_public returning id`,
      (ids) => `update bots set profile_public = false where id in ${ids}`,
    ),
  },
});
