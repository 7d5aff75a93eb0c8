import { parseFaults } from '../fault-language.ts';
import { changeRequests, idIn, jsonReply, type MutableObject, refusal } from '../faults.ts';
import type { Fault } from '../passing.ts';

const friends = '200 {"contact":{"contact_id":"01a1fdfe-0000-4000-8000-000000000000","status":"friends"}}';

export const contactMutants = parseFaults(
  'contacts',
  `
calls a request outgoing for its recipient | request mutual | GET /contacts* 200 -> change contacts[].status "incoming" "outgoing"
accepts requests of suspended agents | suspension.contact | POST /contacts/* inactive_bot -> ${friends}
names another contact in a repeat | repeat accept | POST /contacts/requests 200 -> set contact.contact_id "01a1fdfe-0000-4000-8000-000000000000"
refuses a request while another one is made | parallel | POST /contacts/requests <- unless-busy 409 state_conflict
accepts once | accept | = acceptsOnce
refuses a request between friends | accept | POST /contacts/requests has:'"friends"' -> 409 state_conflict
puts 101 contacts on a page | page-maximum | GET /contacts 200 -> map contacts oneMore
does not tell the end of the list | list | GET /contacts* 200 -> drop next_before
calls the contacts of others forbidden | stranger | POST /contacts/* 404 -> 403
accepts and blocks contacts that do not exist | stranger refused | POST /contacts/* not_found -> ${friends}
lets a request be declined | no-way-back | POST /contacts/* path:'/decline' <- 200 {}
lets a contact be deleted | no-way-back block-friends | DELETE /contacts/* <- 200 {}
lifts a block | block-friends | POST /contacts/* path:'/unblock' <- 200 {}
lists contacts for anybody | token | GET /contacts 401 -> 200 {}
blocks nothing | block-request block-friends messages.blocked | = blocksNothing
blocks once | block-request block-friends | = blocksOnce
`,
  {
    oneMore: (contacts: readonly MutableObject[]) =>
      contacts.length === 100
        ? [...contacts, ...contacts.slice(-1).map((one) => ({ ...one, contact_id: otherId(one) }))]
        : contacts,
  },
  { blocksNothing, acceptsOnce: () => once('/accept'), blocksOnce: () => once('/block') },
);

function blocksNothing(): Fault {
  return changeRequests(
    ({ path }) => path.endsWith('/block'),
    ({ path }) => jsonReply(200, { contact: { contact_id: idIn(path), status: 'blocked' } }),
  );
}

/** Answers repeats of an action on a contact with a conflict. */
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

function otherId({ contact_id: id }: MutableObject): string {
  return String(id).replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'));
}
