import { faultsOf } from '../fault-language.ts';
import {
  atOnce,
  type Changeable,
  field,
  isAbout,
  items,
  parse,
  refusal,
  reply,
  replyWhen,
  request,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';
import { after, refusesMeanwhile } from '../stateful-faults.ts';

const sending = 'POST /api/v1/messages';
const dialog = 'GET /api/v1/messages?*';
const malformed = 'envelopes.ciphertext-bounds envelopes.nonce-bytes envelopes.base64';
const taken = '201 {"message":{}}';
const members = ['nonce', 'sender_public_key', 'recipient_public_key', 'encryption_version', 'client_message_id'];
const isDialog = (passing: PassingRequest) => isAbout(passing, dialog);
const isSent = (passing: PassingRequest) => isAbout(passing, sending);
const inList = (change: Parameters<typeof items>[1]) => reply(`${dialog} 200`, items('messages', change));
const inEach = (change: (message: Changeable) => Changeable) => inList((messages) => messages.map(change));
const ciphertexts = (change: (text: string) => string) =>
  inEach((message) => ({ ...message, ciphertext: change(String(message['ciphertext'])) }));
const onLaterPages = (change: Parameters<typeof items>[1]): Fault =>
  replyWhen(
    (_, sent) => sent.path.includes('before='),
    (passing, sent) => inList(change).onReply?.(passing, sent) ?? passing,
  );
const afterBlock = (fault: Fault) =>
  after(
    ({ path: sent }) => sent.endsWith('/block'),
    (passing, sent) => fault.onReply?.(passing, sent) ?? passing,
  );
/** Takes a ciphertext of one length for one of another. */
const sizes = (from: number, to: number) =>
  field(sending, 'ciphertext', (text) => (bytesOf(text).length === from ? resized(text, to) : text));
const letters = (text: unknown) => (typeof text === 'string' ? text.replaceAll('*', 'A') : text);

/** Servers that are faulty in messages. */
export const messageMutants = faultsOf(
  'messages',
  `
answers 200 to a new message | sealed opaque parallel | POST /messages 201 -> 200
answers 201 to a repeated message | repeat conflict parallel | POST /messages 200 -> 201
calls a repeated message a conflict | repeat conflict parallel | POST /messages 200 -> 409 idempotency_conflict
cuts the end of a ciphertext off | sealed opaque | = cutsCiphertexts
writes base64 without its padding | opaque | = writesNoPadding
writes base64 for addresses | envelopes.ciphertext-bounds | = writesUrlBase64
${members.map((name) => `leaves ${name} out of messages | sealed history | = without ${name}\n`).join('')}
swaps the keys of a message | sealed | = swapsKeys
shows messages to their sender alone | sealed order | = showsOwn
takes nothing that it cannot open | opaque | POST /messages sent:'OqQosj20DDbGs9rllKRhdiUD' <- 400 invalid_envelope
reads the oldest messages first | order | GET /messages?* 200 -> reverse messages
gives a message too many | pages | = givesTooMany
knows one page of a dialog | pages | = onePage
reads a dialog from the beginning always | pages peer | GET /messages* <- query drop before
leaves a message out behind before | pages | = leavesOut
reads a dialog without a peer | peer | GET /messages <- 200 {"messages":[]}
finds nothing under a malformed peer | peer | GET /messages?* 400 -> 200 {"messages":[]}
names another code for a malformed peer | peer | * invalid_id -> code invalid_input
shows a dialog to everybody | third | = showsLast
calls the dialogs of others forbidden | third | GET /messages?* 404 -> 403 forbidden
has every message twice | sealed repeat parallel | = twice
answers the stored message, whatever else is sent | conflict | POST /messages idempotency_conflict -> 200 {"message":{}}
names another code for a changed message | conflict | * idempotency_conflict -> code nonce_reuse
says that it took a nonce twice | nonce parallel-nonce | POST /messages nonce_reuse -> ${taken}
names another code for a used nonce | nonce parallel-nonce | * nonce_reuse -> code idempotency_conflict
stores no nonce | nonce parallel-nonce | = replacesUsedNonces
refuses a message while the same one is handled | parallel | = refusesSame
refuses every message of several concurrent ones | parallel-nonce parallel | = refusesConcurrent
takes malformed envelopes | ${malformed} envelopes.keys | POST /messages invalid_envelope -> ${taken}
names another code for malformed envelopes | ${malformed} | * invalid_envelope -> code invalid_text
answers 422 to malformed envelopes | ${malformed} | POST /messages 400 -> 422
takes 15 bytes | envelopes.ciphertext-bounds | = takes15
takes 16385 bytes | envelopes.ciphertext-bounds | = takes16385
takes no 16384 bytes | envelopes.ciphertext-bounds | = refuses16384
takes no 16 bytes | envelopes.ciphertext-bounds | = refuses16
takes the first 24 bytes of a nonce | envelopes.nonce-bytes | = cutsNonces
ignores malformed characters of base64 | envelopes.base64 | = ignoresCharacters
takes other encryption for box-v1 | envelopes.version | = anyVersion
names another code for other encryption | envelopes.version | * unsupported_encryption -> code invalid_envelope
takes an envelope without its version | envelopes.members | POST /messages <- default encryption_version "box-v1"
takes an envelope without a nonce | envelopes.members | = takesWithout nonce
takes an envelope without an id | envelopes.members | = takesWithout client_message_id
takes plain text | envelopes.plain-text | = takesWithout ciphertext
keeps the text beside an envelope | envelopes.plain-text | = keepsText
takes malformed ids | envelopes.ids | POST /messages invalid_id -> ${taken}
answers 422 to malformed ids | envelopes.ids | POST /messages 400 -> 422
takes messages from the sender of a request | envelopes.not-accepted blocked | POST /messages contact_not_accepted -> ${taken}
names another code without an accepted contact | envelopes.not-accepted blocked | * contact_not_accepted -> code forbidden
answers 404 without an accepted contact | envelopes.not-accepted | POST /messages 403 -> 404
hides the history after a block | history | = hidesHistory
finds no dialog after a block | history | = findsNoDialog
opens the history after a block | history | = opensHistory
`,
  {
    cutsCiphertexts: ciphertexts((text) => text.slice(0, -4)),
    writesNoPadding: ciphertexts((text) => text.replace(/=+$/, '')),
    writesUrlBase64: ciphertexts((text) => text.replaceAll('/', '_')),
    swapsKeys: inEach(({ sender_public_key: sender, recipient_public_key: recipient, ...message }) => ({
      ...message,
      ...{ sender_public_key: recipient, recipient_public_key: sender },
    })),
    givesTooMany: inList((messages) => (messages.length === 100 ? [...messages, ...messages.slice(-1)] : messages)),
    onePage: onLaterPages(() => []),
    leavesOut: onLaterPages((messages) => messages.slice(1)),
    twice: inList((messages) => messages.flatMap((one) => [one, one])),
    refusesSame: refusesMeanwhile(sending, refusal(409, 'idempotency_conflict')),
    refusesConcurrent: refusesMeanwhile(sending, refusal(503, 'unavailable')),
    takes15: sizes(15, 16),
    takes16385: sizes(16_385, 16_384),
    refuses16384: sizes(16_384, 16_385),
    refuses16: sizes(16, 15),
    cutsNonces: field(sending, 'nonce', (nonce) => resized(nonce, 24)),
    ignoresCharacters: atOnce([field(sending, 'nonce', letters), field(sending, 'ciphertext', letters)]),
    anyVersion: field(sending, 'encryption_version', (version) => (version === undefined ? undefined : 'box-v1')),
    hidesHistory: afterBlock(inList(() => [])),
    findsNoDialog: afterBlock(reply(dialog, refusal(404, 'not_found'))),
    opensHistory: afterBlock(inEach((one) => ({ ...one, text: 'Before the block.' }))),
    ...{ showsOwn, showsLast, keepsText, replacesUsedNonces },
    ...Object.fromEntries(members.map((name) => [`without ${name}`, inEach(({ [name]: _, ...rest }) => rest)])),
    ...Object.fromEntries(
      ['nonce', 'client_message_id', 'ciphertext'].map((name) => [`takesWithout ${name}`, takes(name)]),
    ),
  },
);

function takes(missing: string): Fault {
  return {
    onRequest: (sent) =>
      isSent(sent) && tokenOf(sent) !== undefined && parse(sent.body)?.[missing] === undefined
        ? { status: 201, headers: { 'content-type': 'application/json' }, body: '{"message":{}}' }
        : sent,
  };
}

function showsOwn(): Fault {
  const senders = new Map<unknown, string>();
  return {
    onRequest: (sent) => {
      const token = tokenOf(sent);
      if (isSent(sent) && token !== undefined) senders.set(parse(sent.body)?.['nonce'], token);
      return sent;
    },
    onReply: (passing, sent) => {
      const own = inList((messages) => messages.filter(({ nonce }) => senders.get(nonce) === tokenOf(sent)));
      return own.onReply?.(passing, sent) ?? passing;
    },
  };
}

function showsLast(): Fault {
  let last: PassingReply | undefined;
  return replyWhen(
    (_, sent) => isDialog(sent),
    (passing) => {
      if (passing.body.includes('"ciphertext"')) last = passing;
      return last ?? passing;
    },
  );
}

function keepsText(): Fault {
  let text: unknown;
  const stored = inEach((message) => ({ ...message, note: text }));
  const stripped = request(sending, (body) => {
    const { text: sent, ...rest } = body;
    text = sent ?? text;
    return 'nonce' in body ? rest : body;
  });
  return atOnce([stripped, stored]);
}

function replacesUsedNonces(): Fault {
  const used = new Set<unknown>();
  return field(sending, 'nonce', (nonce) => {
    const isUsed = used.has(nonce);
    used.add(nonce);
    return isUsed ? Buffer.from(String(Math.random()).padEnd(24).slice(0, 24)).toString('base64') : nonce;
  });
}

function bytesOf(text: unknown): Buffer {
  return Buffer.from(String(text), 'base64');
}

function resized(text: unknown, bytes: number): string {
  return Buffer.concat([bytesOf(text), Buffer.alloc(bytes)])
    .subarray(0, bytes)
    .toString('base64');
}
