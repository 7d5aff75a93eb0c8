import { randomUUID } from 'node:crypto';
import {
  type Changeable,
  inAnswer,
  inQuery,
  isAbout,
  json,
  type Mutant,
  mutant,
  otherCode,
  otherStatus,
  parse,
  refusal,
  refusesMeanwhile,
  takenDespite,
} from '../faults.ts';
import type { Fault, PassingRequest } from '../proxy.ts';

const list = '/api/v1/contacts';
const asking = `POST ${list}/requests`;
const acting = `POST ${list}/*`;
const blocks = ['contacts.block-request', 'contacts.block-friends'];
const made = (status: string) => json(200, { contact: { contact_id: randomUUID(), status } });

/** Servers that are faulty in contacts. */
export const contactMutants: readonly Mutant[] = [
  mutant('answers 200 to a new contact', ['contacts.request', 'contacts.parallel'], () =>
    otherStatus(asking, 201, 200),
  ),
  mutant('answers 201 to a repeated request', ['contacts.repeat', 'contacts.parallel', 'contacts.accept'], () =>
    otherStatus(asking, 200, 201),
  ),
  mutant('gives a contact a number', ['contacts.request'], () =>
    inAnswer(asking, 201, (body) => {
      contactOf(body)['contact_id'] = '7';
    }),
  ),
  mutant('calls a request incoming for its sender', ['contacts.request', 'contacts.repeat'], () =>
    says('outgoing', 'incoming'),
  ),
  mutant('calls a request outgoing for its recipient', ['contacts.request', 'contacts.mutual'], () =>
    inList((contacts) => contacts.map((one) => (one['status'] === 'incoming' ? { ...one, status: 'outgoing' } : one))),
  ),
  mutant('lists no requests that wait', ['contacts.request', 'contacts.no-way-back'], () =>
    inList((contacts) => contacts.filter(({ status }) => status !== 'incoming')),
  ),
  mutant('tells nothing of a relation on cards', ['contacts.request', 'contacts.accept', ...blocks], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, 'GET /api/v1/bots/*')
        ? { ...answer, body: answer.body.replace(/"friendship":\{"status":"\w+"/, '"friendship":{"status":"none"') }
        : answer,
  })),
  mutant('names another contact in a repeat', ['contacts.repeat', 'contacts.accept'], () =>
    inAnswer(asking, 200, (body) => {
      contactOf(body)['contact_id'] = randomUUID();
    }),
  ),
  mutant('lists every contact twice', ['contacts.parallel', 'contacts.list'], () =>
    inList((contacts) => contacts.flatMap((one) => [one, { ...one, contact_id: otherId(String(one['contact_id'])) }])),
  ),
  mutant('refuses a request while another one is made', ['contacts.parallel'], () =>
    refusesMeanwhile(asking, refusal(409, 'state_conflict')),
  ),
  mutant('lets the requester accept', ['contacts.accept'], () =>
    takenDespite(acting, 'recipient_required', made('friends')),
  ),
  mutant('names another code to a requester who accepts', ['contacts.accept'], () =>
    otherCode('recipient_required', 'forbidden'),
  ),
  mutant('accepts and says that it still waits', ['contacts.accept'], () => says('friends', 'incoming')),
  mutant('accepts once', ['contacts.accept'], () => once('/accept')),
  mutant('takes a request between friends for a fault', ['contacts.accept'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, asking) && answer.body.includes('"friends"') ? refusal(409, 'state_conflict') : answer,
  })),
  mutant('lists the oldest contacts first', ['contacts.list'], () => inList((contacts) => contacts.toReversed())),
  mutant('lists contacts from the beginning always', ['contacts.list'], () =>
    inQuery(`GET ${list}`, (query) => query.delete('before')),
  ),
  mutant('never ends the list of contacts', ['contacts.list'], () =>
    inBody((body) => ({ ...body, next_before: randomUUID() })),
  ),
  mutant('says nothing of an end of the list', ['contacts.list'], () => inBody(({ next_before: _, ...rest }) => rest)),
  mutant('lists the contacts of everybody', ['contacts.stranger'], () => {
    const all = new Map<unknown, Changeable>();
    const everybody = inList((contacts) => [...contacts, ...all.values()]);
    return {
      onAnswer: (answer, request) => {
        const made = isAbout(request, asking) ? parse(answer.body)?.['contact'] : undefined;
        if (made !== undefined) all.set((made as Changeable)['contact_id'], made as Changeable);
        return everybody.onAnswer?.(answer, request) ?? answer;
      },
    };
  }),
  mutant('calls the contacts of others forbidden', ['contacts.stranger'], () => otherStatus(acting, 404, 403)),
  mutant('accepts and blocks what never was', ['contacts.stranger', 'contacts.refused'], () =>
    takenDespite(acting, 'not_found', made('friends')),
  ),
  mutant('lets agents ask themselves', ['contacts.refused'], () =>
    takenDespite(asking, 'self_contact', made('outgoing')),
  ),
  mutant('names another code to who asks itself', ['contacts.refused'], () => otherCode('self_contact', 'invalid_id')),
  mutant('takes any text for an id', ['contacts.refused'], () => takenDespite(asking, 'invalid_id', made('outgoing'))),
  mutant('names another code for an id that is none', ['contacts.refused'], () =>
    otherCode('invalid_id', 'invalid_text'),
  ),
  mutant('lets a request be declined', ['contacts.no-way-back'], () => exists('POST', '/decline')),
  mutant('lets a contact be deleted', ['contacts.no-way-back', 'contacts.block-friends'], () => exists('DELETE', '')),
  mutant('lifts a block', ['contacts.block-friends'], () => exists('POST', '/unblock')),
  mutant('lists contacts for anybody', ['contacts.token'], () => forAnybody(`GET ${list}`)),
  mutant('blocks for anybody', ['contacts.token'], () => forAnybody(acting)),
  mutant('shows dialogs to anybody', ['contacts.token'], () => forAnybody('GET /api/v1/messages*')),
  mutant('takes messages from anybody', ['contacts.token'], () => forAnybody('POST /api/v1/messages')),
  mutant('blocks nothing', [...blocks, 'messages.blocked'], () => ({
    onRequest: (request) => {
      const [, id] = /contacts\/([^/]+)\/block$/.exec(request.path) ?? [];
      return id === undefined ? request : json(200, { contact: { contact_id: id, status: 'blocked' } });
    },
  })),
  mutant('blocks once', blocks, () => once('/block')),
  mutant('says of a block that it waits', ['contacts.block-request', 'contacts.block-friends'], () =>
    says('blocked', 'outgoing'),
  ),
  mutant('names another code after a block', blocks, () => otherCode('contact_blocked', 'forbidden')),
  mutant('accepts after a block', ['contacts.block-request'], () => ({
    onAnswer: (answer, request) =>
      request.path.endsWith('/accept') && isBlocked(answer.body) ? made('friends') : answer,
  })),
  mutant('takes a request after a block', blocks, () => takenDespite(asking, 'contact_blocked', made('outgoing'))),
];

