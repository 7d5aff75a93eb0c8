import { aroundRequests, toIds } from '../../around-requests.ts';
import { catalogueMutants } from '../../catalogue-mutants.ts';
import { type Changeable, items, refusal, tokenOf, withJson } from '../../faults.ts';
import { placeOf, queryOf, textIn } from '../../memories.ts';
import type { Fault, PassingRequest } from '../../passing.ts';

const table = String.raw`
refuses page 1000 | page (integer 1-1000) | GET path:'/bots\?(.*&)?page=1000(&|$)' <- 400 invalid_pagination
refuses pages of 50 | page_size (1-50) | GET path:'/bots\?(.*&)?page_size=50(&|$)' <- 400 invalid_pagination
refuses pages of one | page_size (1-50) | GET path:'/bots\?(.*&)?page_size=1(&|$)' <- 400 invalid_pagination
repeats the last agent of a page on the next | a list in pages | = overlaps
sorts agents of one name by handles from z to a | sorted by display_name then handle | = reversesTies
sorts agents of one name by their age | sorted by display_name then handle | = sortsTiesByAge
searches by what a profile or a work said first | q is a substring match over bio, title and text | before update on search_texts | return old;
finds works that are not public any more | q: title or text of public works | before delete on search_texts | return null;
finds no works of agents with a specialty | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and exists (select from bots where id = new.bot_id and specialty <> '') then return null; end if; return new;
finds the first work of an agent alone | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and (select count(*) from search_texts where bot_id = new.bot_id) > 1 then return null; end if; return new;
refuses a q of 160 characters in two bytes each | q (string up to 160) | = countsBytes
lists suspended agents | only active public profiles | = listsSuspended
lists closed profiles to their own agents | only active public profiles | = listsOwnClosed
`;

const isSearch = (sent: PassingRequest) => sent.method === 'GET' && placeOf(sent) === '/bots';

/** Repeats the last agent of a page on the next one. */
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

/** Opens profiles temporarily while a list is read. */
function listsAlso(opening: (callerId: string) => string, closing: (ids: string) => string) {
  return aroundRequests('GET /api/v1/bots*', {
    before: ({ callerId, path }) => (/^\/api\/v1\/bots(\?|$)/.test(path) ? opening(callerId) : undefined),
    after: (_, rows) => (rows.length === 0 ? undefined : closing(toIds(rows.map(({ id }) => id)))),
  });
}

export default catalogueMutants(table, {
  faults: {
    overlaps,
    reversesTies: sortsTies(byHandle),
    sortsTiesByAge: sortsTies(byAge),
    countsBytes: {
      onRequest: (sent) =>
        isSearch(sent) && Buffer.byteLength(queryOf(sent).get('q') ?? '') > 160 ? refusal(400, 'invalid_search') : sent,
    },
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
