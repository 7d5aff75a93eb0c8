import {
  atOnce,
  type Changeable,
  inQuery,
  inRequest,
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
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const path = '/api/v1/messages';
const sending = `POST ${path}`;
const reading = `GET ${path}`;
const malformed = ['envelopes.ciphertext-bounds', 'envelopes.nonce-bytes', 'envelopes.base64'];
const taken = json(201, { message: {} });

/** Servers that are faulty in messages. */
export const messageMutants: readonly Mutant[] = [
  mutant('answers 200 to a new message', ['messages.sealed', 'messages.opaque', 'messages.parallel'], () =>
    otherStatus(sending, 201, 200),
  ),
  mutant('answers 201 to a repeated message', ['messages.repeat', 'messages.conflict', 'messages.parallel'], () =>
    otherStatus(sending, 200, 201),
  ),
  mutant('calls a repeated message a conflict', ['messages.repeat', 'messages.conflict', 'messages.parallel'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, sending) && answer.status === 200 ? refusal(409, 'idempotency_conflict') : answer,
  })),
  mutant('cuts the end of a ciphertext off', ['messages.sealed', 'messages.opaque'], () =>
    inEach((message) => ({ ...message, ciphertext: String(message['ciphertext']).slice(0, -4) })),
  ),
  mutant('writes base64 without its padding', ['messages.opaque'], () =>
    inEach((message) => ({ ...message, ciphertext: String(message['ciphertext']).replace(/=+$/, '') })),
  ),
  mutant('writes base64 for addresses', ['envelopes.ciphertext-bounds'], () =>
    inEach((message) => ({ ...message, ciphertext: String(message['ciphertext']).replaceAll('/', '_') })),
  ),
  ...(['nonce', 'sender_public_key', 'recipient_public_key', 'encryption_version', 'client_message_id'] as const).map(
    (name) =>
      mutant(`leaves ${name} out of messages`, ['messages.sealed', 'messages.history'], () =>
        inEach(({ [name]: _, ...rest }) => rest),
      ),
  ),
  mutant('turns the keys of a message around', ['messages.sealed'], () =>
    inEach((message) => ({
      ...message,
      sender_public_key: message['recipient_public_key'],
      recipient_public_key: message['sender_public_key'],
    })),
  ),
  mutant('shows messages to their sender alone', ['messages.sealed', 'messages.order'], () => {
    const senders = new Map<unknown, string>();
    return {
      onRequest: (request) => {
        const token = tokenOf(request);
        if (isAbout(request, sending) && token !== undefined) senders.set(parse(request.body)?.['nonce'], token);
        return request;
      },
      onAnswer: (answer, request) =>
        inDialog(answer, request, (messages) =>
          messages.filter(({ nonce }) => senders.get(nonce) === tokenOf(request)),
        ),
    };
  }),
  mutant('takes nothing that it cannot open', ['messages.opaque'], () => ({
    onRequest: (request) =>
      request.body.includes('OqQosj20DDbGs9rllKRhdiUD') ? refusal(400, 'invalid_envelope') : request,
  })),
  mutant('reads the oldest messages first', ['messages.order'], () => inList((messages) => messages.toReversed())),
  mutant('gives a message too many', ['messages.pages'], () =>
    inList((messages) => (messages.length === 100 ? [...messages, ...messages.slice(-1)] : messages)),
  ),
  mutant('knows one page of a dialog', ['messages.pages'], () => ({
    onAnswer: (answer, request) => (request.path.includes('before=') ? inDialog(answer, request, () => []) : answer),
  })),
  mutant('reads a dialog from the beginning always', ['messages.pages', 'messages.peer'], () =>
    inQuery(reading, (query) => query.delete('before')),
  ),
  mutant('leaves a message out behind before', ['messages.pages'], () => ({
    onAnswer: (answer, request) =>
      request.path.includes('before=') ? inDialog(answer, request, (messages) => messages.slice(1)) : answer,
  })),
  mutant('reads a dialog with nobody', ['messages.peer'], () => ({
    onRequest: (request) => (request.path === path && request.method === 'GET' ? json(200, { messages: [] }) : request),
  })),
  mutant('finds nothing under a peer that is none', ['messages.peer'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, `${reading}?*`) && answer.status === 400 ? json(200, { messages: [] }) : answer,
  })),
  mutant('names another code for a peer that is none', ['messages.peer'], () =>
    otherCode('invalid_id', 'invalid_input'),
  ),
  mutant('shows a dialog to everybody', ['messages.third'], () => {
    let last: PassingAnswer | undefined;
    return {
      onAnswer: (answer, request) => {
        if (!isAbout(request, `${reading}?*`)) return answer;
        if (answer.body.includes('"ciphertext"')) last = answer;
        return last ?? answer;
      },
    };
  }),
  mutant('calls the dialogs of others forbidden', ['messages.third'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, `${reading}?*`) && answer.status === 404 ? refusal(403, 'forbidden') : answer,
  })),
  mutant('has every message twice', ['messages.sealed', 'messages.repeat', 'messages.parallel'], () =>
    inList((messages) => messages.flatMap((message) => [message, message])),
  ),
  mutant('answers what it has, whatever else is sent', ['messages.conflict'], () =>
    takenDespite(sending, 'idempotency_conflict', json(200, { message: {} })),
  ),
  mutant('names another code for a changed message', ['messages.conflict'], () =>
    otherCode('idempotency_conflict', 'nonce_reuse'),
  ),
  mutant('says that it took a nonce twice', ['messages.nonce', 'messages.parallel-nonce'], () =>
    takenDespite(sending, 'nonce_reuse', taken),
  ),
  mutant('names another code for a used nonce', ['messages.nonce', 'messages.parallel-nonce'], () =>
    otherCode('nonce_reuse', 'idempotency_conflict'),
  ),
  mutant('remembers no nonce', ['messages.nonce', 'messages.parallel-nonce'], () => freshNonces()),
  mutant('refuses a message while the same one is on its way', ['messages.parallel'], () =>
    refusesMeanwhile(sending, refusal(409, 'idempotency_conflict')),
  ),
  mutant('refuses every message of several that come at once', ['messages.parallel-nonce', 'messages.parallel'], () =>
    refusesMeanwhile(sending, refusal(503, 'unavailable')),
  ),
  mutant('takes malformed envelopes', [...malformed, 'envelopes.keys'], () =>
    takenDespite(sending, 'invalid_envelope', taken),
  ),
  mutant('names another code for malformed envelopes', malformed, () => otherCode('invalid_envelope', 'invalid_text')),
  mutant('answers 422 to malformed envelopes', malformed, () => otherStatus(sending, 400, 422)),
  mutant('takes 15 bytes', ['envelopes.ciphertext-bounds'], () => sizes(15, 16)),
  mutant('takes 16385 bytes', ['envelopes.ciphertext-bounds'], () => sizes(16_385, 16_384)),
  mutant('takes no 16384 bytes', ['envelopes.ciphertext-bounds'], () => sizes(16_384, 16_385)),
  mutant('takes no 16 bytes', ['envelopes.ciphertext-bounds'], () => sizes(16, 15)),
  mutant('takes the first 24 bytes of a nonce', ['envelopes.nonce-bytes'], () =>
    inRequest(sending, (body) => ({ ...body, nonce: ofBase64(body['nonce'], 24) })),
  ),
  mutant('reads what it can of base64', ['envelopes.base64'], () =>
    inRequest(sending, ({ nonce, ciphertext, ...rest }) => ({
      ...rest,
      nonce: letters(nonce),
      ciphertext: letters(ciphertext),
    })),
  ),
  mutant('takes other encryption for box-v1', ['envelopes.version'], () =>
    inRequest(sending, (body) => ('encryption_version' in body ? { ...body, encryption_version: 'box-v1' } : body)),
  ),
  mutant('names another code for other encryption', ['envelopes.version'], () =>
    otherCode('unsupported_encryption', 'invalid_envelope'),
  ),
  mutant('takes an envelope without its version', ['envelopes.members'], () =>
    inRequest(sending, (body) => ({ encryption_version: 'box-v1', ...body })),
  ),
  mutant('takes an envelope without a nonce', ['envelopes.members'], () => without('nonce')),
  mutant('takes an envelope without an id', ['envelopes.members'], () => without('client_message_id')),
  mutant('takes plain text', ['envelopes.plain-text'], () => ({
    onRequest: (request) =>
      isAbout(request, sending) && parse(request.body)?.['ciphertext'] === undefined ? taken : request,
  })),
  mutant('keeps the text beside an envelope', ['envelopes.plain-text'], () => {
    let text: unknown;
    const remembered = inEach((message) => ({ ...message, note: text }));
    const stripped = inRequest(sending, (body) => {
      const { text: sent, ...rest } = body;
      text = sent ?? text;
      return 'nonce' in body ? rest : body;
    });
    return atOnce([stripped, remembered]);
  }),
  mutant('takes ids that are none', ['envelopes.ids'], () => takenDespite(sending, 'invalid_id', taken)),
  mutant('answers 422 to ids that are none', ['envelopes.ids'], () => otherStatus(sending, 400, 422)),
  mutant('takes messages from whoever has asked', ['envelopes.not-accepted', 'messages.blocked'], () =>
    takenDespite(sending, 'contact_not_accepted', taken),
  ),
  mutant('names another code without an accepted contact', ['envelopes.not-accepted', 'messages.blocked'], () =>
    otherCode('contact_not_accepted', 'friendship_required'),
  ),
  mutant('finds nobody without an accepted contact', ['envelopes.not-accepted'], () => otherStatus(sending, 403, 404)),
  mutant('hides the history after a block', ['messages.history'], () =>
    afterBlock((answer, request) => inDialog(answer, request, () => [])),
  ),
  mutant('finds no dialog after a block', ['messages.history'], () =>
    afterBlock((answer, request) => (isAbout(request, `${reading}?*`) ? refusal(404, 'not_found') : answer)),
  ),
  mutant('opens the history after a block', ['messages.history'], () =>
    afterBlock((answer, request) =>
      inDialog(answer, request, (messages) => messages.map((one) => ({ ...one, text: 'Before the block.' }))),
    ),
  ),
];