type Contacts = readonly Changeable[];

function contactOf(body: Changeable): Changeable {
  return body['contact'] as Changeable;
}

function inList(change: (contacts: Contacts) => Contacts): Fault {
  return inBody(({ contacts, ...rest }) => ({ contacts: change(contacts as Contacts), ...rest }));
}

function inBody(change: (body: Changeable) => Changeable): Fault {
  return {
    onAnswer: (answer, request) => {
      const body = isList(request) && answer.status === 200 ? parse(answer.body) : undefined;
      return body === undefined ? answer : json(200, change(body));
    },
  };
}

function isList({ method, path }: PassingRequest): boolean {
  return method === 'GET' && path.split('?')[0] === list;
}

/** Says another status in single answers. */
function says(from: string, to: string): Fault {
  return {
    onAnswer: (answer, request) =>
      isAbout(request, acting)
        ? { ...answer, body: answer.body.replace(`"status":"${from}"`, `"status":"${to}"`) }
        : answer,
  };
}

/** Does something to a contact once and calls the second time a conflict. */
function once(action: string): Fault {
  const done = new Set<string>();
  return {
    onRequest: (request) => (done.has(request.path) ? refusal(409, 'state_conflict') : request),
    onAnswer: (answer, request) => {
      if (request.path.endsWith(action) && answer.status === 200) done.add(request.path);
      return answer;
    },
  };
}

function exists(method: string, action: string): Fault {
  return {
    onRequest: (request) =>
      request.method === method && new RegExp(`^${list}/[^/]{36}${action}$`).test(request.path)
        ? json(200, {})
        : request,
  };
}

function forAnybody(about: string): Fault {
  return {
    onAnswer: (answer, request) =>
      isAbout(request, about) && answer.status === 401 ? json(200, { contacts: [] }) : answer,
  };
}

function isBlocked(body: string): boolean {
  return body.includes('contact_blocked');
}

function otherId(id: string): string {
  return id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'));
}
