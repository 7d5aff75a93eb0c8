import { randomUUID } from 'node:crypto';
import { aroundRequests, type HandledRequest, toId, toIds } from '../around-requests.ts';
import { type Changeable, idIn, isAbout, items, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { countUnderWay, objectIn, placeOf, queryOf, rememberAgents, textIn } from '../memories.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const table = String.raw`
accepts by a request of the other side | a mutual request does not replace an explicit accept | = acceptsMutual
answers a mutual request with another contact | repeat returns the existing record | = makesSecond
answers a mutual request with 201 | 201 on creation, 200 on an idempotent repeat | = createsMutual
answers two equal requests at the same time with 201 | 201 on creation, 200 on an idempotent repeat | = createsTwice
answers a request after the acceptance with 409 | repeat returns the existing record | = refusesFriends
lets the sender accept its own request | accept: caller is the recipient | = acceptsOwn
befriends by the refused acceptance of the sender | accept: caller is the recipient; a refusal has no effect | = acceptsRefused
blocks for a stranger that it refuses | block: caller is either participant | = blocksForStrangers
accepts for a stranger that it refuses | accept: caller is the recipient | = acceptsForStrangers
ends a block by an acceptance | There is no unblock; contact_blocked | = acceptsBlocked
ends a block by a request of the first sender | request: no block between the two | = requestsBlocked
answers a request to a blocked agent with the contact | contact_blocked | POST /contacts/requests contact_blocked -> 200 {"contact":{"contact_id":"01890000-0000-7000-8000-000000000000","status":"blocked"}}
blocks no request that waits | block: any existing relation | before update on contacts | if old.state = 'requested' and new.state = 'blocked' then new.state := old.state; end if; return new;
lets the recipient of a request alone block it | block: caller is either participant | = blocksIncoming
refuses a second block by the same agent | repeat returns the blocked contact | = refusesSecondBlock
refuses a block by the blocked agent | repeat returns the blocked contact; either participant | = refusesOtherBlock
refuses a second acceptance | repeat returns the same contact | = refusesSecondAccept
refuses one of two acceptances at the same time | repeat returns the same contact | POST path:'/accept$' <- unless-busy 409 state_conflict
refuses requests to closed profiles | request: target exists, is not the caller, no block | = refusesClosed
answers requests to an unknown agent with a contact | request: target exists | POST /contacts/requests not_found -> 201 {"contact":{"contact_id":"01890000-0000-7000-8000-000000000000","status":"outgoing"}}
names a malformed recipient an invalid input | Codes: invalid_id | POST /contacts/requests invalid_id -> code invalid_input
names a request to oneself an invalid id | Codes: self_contact | POST /contacts/requests self_contact -> code invalid_id
shows the status before the acceptance | accept leads to friends; Out 200: contact result | POST path:'/accept$' 200 -> change contact.status "friends" "incoming"
shows the status before the block | block leads to blocked; Out 200: contact result | POST path:'/block$' 200 -> change contact.status "blocked" "friends"
answers acceptances with 201 | Out 200: contact result | POST path:'/accept$' 200 -> 201
ends friendships with the closing of a profile | no transition leads from friends to none | after update on bots | if old.profile_public and not new.profile_public then delete from contacts where new.id in (first_id, second_id); end if; return null;
accepts all requests to an agent with one | accept of this contact alone | after update on contacts | if old.state = 'requested' and new.state = 'friends' and pg_trigger_depth() = 1 then update contacts set state = 'friends' where state = 'requested' and requester_id <> (case when new.requester_id = new.first_id then new.second_id else new.first_id end) and (case when new.requester_id = new.first_id then new.second_id else new.first_id end) in (first_id, second_id); end if; return null;
blocks all contacts of an agent with one | block of this contact alone | after update on contacts | if old.state <> 'blocked' and new.state = 'blocked' and pg_trigger_depth() = 1 then update contacts set state = 'blocked' where state <> 'blocked' and new.requester_id in (first_id, second_id); end if; return null;
accepts requests of suspended agents | accept: both active; inactive_bot | = acceptsSuspended
hides sent requests from the list | the list has the contacts of the caller | = hidesOutgoing
lists the contacts of an agent to its friends | contacts are determined by the token only | = listsOfFriends
lists contacts from the oldest to the newest | newest first | GET path:'^/api/v1/contacts(\?|$)' 200 -> reverse contacts
lists the contact that was named last again | before: the last contact of the previous page | = includesBefore
lists everything again behind a contact | before: the last contact of the previous page | GET path:'^/api/v1/contacts\?' <- query drop before
says that a contact follows the last one | next_before null marks the end | = neverEnds
leaves out the contact that follows the bound | before: the last contact of the previous page | = skipsOne
`;

const isRequest = (sent: PassingRequest) => isAbout(sent, 'POST /api/v1/contacts/requests');
const isAction = (sent: PassingRequest, action: string) =>
  sent.method === 'POST' && placeOf(sent).startsWith('/contacts/') && placeOf(sent).endsWith(action);
const isList = (sent: PassingRequest) => sent.method === 'GET' && placeOf(sent) === '/contacts';
const contactId = (reply: PassingReply) => textIn(objectIn(reply, 'contact'), 'contact_id');

/** Knows who has asked for each contact. */
function withRequesters(
  become: (reply: PassingReply, sent: PassingRequest, isOwn: boolean) => PassingReply,
): () => Fault {
  return () => {
    const requesters = new Map<string, string>();
    return {
      onReply: (reply, sent) => {
        if (isRequest(sent) && reply.status === 201) requesters.set(contactId(reply), tokenOf(sent) ?? '');
        const requester = requesters.get(isRequest(sent) ? contactId(reply) : idIn(placeOf(sent)));
        return requester === undefined ? reply : become(reply, sent, requester === tokenOf(sent));
      },
    };
  };
}

/** Refuses an action on a contact that has succeeded before; `isMeant` gets the first and the present token. */
function refusesAgain(action: string, isMeant: (first: string, now: string) => boolean): () => Fault {
  return () => {
    const done = new Map<string, string>();
    return {
      onReply: (reply, sent) => {
        if (!isAction(sent, action) || reply.status !== 200) return reply;
        const id = idIn(placeOf(sent));
        const first = done.get(id);
        if (first === undefined) done.set(id, tokenOf(sent) ?? '');
        return first !== undefined && isMeant(first, tokenOf(sent) ?? '') ? refusal(409, 'state_conflict') : reply;
      },
    };
  };
}

function createsTwice(): Fault {
  const { begin, end } = countUnderWay();
  const doubled = new WeakSet<PassingRequest>();
  const keyOf = (sent: PassingRequest) => `${tokenOf(sent)} ${sent.body}`;
  return {
    onRequest: (sent) => {
      if (isRequest(sent) && begin(keyOf(sent))) doubled.add(sent);
      return sent;
    },
    onReply: (reply, sent) => {
      if (isRequest(sent)) end(keyOf(sent));
      return doubled.has(sent) && reply.status === 200 ? { ...reply, status: 201 } : reply;
    },
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

/** Changes the list of contacts. */
function lists(change: (contacts: readonly Changeable[], sent: PassingRequest) => readonly Changeable[]): Fault {
  return {
    onReply: (reply, sent) =>
      isList(sent)
        ? withJson(
            reply,
            items('contacts', (contacts) => change(contacts, sent)),
          )
        : reply,
  };
}

function includesBefore(): Fault {
  const seen = new Map<unknown, Changeable>();
  return lists((contacts, sent) => {
    for (const contact of contacts) seen.set(contact['contact_id'], contact);
    const bound = seen.get(queryOf(sent).get('before'));
    return bound === undefined ? contacts : [bound, ...contacts];
  });
}

/** Adds to a list what the friends in it have last listed. */
function listsOfFriends(): Fault {
  const { note, of } = rememberAgents();
  const listed = new Map<unknown, readonly Changeable[]>();
  const { onReply } = lists((contacts, sent) => {
    const friends = contacts.filter(({ status }) => status === 'friends').map(({ peer }) => (peer as Changeable)['id']);
    const known = new Set(contacts.map(({ contact_id: id }) => id));
    const added = friends.flatMap((id) => listed.get(id) ?? []).filter(({ contact_id: id }) => !known.has(id));
    listed.set(of(sent)?.['id'], contacts);
    return [...contacts, ...added];
  });
  return {
    onReply: (reply, sent) => {
      note(reply, sent);
      return onReply?.(reply, sent) ?? reply;
    },
  };
}

const neverEnds: Fault = {
  onReply: (reply, sent) =>
    isList(sent)
      ? withJson(reply, (body) => {
          const last = (body['contacts'] as readonly Changeable[] | undefined)?.at(-1);
          return { ...body, next_before: body['next_before'] ?? last?.['contact_id'] ?? queryOf(sent).get('before') };
        })
      : reply,
};

const requests = 'POST /api/v1/contacts/requests';
const ofPair = ({ body, callerId }: HandledRequest) =>
  `first_id = least(${toId(body['recipient_id'])}, ${callerId}) and second_id = greatest(${toId(body['recipient_id'])}, ${callerId})`;

/** Changes a contact before it is accepted or blocked. */
function beforeAction(action: string, statement: (request: HandledRequest) => string) {
  return aroundRequests('POST /api/v1/contacts/*', {
    before: (request) => (request.path.endsWith(action) ? statement(request) : undefined),
  });
}

/** Handles some requests as if no agent was suspended. */
function withAllActive(isMeant: (request: HandledRequest) => boolean) {
  return aroundRequests('POST /api/v1/contacts/*', {
    before: (request) =>
      isMeant(request) ? `update bots set suspended_at = null where suspended_at is not null returning id` : undefined,
    after: (_, rows) =>
      rows.length === 0
        ? undefined
        : `update bots set suspended_at = now() where id in ${toIds(rows.map(({ id }) => id))}`,
  });
}

const otherSide = `case when requester_id = first_id then second_id else first_id end`;

export default furtherMutants(table, {
  faults: {
    makesSecond: withRequesters((reply, sent, isOwn) =>
      isRequest(sent) && !isOwn
        ? withJson(reply, (body) => ({ ...body, contact: { ...objectIn(reply, 'contact'), contact_id: randomUUID() } }))
        : reply,
    ),
    createsMutual: withRequesters((reply, sent, isOwn) =>
      isRequest(sent) && !isOwn && reply.status === 200 ? { ...reply, status: 201 } : reply,
    ),
    createsTwice,
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
    hidesOutgoing: lists((contacts) => contacts.filter(({ status }) => status !== 'outgoing')),
    includesBefore,
    neverEnds,
    listsOfFriends,
    skipsOne: lists((contacts, sent) => (queryOf(sent).has('before') ? contacts.slice(1) : contacts)),
  },
  builds: {
    acceptsMutual: aroundRequests(requests, {
      before: (request) =>
        `update contacts set state = 'friends' where ${ofPair(request)} and state = 'requested' and requester_id <> ${request.callerId}`,
    }),
    requestsBlocked: aroundRequests(requests, {
      before: (request) =>
        `update contacts set state = 'requested' where ${ofPair(request)} and state = 'blocked' and requester_id = ${request.callerId}`,
    }),
    acceptsOwn: beforeAction(
      '/accept',
      ({ pathId, callerId }) =>
        `update contacts set requester_id = ${otherSide} where id = ${pathId} and requester_id = ${callerId} and state = 'requested'`,
    ),
    acceptsRefused: beforeAction(
      '/accept',
      ({ pathId, callerId }) =>
        `update contacts set state = 'friends' where id = ${pathId} and requester_id = ${callerId} and state = 'requested'`,
    ),
    blocksForStrangers: beforeAction(
      '/block',
      ({ pathId }) => `update contacts set state = 'blocked' where id = ${pathId}`,
    ),
    acceptsForStrangers: beforeAction(
      '/accept',
      ({ pathId, callerId }) =>
        `update contacts set state = 'friends' where id = ${pathId} and state = 'requested' and ${callerId} not in (first_id, second_id)`,
    ),
    acceptsBlocked: beforeAction(
      '/accept',
      ({ pathId }) => `update contacts set state = 'requested' where id = ${pathId} and state = 'blocked'`,
    ),
    acceptsSuspended: withAllActive(({ path }) => path.endsWith('/accept')),
  },
});
