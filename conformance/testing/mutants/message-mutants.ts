import { randomBytes } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { atOnce, type Changeable, isAbout, items, parse, replyWhen, request, tokenOf, withJson } from '../faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const sending = 'POST /api/v1/messages';
const malformed = 'envelopes.ciphertext-bounds envelopes.nonce-bytes envelopes.base64';
const taken = '201 {"message":{}}';
const isDialog = (passing: PassingRequest) => isAbout(passing, 'GET /api/v1/messages?*');
/** Takes a ciphertext of one length for one of another. */
const resizes = (from: number, to: number) => (text: unknown) =>
  bytesOf(text).length === from ? resized(text, to) : text;

/** Servers that are faulty in messages. */
export const messageMutants = faultsOf(
  'messages',
  `
answers 200 to a new message | sealed opaque parallel | POST /messages 201 -> 200
answers 201 to a repeated message | repeat conflict parallel | POST /messages 200 -> 201
calls a repeated message a conflict | repeat conflict parallel | POST /messages 200 -> 409 idempotency_conflict
cuts the end of a ciphertext off | sealed opaque | GET /messages?* 200 -> map messages[].ciphertext shortened
writes base64 without its padding | opaque | GET /messages?* 200 -> map messages[].ciphertext unpadded
writes base64 for addresses | envelopes.ciphertext-bounds | GET /messages?* 200 -> map messages[].ciphertext urlBase64
leaves <nonce sender_public_key recipient_public_key encryption_version client_message_id> out of messages | sealed history | GET /messages?* 200 -> drop messages[].<>
swaps the keys of a message | sealed | GET /messages?* 200 -> members sender_public_key=recipient_public_key recipient_public_key=sender_public_key
shows messages to their sender alone | sealed order | = showsOwn
loses the end of a ciphertext when it is read again | sealed | = fadesAway
takes no box of 300 bytes | opaque | POST /messages sent:'"ciphertext":"[^"]{400}"' <- 400 invalid_envelope
reads box-v1 as another version | envelopes.version | GET /messages?* 200 -> replace '"box-v1"' '"box-v2"'
takes nothing that it cannot open | opaque | POST /messages sent:'OqQosj20DDbGs9rllKRhdiUD' <- 400 invalid_envelope
reads the oldest messages first | order | GET /messages?* 200 -> reverse messages
gives a message too many | pages | GET /messages?* 200 -> map messages repeatsLast
knows one page of a dialog | pages | GET /messages?* path:'before=' 200 -> set messages []
reads a dialog from the beginning always | pages peer | GET /messages* <- query drop before
leaves a message out behind before | pages | GET /messages?* path:'before=' 200 -> map messages withoutFirst
reads a dialog without a peer | peer | GET /messages <- 200 {"messages":[]}
finds nothing under a malformed peer | peer | GET /messages?* 400 -> 200 {"messages":[]}
names another code for a malformed peer | peer | * invalid_id -> code invalid_input
shows a dialog to everybody | third | = showsLast
calls the dialogs of others forbidden | third | GET /messages?* 404 -> 403 forbidden
has every message twice | sealed repeat parallel | GET /messages?* 200 -> map messages twice
answers the stored message, whatever else is sent | conflict | POST /messages idempotency_conflict -> 200 {"message":{}}
ignores another ciphertext of a repeated message | conflict | = keepsCiphertext
names another code for a changed message | conflict | * idempotency_conflict -> code nonce_reuse
says that it took a nonce twice | nonce parallel-nonce | POST /messages nonce_reuse -> ${taken}
names another code for a used nonce | nonce parallel-nonce | * nonce_reuse -> code idempotency_conflict
stores no nonce | nonce parallel-nonce | = replacesUsedNonces
refuses a message while the same one is handled | parallel | POST /messages <- unless-busy 409 idempotency_conflict
refuses every message of several concurrent ones | parallel-nonce parallel | POST /messages <- unless-busy 500 internal_error
takes malformed keys | envelopes.keys | POST /messages invalid_envelope sent:'_public_key":"([*]|[^"]*==")' -> ${taken}
names another code for malformed envelopes | ${malformed} | * invalid_envelope -> code invalid_text
answers 422 to malformed envelopes | ${malformed} | POST /messages 400 -> 422
takes 15 bytes | envelopes.ciphertext-bounds | POST /messages <- map ciphertext from15
takes 16385 bytes | envelopes.ciphertext-bounds | POST /messages <- map ciphertext from16385
takes no 16384 bytes | envelopes.ciphertext-bounds | POST /messages <- map ciphertext from16384
takes no 16 bytes | envelopes.ciphertext-bounds | POST /messages <- map ciphertext from16
takes the first 24 bytes of a nonce | envelopes.nonce-bytes | POST /messages <- map nonce first24
ignores malformed characters of base64 | envelopes.base64 | POST /messages <- map nonce letters & POST /messages <- map ciphertext letters
takes other encryption for box-v1 | envelopes.version | POST /messages <- map encryption_version known
names another code for other encryption | envelopes.version | * unsupported_encryption -> code invalid_envelope
takes an envelope without its version | envelopes.members | POST /messages <- default encryption_version "box-v1"
takes an envelope without a nonce | envelopes.members | POST /messages token sent:'^(?!.*"nonce")' <- ${taken}
takes an envelope without an id | envelopes.members | POST /messages token sent:'^(?!.*"client_message_id")' <- ${taken}
takes plain text | envelopes.plain-text | POST /messages token sent:'^(?!.*"ciphertext")' <- ${taken}
keeps the text beside an envelope | envelopes.plain-text | = keepsText
takes malformed ids | envelopes.ids | POST /messages invalid_id -> ${taken}
answers 422 to malformed ids | envelopes.ids | POST /messages 400 -> 422
takes messages from the sender of a request | envelopes.not-accepted blocked | POST /messages contact_not_accepted -> ${taken}
names another code without an accepted contact | envelopes.not-accepted blocked | * contact_not_accepted -> code forbidden
answers 404 without an accepted contact | envelopes.not-accepted | POST /messages 403 -> 404
hides the history after a block | history | after /block GET /messages?* 200 -> set messages []
finds no dialog after a block | history | after /block GET /messages?* -> 404 not_found
opens the history after a block | history | after /block GET /messages?* 200 -> set messages[].text "Before the block."
`,
  {
    shortened: (text: string) => text.slice(0, -4),
    unpadded: (text: string) => text.replace(/=+$/, ''),
    urlBase64: (text: string) => text.replaceAll('/', '_'),
    repeatsLast: (messages: readonly unknown[]) =>
      messages.length === 100 ? [...messages, ...messages.slice(-1)] : messages,
    withoutFirst: (messages: readonly unknown[]) => messages.slice(1),
    twice: (messages: readonly unknown[]) => messages.flatMap((one) => [one, one]),
    from15: resizes(15, 16),
    from16385: resizes(16_385, 16_384),
    from16384: resizes(16_384, 16_385),
    from16: resizes(16, 15),
    first24: (nonce: unknown) => resized(nonce, 24),
    letters: (text: unknown) => (typeof text === 'string' ? text.replaceAll('*', 'A') : text),
    known: (version: unknown) => (version === undefined ? undefined : 'box-v1'),
  },
  { fadesAway, showsOwn, showsLast, keepsText, replacesUsedNonces, keepsCiphertext },
);

