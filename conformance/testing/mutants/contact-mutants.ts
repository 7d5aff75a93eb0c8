import { faultsOf } from '../fault-language.ts';
import { type Changeable, idIn, items, json, parse, refusal, requestWhen, withJson } from '../faults.ts';
import type { Fault } from '../passing.ts';

const friends = '200 {"contact":{"contact_id":"01a1fdfe-0000-4000-8000-000000000000","status":"friends"}}';
const outgoing = friends.replace('friends', 'outgoing');

/** Servers that are faulty in contacts. */
export const contactMutants = faultsOf(
  'contacts',
  `
answers 200 to a new contact | request parallel | POST /contacts/requests 201 -> 200
answers 201 to a repeated request | repeat parallel accept | POST /contacts/requests 200 -> 201
gives a contact a number | request | POST /contacts/requests 201 -> set contact.contact_id "7"
calls a request incoming for its sender | request repeat | * /contacts/* -> change contact.status "outgoing" "incoming"
calls a request outgoing for its recipient | request mutual | GET /contacts* 200 -> change contacts[].status "incoming" "outgoing"
lists no pending requests | request no-way-back | GET /contacts* 200 -> remove contacts status "incoming"
shows no relation on cards | request accept block-request block-friends | * /bots/* -> replace '"friendship":{"status":"[a-z]+"' '"friendship":{"status":"none"'
shows no relation in lists of agents | accept | GET /bots?* -> replace '"friendship":{"status":"[a-z]+"' '"friendship":{"status":"none"'
accepts requests of suspended agents | suspension.contact | POST /contacts/* inactive_bot -> ${friends}
names another contact in a repeat | repeat accept | POST /contacts/requests 200 -> set contact.contact_id "01a1fdfe-0000-4000-8000-000000000000"
lists every contact twice | parallel list | GET /contacts* 200 -> map contacts twice
refuses a request while another one is made | parallel | POST /contacts/requests <- unless-busy 409 state_conflict
lets the requester accept | accept | POST /contacts/* recipient_required -> ${friends}
names another code to a requester who accepts | accept | * recipient_required -> code forbidden
accepts and says that it still waits | accept | * /contacts/* -> change contact.status "friends" "incoming"
accepts once | accept | = acceptsOnce
refuses a request between friends | accept | POST /contacts/requests has:'"friends"' -> 409 state_conflict
lists the oldest contacts first | list | GET /contacts* 200 -> reverse contacts
lists contacts from the beginning always | list | GET /contacts* <- query drop before
puts 101 contacts on a page | page-maximum | GET /contacts 200 -> map contacts oneMore
ends the list after 100 contacts | page-maximum | GET /contacts 200 -> set next_before null
never ends the list of contacts | list | GET /contacts* 200 -> set next_before "01a1fdfe-0000-4000-8000-000000000000"
does not tell the end of the list | list | GET /contacts* 200 -> drop next_before
lists the contacts of every agent | stranger | = listsAll
calls the contacts of others forbidden | stranger | POST /contacts/* 404 -> 403
accepts and blocks contacts that do not exist | stranger refused | POST /contacts/* not_found -> ${friends}
lets agents ask themselves | refused | POST /contacts/requests self_contact -> ${outgoing}
names another code to agents that ask themselves | refused | * self_contact -> code invalid_id
takes any text for an id | refused | POST /contacts/requests invalid_id -> ${outgoing}
names another code for a malformed id | refused | * invalid_id -> code invalid_text
lets a request be declined | no-way-back | POST /contacts/* path:'/decline' <- 200 {}
lets a contact be deleted | no-way-back block-friends | DELETE /contacts/* <- 200 {}
lifts a block | block-friends | POST /contacts/* path:'/unblock' <- 200 {}
lists contacts for anybody | token | GET /contacts 401 -> 200 {}
blocks for anybody | token | POST /contacts/* 401 -> 200 {}
shows dialogs to anybody | token | GET /messages* 401 -> 200 {}
accepts messages from anybody | token | POST /messages 401 -> 200 {}
blocks nothing | block-request block-friends messages.blocked | = blocksNothing
blocks once | block-request block-friends | = blocksOnce
says of a block that it is pending | block-request block-friends | * /contacts/* -> change contact.status "blocked" "outgoing"
names another code after a block | block-request block-friends | * contact_blocked -> code forbidden
accepts after a block | block-request | POST /contacts/* contact_blocked path:'/accept' -> ${friends}
takes a request after a block | block-request block-friends | POST /contacts/requests contact_blocked -> ${outgoing}
`,
  {
    twice: (contacts: readonly Changeable[]) => contacts.flatMap((one) => [one, { ...one, contact_id: otherId(one) }]),
    oneMore: (contacts: readonly Changeable[]) =>
      contacts.length === 100
        ? [...contacts, ...contacts.slice(-1).map((one) => ({ ...one, contact_id: otherId(one) }))]
        : contacts,
  },
  { blocksNothing, acceptsOnce: () => once('/accept'), blocksOnce: () => once('/block'), listsAll },
);

function blocksNothing(): Fault {
  return requestWhen(
    ({ path }) => path.endsWith('/block'),
    ({ path }) => json(200, { contact: { contact_id: idIn(path), status: 'blocked' } }),
  );
}

function listsAll(): Fault {
  const all = new Map<unknown, Changeable>();
  const listed = items('contacts', (contacts) => [...contacts, ...all.values()]);
  return {
    onReply: (passing, { path }) => {
      const contact = path === '/api/v1/contacts/requests' ? parse(passing.body)?.['contact'] : undefined;
      if (contact !== undefined) all.set((contact as Changeable)['contact_id'], contact as Changeable);
      return withJson(passing, listed);
    },
  };
}

/** Does something to a contact once, and calls it a conflict from then on. */
function once(action: string): Fault {
  const done = new Set<string>();
  return {
    onRequest: (passing) => (done.has(passing.path) ? refusal(409, 'state_conflict') : passing),
    onReply: (passing, { path }) => {
      if (path.endsWith(action) && passing.status === 200) done.add(path);
      return passing;
    },
  };
}

function otherId({ contact_id: id }: Changeable): string {
  return String(id).replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'));
}
