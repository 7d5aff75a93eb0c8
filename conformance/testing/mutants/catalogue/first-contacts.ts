import { randomUUID } from 'node:crypto';
import { type HandledRequest, runSqlAroundRequests, sqlId } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, isAbout, refusal, tokenOf, withJson } from '../../faults.ts';
import { objectIn, pathBelowApi, rememberAgents, textIn } from '../../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

const table = `
accepts by a request of the other side | a mutual request does not replace an explicit accept | = acceptsMutual
answers a mutual request with another contact | repeat returns the existing record | = makesSecond
answers a request after the acceptance with 409 | repeat returns the existing record | = refusesFriends
ends a block by a request of the first sender | request: no block between the two | = requestsBlocked
blocks no request that waits | block: any existing relation | before update on contacts | if old.state = 'requested' and new.state = 'blocked' then new.state := old.state; end if; return new;
lets the recipient of a request alone block it | block: caller is either participant | = blocksIncoming
refuses a second block by the same agent | repeat returns the blocked contact | = refusesSecondBlock
refuses a block by the blocked agent | repeat returns the blocked contact; either participant | = refusesOtherBlock
refuses a second acceptance | repeat returns the same contact | = refusesSecondAccept
refuses one of two acceptances at the same time | repeat returns the same contact | POST path:'/accept$' <- unless-busy 409 state_conflict
refuses requests to closed profiles | request: target exists, is not the caller, no block | = refusesClosed
ends friendships with the closing of a profile | no transition leads from friends to none | after update on bots | if old.profile_public and not new.profile_public then delete from contacts where new.id in (first_id, second_id); end if; return null;
accepts all requests to an agent with one | accept of this contact alone | after update on contacts | if old.state = 'requested' and new.state = 'friends' and pg_trigger_depth() = 1 then update contacts set state = 'friends' where state = 'requested' and requester_id <> (case when new.requester_id = new.first_id then new.second_id else new.first_id end) and (case when new.requester_id = new.first_id then new.second_id else new.first_id end) in (first_id, second_id); end if; return null;
blocks all contacts of an agent with one | block of this contact alone | after update on contacts | if old.state <> 'blocked' and new.state = 'blocked' and pg_trigger_depth() = 1 then update contacts set state = 'blocked' where state <> 'blocked' and new.requester_id in (first_id, second_id); end if; return null;
`;

const isRequest = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/contacts/requests');
const isAction = (sent: ProxiedRequest, action: string) =>
  sent.method === 'POST' && pathBelowApi(sent).startsWith('/contacts/') && pathBelowApi(sent).endsWith(action);
const contactId = (reply: ProxiedReply) => textIn(objectIn(reply, 'contact'), 'contact_id');

/** Changes the answers about a contact; `isOwn` states whether the caller requested it. */
function withRequesters(
  become: (reply: ProxiedReply, sent: ProxiedRequest, isOwn: boolean) => ProxiedReply,
): () => Fault {
  return () => {
    const requesters = new Map<string, string>();
    return {
      onReply: (reply, sent) => {
        if (isRequest(sent) && reply.status === 201) requesters.set(contactId(reply), tokenOf(sent) ?? '');
        const requester = requesters.get(isRequest(sent) ? contactId(reply) : idIn(pathBelowApi(sent)));
        return requester === undefined ? reply : become(reply, sent, requester === tokenOf(sent));
      },
    };
  };
}

/** Refuses to repeat a successful action on a contact if `isMeant` returns true for the first and the current token. */
function refusesAgain(action: string, isMeant: (first: string, now: string) => boolean): () => Fault {
  return () => {
    const done = new Map<string, string>();
    return {
      onReply: (reply, sent) => {
        if (!isAction(sent, action) || reply.status !== 200) return reply;
        const id = idIn(pathBelowApi(sent));
        const first = done.get(id);
        if (first === undefined) done.set(id, tokenOf(sent) ?? '');
        return first !== undefined && isMeant(first, tokenOf(sent) ?? '') ? refusal(409, 'state_conflict') : reply;
      },
    };
  };
}

function refusesClosed(): Fault {
  const { note, all } = rememberAgents();
  return {
    onRequest: (sent) => {
      const recipient = isRequest(sent) ? all().find(({ id }) => id === idIn(sent.body)) : undefined;
      return recipient?.['profile_public'] === false ? refusal(404, 'not_found') : sent;
    },
    onReply: (reply, sent) => {
      note(reply, sent);
      return reply;
    },
  };
}

const requests = 'POST /api/v1/contacts/requests';
const ofPair = ({ body, callerId }: HandledRequest) =>
  `first_id = least(${sqlId(body['recipient_id'])}, ${callerId}) and second_id = greatest(${sqlId(body['recipient_id'])}, ${callerId})`;

export default parseCatalogueTable(table, {
  faults: {
    makesSecond: withRequesters((reply, sent, isOwn) =>
      isRequest(sent) && !isOwn
        ? withJson(reply, (body) => ({
            ...body,
            contact: { ...objectIn(reply, 'contact'), contact_id: randomUUID() },
          }))
        : reply,
    ),
    refusesFriends: {
      onReply: (reply, sent) =>
        isRequest(sent) && textIn(objectIn(reply, 'contact'), 'status') === 'friends'
          ? refusal(409, 'state_conflict')
          : reply,
    },
    blocksIncoming: withRequesters((reply, sent, isOwn) =>
      isOwn && isAction(sent, '/block') ? refusal(403, 'recipient_required') : reply,
    ),
    refusesSecondBlock: refusesAgain('/block', (first, now) => first === now),
    refusesOtherBlock: refusesAgain('/block', (first, now) => first !== now),
    refusesSecondAccept: refusesAgain('/accept', () => true),
    refusesClosed,
  },
  builds: {
    acceptsMutual: runSqlAroundRequests(requests, {
      before: (request) =>
        `update contacts set state = 'friends' where ${ofPair(request)} and state = 'requested' and requester_id <> ${request.callerId}`,
    }),
    requestsBlocked: runSqlAroundRequests(requests, {
      before: (request) =>
        `update contacts set state = 'requested' where ${ofPair(request)} and state = 'blocked' and requester_id = ${request.callerId}`,
    }),
  },
});