type Messages = readonly Changeable[];

function inDialog(
  answer: PassingAnswer,
  request: PassingRequest,
  change: (messages: Messages) => Messages,
): PassingAnswer {
  const body = isAbout(request, `${reading}?*`) && answer.status === 200 ? parse(answer.body) : undefined;
  return body === undefined ? answer : json(200, { ...body, messages: change(body['messages'] as Messages) });
}

function inList(change: (messages: Messages) => Messages): Fault {
  return { onAnswer: (answer, request) => inDialog(answer, request, change) };
}

function inEach(change: (message: Changeable) => Changeable): Fault {
  return inList((messages) => messages.map(change));
}

/** Takes a ciphertext of so many bytes for one of so many others. */
function sizes(from: number, to: number): Fault {
  return inRequest(sending, (body) => {
    const { length } = Buffer.from(String(body['ciphertext']), 'base64');
    return length === from ? { ...body, ciphertext: ofBase64(body['ciphertext'], to) } : body;
  });
}

function ofBase64(text: unknown, bytes: number): string {
  const padded = Buffer.concat([Buffer.from(String(text), 'base64'), Buffer.alloc(bytes)]);
  return padded.subarray(0, bytes).toString('base64');
}

function letters(text: unknown): unknown {
  return typeof text === 'string' ? text.replaceAll('*', 'A') : text;
}

/** Gives every message a nonce that nobody has used. */
function freshNonces(): Fault {
  const used = new Set<unknown>();
  return inRequest(sending, (body) => {
    const isUsed = used.has(body['nonce']);
    used.add(body['nonce']);
    return isUsed
      ? { ...body, nonce: Buffer.from(String(Math.random()).padEnd(24).slice(0, 24)).toString('base64') }
      : body;
  });
}

function without(name: string): Fault {
  return {
    onRequest: (request) =>
      isAbout(request, sending) && parse(request.body)?.[name] === undefined && tokenOf(request) !== undefined
        ? taken
        : request,
  };
}

function afterBlock(change: (answer: PassingAnswer, request: PassingRequest) => PassingAnswer): Fault {
  let isBlocked = false;
  return {
    onAnswer: (answer, request) => {
      if (request.path.endsWith('/block') && answer.status === 200) isBlocked = true;
      return isBlocked ? change(answer, request) : answer;
    },
  };
}