/** Serves each message to each agent once as it is, and cut from then on. */
function fadesAway(): Fault {
  const read = new Set<string>();
  return {
    onReply: (passing, sent) => {
      if (!isAbout(sent, 'GET /api/v1/messages*')) return passing;
      const cut = items('messages', (messages) =>
        messages.map((message) => {
          const key = `${tokenOf(sent)} ${message['nonce']}`;
          const isAgain = read.has(key);
          read.add(key);
          return isAgain ? { ...message, ciphertext: String(message['ciphertext']).slice(0, -4) } : message;
        }),
      );
      return withJson(passing, cut);
    },
  };
}

function showsOwn(): Fault {
  const senders = new Map<unknown, string>();
  return {
    onRequest: (sent) => {
      const token = tokenOf(sent);
      if (isAbout(sent, sending) && token !== undefined) senders.set(parse(sent.body)?.['nonce'], token);
      return sent;
    },
    onReply: (passing, sent) => {
      const isOwn = ({ nonce }: Changeable) => senders.get(nonce) === tokenOf(sent);
      return isDialog(sent)
        ? withJson(
            passing,
            items('messages', (messages) => messages.filter(isOwn)),
          )
        : passing;
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
  const noted = items('messages', (messages) => messages.map((message) => ({ ...message, note: text })));
  const stored = replyWhen(
    (_, sent) => isDialog(sent),
    (passing) => withJson(passing, noted),
  );
  const stripped = request(sending, (body) => {
    const { text: sent, ...rest } = body;
    text = sent ?? text;
    return 'nonce' in body ? rest : body;
  });
  return atOnce([stripped, stored]);
}

function keepsCiphertext(): Fault {
  const first = new Map<string, unknown>();
  return request(sending, (body) => {
    const key = `${body['client_message_id']} ${body['nonce']}`;
    if (!first.has(key)) first.set(key, body['ciphertext']);
    return { ...body, ciphertext: first.get(key) };
  });
}

function replacesUsedNonces(): Fault {
  const used = new Set<unknown>();
  return request(sending, ({ nonce, ...body }) => {
    const isUsed = used.has(nonce);
    used.add(nonce);
    return { ...body, nonce: isUsed ? randomBytes(24).toString('base64') : nonce };
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
