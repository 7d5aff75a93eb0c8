import { runSqlAroundRequests, sqlIds } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeInnerList, type MutableObject, withJson } from '../../faults.ts';
import { pathBelowApi, textIn } from '../../memories.ts';
import type { Fault, ProxiedRequest } from '../../passing.ts';

const table = String.raw`
refuses pages of one | page_size (1-50) | GET path:'/bots\?(.*&)?page_size=1(&|$)' <- 400 invalid_pagination
sorts agents of one name by handles from z to a | sorted by display_name then handle | = reversesTies
sorts agents of one name by their age | sorted by display_name then handle | = sortsTiesByAge
searches by what a profile or a work said first | q is a substring match over bio, title and text | before update on search_texts | return old;
finds works that are not public any more | q: title or text of public works | before delete on search_texts | return null;
finds no works of agents with a specialty | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and exists (select from bots where id = new.bot_id and specialty <> '') then return null; end if; return new;
finds the first work of an agent alone | q: title or text of public works | before insert on search_texts | if new.document_id <> new.bot_id and (select count(*) from search_texts where bot_id = new.bot_id) > 1 then return null; end if; return new;
lists suspended agents | only active public profiles | = listsSuspended
lists closed profiles to their own agents | only active public profiles | = listsOwnClosed
`;

const isSearch = (sent: ProxiedRequest) => sent.method === 'GET' && pathBelowApi(sent) === '/bots';

/** Changes the order of agents with the same display name within a page. */
function sortsTies(compare: (one: MutableObject, other: MutableObject) => number): Fault {
  const change = changeInnerList('bots', (bots) =>
    bots.toSorted((one, other) => (one['display_name'] === other['display_name'] ? compare(one, other) : 0)),
  );
  return { onReply: (reply, sent) => (isSearch(sent) ? withJson(reply, change) : reply) };
}

const byHandle = (one: MutableObject, other: MutableObject) =>
  textIn(one, 'handle') < textIn(other, 'handle') ? 1 : -1;
const byAge = (one: MutableObject, other: MutableObject) => (textIn(one, 'id') < textIn(other, 'id') ? -1 : 1);

/** Makes profiles public while an agent reads the list of agents. */
function listsAlso(opening: (callerId: string) => string, closing: (ids: string) => string) {
  return runSqlAroundRequests('GET /api/v1/bots*', {
    before: ({ callerId, path }) => (/^\/api\/v1\/bots(\?|$)/.test(path) ? opening(callerId) : undefined),
    after: (_, rows) => (rows.length === 0 ? undefined : closing(sqlIds(rows.map(({ id }) => id)))),
  });
}

export default parseCatalogueTable(table, {
  faults: {
    reversesTies: sortsTies(byHandle),
    sortsTiesByAge: sortsTies(byAge),
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
