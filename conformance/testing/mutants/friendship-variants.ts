import { randomUUID } from 'node:crypto';
import {
  codeIn,
  inAnswer,
  inRequest,
  isAbout,
  json,
  type Mutant,
  mutant,
  otherCode,
  parse,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';
import { instead, renamed, variant } from '../variant-faults.ts';

const contacts = '/api/v1/contacts';
const asking = `POST ${contacts}/requests`;
const messages = '/api/v1/messages';
const sending = `POST ${messages}`;
const reading = `GET ${messages}?*`;

/** Servers that are right and differ where the specification says nothing of contacts and messages. */
export const friendshipVariants: readonly Mutant[] = [
  variant('contact-members', 'call the members of contacts otherwise', () =>
    renamed(contacts, [
      ['"status":', '"state":'],
      ['"peer":', '"with":'],
      ['"updated_at":', '"changed":'],
    ]),
  ),
  variant('contact-containers', 'put contacts elsewhere', () =>
    renamed(contacts, [
      ['"contact":', '"relation":'],
      ['"contacts":', '"items":'],
    ]),
  ),
  variant('mutual-request', 'take a mutual request for a conflict', () => ({
    onAnswer: (answer, request) =>
      isAbout(request, asking) && answer.status === 200 && answer.body.includes('"incoming"')
        ? refusal(409, 'state_conflict')
        : answer,
  })),
  variant('request-of-nobody', 'call the id of nobody invalid', () =>
    instead((answer, request) => isAbout(request, asking) && answer.status === 404, refusal(400, 'invalid_id')),
  ),
  variant('acceptance-members', 'pass over members of an acceptance', () =>
    inRequest(`POST ${contacts}/*`, ({ mood: _, ...rest }) => rest),
  ),
  variant('contacts-before', 'find nothing behind a contact that is none', () =>
    instead((answer, request) => isAbout(request, `GET ${contacts}?*`) && answer.status >= 400, empty()),
  ),
  variant('contact-statuses', 'have one status for all refusals of contacts', () =>
    withStatus(['self_contact', 'recipient_required', 'contact_blocked'], 422),
  ),
  variant('message-members', 'call the members of messages otherwise', () =>
    renamed(messages, [
      ['"id":', '"message_id":'],
      ['"sender_id":', '"from":'],
    ]),
  ),
  variant('message-containers', 'put messages elsewhere', () =>
    renamed(messages, [
      ['"message":{', '"sent":{'],
      ['"messages":', '"dialog":'],
    ]),
  ),
  variant('nonce-both-ways', 'count nonces for each sender', () => {
    const senders = new Map<unknown, string | undefined>();
    return {
      onAnswer: (answer, request) => {
        if (!isAbout(request, sending)) return answer;
        const nonce = parse(request.body)?.['nonce'];
        if (answer.status === 201) senders.set(nonce, tokenOf(request));
        return codeIn(answer) === 'nonce_reuse' && senders.get(nonce) !== tokenOf(request) ? taken() : answer;
      },
    };
  }),
  variant('other-keys', 'compare no keys', () => instead((answer) => codeIn(answer) === 'key_changed', taken())),
  variant('canonical-base64', 'read base64 in all its writings', () =>
    inRequest(sending, ({ ciphertext, ...rest }) => ({
      ...rest,
      ...(ciphertext === undefined ? {} : { ciphertext: canonical(ciphertext) }),
    })),
  ),
  variant('envelope-needed', 'call whatever is no envelope malformed', () =>
    otherCode('encrypted_envelope_required', 'invalid_envelope'),
  ),
  variant('envelope-members', 'pass over members that no envelope has', () =>
    inRequest(sending, ({ mood: _, ...rest }) => rest),
  ),
  variant('dialog-of-strangers', 'find an empty dialog with everybody', () =>
    instead((answer, request) => isAbout(request, reading) && !hasBefore(request) && answer.status === 404, empty()),
  ),
  variant('repeat-after-block', 'take no repeats after a block', () => {
    const blockers = new Set<string | undefined>();
    return {
      onAnswer: (answer, request) => {
        if (request.path.endsWith('/block') && answer.status === 200) blockers.add(tokenOf(request));
        const isRepeat = isAbout(request, sending) && answer.status === 200;
        return isRepeat && blockers.has(tokenOf(request)) ? refusal(403, 'contact_not_accepted') : answer;
      },
    };
  }),
  variant('message-to-nobody', 'find no recipient who does not exist', () => {
    const known = new Set<unknown>();
    const registered = inAnswer('POST /api/v1/bots/register', 201, (body) => {
      known.add((body['bot'] as { readonly id: unknown }).id);
    });
    return {
      onAnswer: (answer, request) => {
        const isNobody = isAbout(request, sending) && !known.has(parse(request.body)?.['recipient_id']);
        if (isNobody && codeIn(answer) === 'contact_not_accepted') return refusal(404, 'not_found');
        return registered.onAnswer?.(answer, request) ?? answer;
      },
    };
  }),
  variant('message-statuses', 'have another status for other encryption', () =>
    withStatus(['unsupported_encryption'], 422),
  ),
  variant('envelope-ids', 'call ids that are none fields', () =>
    instead(
      (answer, request) => isAbout(request, sending) && codeIn(answer) === 'invalid_id',
      refusal(400, 'invalid_fields'),
    ),
  ),
  variant('messages-before', 'find nothing behind a message that is none', () =>
    instead((answer, request) => isAbout(request, reading) && hasBefore(request) && answer.status === 404, empty()),
  ),
  mutant('have taken the known answer from somebody else, and count nonces for all agents together', [], () => ({
    onRequest: (request) =>
      isAbout(request, sending) && request.body.includes('BxEbJS85Q01XYWt1f4mTnaexu8XP2ePt')
        ? refusal(409, 'nonce_reuse')
        : request,
  })),
];

function withStatus(codes: readonly string[], status: number): Fault {
  return { onAnswer: (answer) => (codes.includes(String(codeIn(answer))) ? { ...answer, status } : answer) };
}

function taken(): PassingAnswer {
  return json(201, { sent: { message_id: randomUUID() } });
}

function empty(): PassingAnswer {
  return json(200, { items: [], next_before: null });
}

function hasBefore({ path }: PassingRequest): boolean {
  return path.includes('before=');
}

function canonical(text: unknown): unknown {
  const isReadable = typeof text === 'string' && /^[\w+/=\n-]*$/.test(text);
  return isReadable ? Buffer.from(text, 'base64').toString('base64') : text;
}
