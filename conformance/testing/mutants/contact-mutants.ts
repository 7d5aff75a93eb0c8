import { faultsOf } from '../fault-language.ts';
import { type Changeable, items, parse, refusal, renamed, reply } from '../faults.ts';
import type { Fault } from '../passing.ts';
import { refusesMeanwhile } from '../stateful-faults.ts';

const list = 'GET /api/v1/contacts';
const requests = '/api/v1/contacts/requests';
const friends = '200 {"contact":{"contact_id":"01a1fdfe-0000-4000-8000-000000000000","status":"friends"}}';
const outgoing = friends.replace('friends', 'outgoing');
const inList = (change: Parameters<typeof items>[1]) => reply(`${list}* 200`, items('contacts', change));

/** Servers that are faulty in contacts. */
export const contactMutants = faultsOf(
  'contacts',
  `
answers 200 to a new contact | request parallel | POST /contacts/requests 201 -> 200
answers 201 to a repeated request | repeat parallel accept | POST /contacts/requests 200 -> 201
gives a contact a number | request | POST /contacts/requests 201 -> set contact.contact_id "7"
calls a request incoming for its sender | request repeat | = incomingForSender
calls a request outgoing for its recipient | request mutual | = outgoingForRecipient
lists no pending requests | request no-way-back | = listsNoPending
shows no relation on cards | request accept block-request block-friends | = showsNoRelation
names another contact in a repeat | repeat accept | POST /contacts/requests 200 -> set contact.contact_id "01a1fdfe-0000-4000-8000-000000000000"
lists every contact twice | parallel list | = listsTwice
refuses a request while another one is made | parallel | = refusesMeanwhile
lets the requester accept | accept | POST /contacts/* recipient_required -> ${friends}
names another code to a requester who accepts | accept | * recipient_required -> code forbidden
accepts and says that it still waits | accept | = stillWaits
accepts once | accept | = acceptsOnce
refuses a request between friends | accept | POST /contacts/requests has:'"friends"' -> 409 state_conflict
lists the oldest contacts first | list | GET /contacts* 200 -> reverse contacts
lists contacts from the beginning always | list | GET /contacts* <- query drop before
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
says of a block that it is pending | block-request block-friends | = pendingBlock
names another code after a block | block-request block-friends | * contact_blocked -> code forbidden
accepts after a block | block-request | POST /contacts/* contact_blocked path:'/accept' -> ${friends}
takes a request after a block | block-request block-friends | POST /contacts/requests contact_blocked -> ${outgoing}
`,
  {
    incomingForSender: says('outgoing', 'incoming'),
    stillWaits: says('friends', 'incoming'),
    pendingBlock: says('blocked', 'outgoing'),
    outgoingForRecipient: inList((contacts) =>
      contacts.map((one) => (one['status'] === 'incoming' ? { ...one, status: 'outgoing' } : one)),
    ),
    listsNoPending: inList((contacts) => contacts.filter(({ status }) => status !== 'incoming')),
    showsNoRelation: renamed('/api/v1/bots/', [[/"friendship":\{"status":"\w+"/g, '"friendship":{"status":"none"']]),
    listsTwice: inList((contacts) => contacts.flatMap((one) => [one, { ...one, contact_id: otherId(one) }])),
    refusesMeanwhile: refusesMeanwhile(`POST ${requests}`, refusal(409, 'state_conflict')),
    blocksNothing,
    acceptsOnce: once('/accept'),
    blocksOnce: once('/block'),
    listsAll,
  },
);

/** Names another status in the replies to requests and actions. */
function says(from: string, to: string): Fault {
  return renamed('/api/v1/contacts/', [[`"status":"${from}"`, `"status":"${to}"`]]);
}

function blocksNothing(): Fault {
  const ids = /contacts\/([^/]+)\/block$/;
  return {
    onRequest: (passing) => {
      const [, id] = ids.exec(passing.path) ?? [];
      const body = JSON.stringify({ contact: { contact_id: id, status: 'blocked' } });
      return id === undefined ? passing : { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
  };
}

function listsAll(): Fault {
  const all = new Map<unknown, Changeable>();
  const inLists = inList((contacts) => [...contacts, ...all.values()]);
  return {
    onReply: (passing, sent) => {
      const contact = sent.path === requests ? parse(passing.body)?.['contact'] : undefined;
      if (contact !== undefined) all.set((contact as Changeable)['contact_id'], contact as Changeable);
      return inLists.onReply?.(passing, sent) ?? passing;
    },
  };
}

/** Does something to a contact once, and calls it a conflict from then on. */
function once(action: string): () => Fault {
  return () => {
    const done = new Set<string>();
    return {
      onRequest: (passing) => (done.has(passing.path) ? refusal(409, 'state_conflict') : passing),
      onReply: (passing, sent) => {
        if (sent.path.endsWith(action) && passing.status === 200) done.add(sent.path);
        return passing;
      },
    };
  };
}

function otherId({ contact_id: id }: Changeable): string {
  return String(id).replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'));
}
