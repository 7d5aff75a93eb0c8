import { parseFaults } from '../fault-language.ts';
import {
  changeInnerList,
  changeRequestJson,
  changeSelectedReplies,
  combineFaults,
  isAbout,
  type MutableObject,
  parseJsonObject,
  tokenOf,
  withJson,
} from '../faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

const sending = 'POST /api/v1/messages';
const malformed = 'envelopes.ciphertext-bounds envelopes.nonce-bytes envelopes.base64';
const taken = '201 {"message":{}}';
const isDialog = (passing: ProxiedRequest) => isAbout(passing, 'GET /api/v1/messages?*');

export const messageMutants = parseFaults(
  'messages',
  `
answers repeats with 201 | repeats.late | POST /messages 200 -> 201
answers 200 to a new message | sealed opaque parallel | POST /messages 201 -> 200
answers 201 to a repeated message | repeat conflict parallel | POST /messages 200 -> 201
swaps the keys of a message | sealed | GET /messages?* 200 -> members sender_public_key=recipient_public_key recipient_public_key=sender_public_key
shows messages to their sender alone | sealed order | = showsOwn
reads box-v1 as another version | envelopes.version | GET /messages?* 200 -> replace '"box-v1"' '"box-v2"'
gives a message too many | pages | GET /messages?* 200 -> map messages repeatsLast
reads a dialog without a peer | peer | GET /messages <- 200 {"messages":[]}
finds nothing under a malformed peer | peer | GET /messages?* 400 -> 200 {"messages":[]}
shows a dialog to everybody | third | = showsLast
says that it took a nonce twice | nonce parallel-nonce | POST /messages nonce_reuse -> ${taken}
refuses a message while the same one is handled | parallel | POST /messages <- unless-busy 409 idempotency_conflict
refuses every message of several concurrent ones | parallel-nonce parallel | POST /messages <- unless-busy 500 internal_error
takes malformed keys | envelopes.keys | POST /messages invalid_envelope sent:'_public_key":"([*]|[^"]*==")' -> ${taken}
answers 422 to malformed envelopes | ${malformed} | POST /messages 400 -> 422
ignores malformed characters of base64 | envelopes.base64 | POST /messages <- map nonce letters & POST /messages <- map ciphertext letters
takes an envelope without its version | envelopes.members | POST /messages <- default encryption_version "box-v1"
takes an envelope without a nonce | envelopes.members | POST /messages token sent:'^(?!.*"nonce")' <- ${taken}
takes an envelope without an id | envelopes.members | POST /messages token sent:'^(?!.*"client_message_id")' <- ${taken}
takes plain text | envelopes.plain-text | POST /messages token sent:'^(?!.*"ciphertext")' <- ${taken}
keeps the text beside an envelope | envelopes.plain-text | = keepsText
answers 422 to malformed ids | envelopes.ids | POST /messages 400 -> 422
answers 404 without an accepted contact | envelopes.not-accepted | POST /messages 403 -> 404
finds no dialog after a block | history | after /block GET /messages?* -> 404 not_found
opens the history after a block | history | after /block GET /messages?* 200 -> set messages[].text "Before the block."
`,
  {
    repeatsLast: (messages: readonly unknown[]) =>
      messages.length === 100 ? [...messages, ...messages.slice(-1)] : messages,
    letters: (text: unknown) => (typeof text === 'string' ? text.replaceAll('*', 'A') : text),
  },
  { showsOwn, showsLast, keepsText },
);

function showsOwn(): Fault {
  const senders = new Map<unknown, string>();
  return {
    onRequest: (sent) => {
      const token = tokenOf(sent);
      if (isAbout(sent, sending) && token !== undefined) senders.set(parseJsonObject(sent.body)?.['nonce'], token);
      return sent;
    },
    onReply: (passing, sent) => {
      const isOwn = ({ nonce }: MutableObject) => senders.get(nonce) === tokenOf(sent);
      return isDialog(sent)
        ? withJson(
            passing,
            changeInnerList('messages', (messages) => messages.filter(isOwn)),
          )
        : passing;
    },
  };
}

function showsLast(): Fault {
  let last: ProxiedReply | undefined;
  return changeSelectedReplies(
    (_, sent) => isDialog(sent),
    (passing) => {
      if (passing.body.includes('"ciphertext"')) last = passing;
      return last ?? passing;
    },
  );
}

function keepsText(): Fault {
  let text: unknown;
  const noted = changeInnerList('messages', (messages) => messages.map((message) => ({ ...message, note: text })));
  const stored = changeSelectedReplies(
    (_, sent) => isDialog(sent),
    (passing) => withJson(passing, noted),
  );
  const stripped = changeRequestJson(sending, (body) => {
    const { text: sent, ...rest } = body;
    text = sent ?? text;
    return 'nonce' in body ? rest : body;
  });
  return combineFaults([stripped, stored]);
}
