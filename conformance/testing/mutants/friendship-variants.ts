import { randomUUID } from 'node:crypto';
import {
  codeIn,
  type FaultRow,
  faultTable,
  field,
  isAbout,
  json,
  parse,
  refusal,
  renamed,
  reply,
  replyWhen,
  request,
  requestWhen,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';

const contacts = '/api/v1/contacts';
const asking = `POST ${contacts}/requests`;
const messages = '/api/v1/messages';
const sending = `POST ${messages}`;
const reading = `GET ${messages}?*`;
const isSent = (passing: PassingRequest) => isAbout(passing, sending);
const hasBefore = (passing: PassingRequest) => passing.path.includes('before=');
const taken = () => json(201, { sent: { message_id: randomUUID() } });
const empty = json(200, { items: [], next_before: null });
const withStatus = (codes: readonly string[], status: number): Fault =>
  replyWhen(
    (passing) => codes.includes(codeIn(passing) ?? ''),
    (passing) => ({ ...passing, status }),
  );
const withoutMood = (about: string) => request(about, ({ mood: _, ...rest }) => rest);

const contactVariants: readonly FaultRow[] = [
  [
    'rename the members of contacts',
    'contact-members',
    renamed(contacts, [
      ['"status":', '"state":'],
      ['"peer":', '"with":'],
      ['"updated_at":', '"changed":'],
    ]),
  ],
  [
    'put contacts elsewhere',
    'contact-containers',
    renamed(contacts, [
      ['"contact":', '"relation":'],
      ['"contacts":', '"items":'],
    ]),
  ],
  [
    'call a mutual request a conflict',
    'mutual-request',
    replyWhen(
      ({ status, body }, sent) => isAbout(sent, asking) && status === 200 && body.includes('"incoming"'),
      refusal(409, 'state_conflict'),
    ),
  ],
  ['call the id of a missing agent invalid', 'request-of-nobody', reply(`${asking} 404`, refusal(400, 'invalid_id'))],
  ['ignore members of an acceptance', 'acceptance-members', withoutMood(`POST ${contacts}/*`)],
  [
    'find nothing behind an unknown contact',
    'contacts-before',
    replyWhen(({ status }, sent) => isAbout(sent, `GET ${contacts}?*`) && status >= 400, empty),
  ],
  [
    'have one status for all refusals of contacts',
    'contact-statuses',
    withStatus(['self_contact', 'recipient_required', 'contact_blocked'], 422),
  ],
];

const messageVariants: readonly FaultRow[] = [
  [
    'rename the members of messages',
    'message-members',
    renamed(messages, [
      ['"id":', '"message_id":'],
      ['"sender_id":', '"from":'],
    ]),
  ],
  [
    'put messages elsewhere',
    'message-containers',
    renamed(messages, [
      ['"message":{', '"sent":{'],
      ['"messages":', '"dialog":'],
    ]),
  ],
  ['count nonces for each sender', 'nonce-both-ways', countsNoncesOfSenders],
  ['compare no keys', 'other-keys', replyWhen((passing) => codeIn(passing) === 'key_changed', taken)],
  ['read base64 in all its forms', 'canonical-base64', field(sending, 'ciphertext', canonical)],
  [
    'call a body without an envelope malformed',
    'envelope-needed',
    reply('* * encrypted_envelope_required', 'invalid_envelope'),
  ],
  ['ignore unknown members of an envelope', 'envelope-members', withoutMood(sending)],
  [
    'find an empty dialog with every agent',
    'dialog-of-strangers',
    replyWhen(({ status }, sent) => isAbout(sent, reading) && !hasBefore(sent) && status === 404, empty),
  ],
  ['take no repeats after a block', 'repeat-after-block', refusesRepeatsAfterBlock],
  ['find no recipient that does not exist', 'message-to-nobody', findsNoUnknownRecipient],
  ['have another status for other encryption', 'message-statuses', withStatus(['unsupported_encryption'], 422)],
  ['call malformed ids fields', 'envelope-ids', reply(`${sending} invalid_id`, refusal(400, 'invalid_fields'))],
  [
    'find nothing behind an unknown message',
    'messages-before',
    replyWhen(({ status }, sent) => isAbout(sent, reading) && hasBefore(sent) && status === 404, empty),
  ],
];

const usedVector: FaultRow = [
  'have taken the published test vector from another agent, and count nonces for all agents together',
  'none',
  requestWhen(
    (passing) => isSent(passing) && passing.body.includes('BxEbJS85Q01XYWt1f4mTnaexu8XP2ePt'),
    refusal(409, 'nonce_reuse'),
  ),
];

/** Correct servers that differ where the specification says nothing about contacts and messages. */
export const friendshipVariants = [
  ...faultTable('choice', [...contactVariants, ...messageVariants]),
  ...faultTable('choice', [usedVector]).map((server) => ({ ...server, kills: [] })),
];

function countsNoncesOfSenders(): Fault {
  const senders = new Map<unknown, string | undefined>();
  return {
    onReply: (passing, sent) => {
      if (!isSent(sent)) return passing;
      const nonce = parse(sent.body)?.['nonce'];
      if (passing.status === 201) senders.set(nonce, tokenOf(sent));
      return codeIn(passing) === 'nonce_reuse' && senders.get(nonce) !== tokenOf(sent) ? taken() : passing;
    },
  };
}

function refusesRepeatsAfterBlock(): Fault {
  const blockers = new Set<string | undefined>();
  return {
    onReply: (passing, sent) => {
      if (sent.path.endsWith('/block') && passing.status === 200) blockers.add(tokenOf(sent));
      const isRepeat = isSent(sent) && passing.status === 200;
      return isRepeat && blockers.has(tokenOf(sent)) ? refusal(403, 'contact_not_accepted') : passing;
    },
  };
}

function findsNoUnknownRecipient(): Fault {
  const known = new Set<unknown>();
  return {
    onReply: (passing, sent) => {
      if (isAbout(sent, 'POST /api/v1/bots/register'))
        known.add((parse(passing.body)?.['bot'] as { readonly id?: unknown } | undefined)?.id);
      const isUnknown = isSent(sent) && !known.has(parse(sent.body)?.['recipient_id']);
      return isUnknown && codeIn(passing) === 'contact_not_accepted' ? refusal(404, 'not_found') : passing;
    },
  };
}

function canonical(text: unknown): unknown {
  const isReadable = typeof text === 'string' && /^[\w+/=\n-]*$/.test(text);
  return isReadable ? Buffer.from(text, 'base64').toString('base64') : text;
}
