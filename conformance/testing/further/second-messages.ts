import { type Changeable, idIn, isAbout, parse, refusal, request, requestWhen, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import type { Fault, PassingRequest } from '../passing.ts';

// Sending messages: envelopes and repeats.

const sending = 'POST /api/v1/messages';

const table = `
takes 16385 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = cuts ciphertext
refuses 16384 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = refuses the longest ciphertext
counts the characters of a ciphertext | ciphertext: 16 to 16384 bytes, base64 | = counts characters
takes 15 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = fills ciphertext
refuses 16 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = refuses the shortest ciphertext
takes a nonce of 25 bytes | nonce: 24 bytes | = cuts nonces
takes a nonce of 23 bytes | nonce: 24 bytes | = fills nonces
takes a nonce in hexadecimal | nonce: base64 | POST /messages <- map nonce fromHex
takes any version of encryption | other versions give unsupported_encryption | POST /messages <- set encryption_version "box-v1"
takes versions that begin with box-v1 | other versions give unsupported_encryption | POST /messages <- replace '"box-v1[^"]+"' '"box-v1"'
takes the version box-v2 | other versions give unsupported_encryption | POST /messages <- change encryption_version "box-v2" "box-v1"
takes the version in capitals | other versions give unsupported_encryption | POST /messages <- replace '"BOX-V1"' '"box-v1"'
takes an envelope without its version | Message envelope: encryption_version | POST /messages <- default encryption_version "box-v1"
takes an envelope without client_message_id | Message envelope: client_message_id | POST /messages <- default client_message_id uuid
takes any text as client_message_id | client_message_id is a UUID | POST /messages <- map client_message_id anyId
takes an envelope without the key of the sender | Message envelope: sender_public_key | = own sender key where none
takes an envelope with a foreign key of the sender | key_changed | = own sender key
takes an envelope with an old key of the recipient | key_changed | = right recipient key
answers a new message with 200 | POST /messages: 201 new | POST /messages 201 -> 200
answers a repeat with 201 | POST /messages: 200 idempotent repeat | POST /messages 200 -> 201
repeats a message once | POST /messages: idempotent repeat | = repeats once
ignores a changed <nonce ciphertext> of a repeat | idempotency_conflict: same id, changed content | = ignores <>
sends a changed repeat as a new message | idempotency_conflict: same id, changed content | = renews ids
answers a changed repeat with nonce_reuse | idempotency_conflict: same id, changed content | POST /messages idempotency_conflict -> code nonce_reuse
answers a used nonce with 400 | nonce_reuse is 409 | POST /messages 409 nonce_reuse -> 400
sends two messages of two requests at once | client_message_id is the idempotency key | = sends both at once
tells strangers that a message is not found | contact_not_accepted is 403 | POST /messages 403 contact_not_accepted -> 404 not_found
`;

const sized = (member: string, change: (bytes: Buffer) => Buffer): Fault =>
  request(sending, (body) => {
    const value = body[member];
    return typeof value === 'string'
      ? { ...body, [member]: change(Buffer.from(value, 'base64')).toString('base64') }
      : body;
  });

const refusesSize = (isRefused: (ciphertext: string) => boolean): Fault =>
  requestWhen(
    (sent) => isAbout(sent, sending) && isRefused(`${parse(sent.body)?.['ciphertext']}`),
    () => refusal(400, 'invalid_envelope'),
  );

const bytesOf = (ciphertext: string) => Buffer.from(ciphertext, 'base64').length;
const filled = (size: number) => (bytes: Buffer) =>
  bytes.length === size - 1 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes;
const cut = (size: number) => (bytes: Buffer) => (bytes.length === size + 1 ? bytes.subarray(0, size) : bytes);
const fromHex = (text: unknown) =>
  /^(?:[0-9a-f]{2})+$/i.test(`${text}`) ? Buffer.from(`${text}`, 'hex').toString('base64') : text;

export default furtherMutants(table, {
  values: {
    fromHex,
    anyId: (text: unknown) => (idIn(`${text}`) === text ? text : crypto.randomUUID()),
  },
  faults: {
    'cuts ciphertext': sized('ciphertext', cut(16_384)),
    'refuses the longest ciphertext': refusesSize((text) => bytesOf(text) === 16_384),
    'counts characters': refusesSize((text) => text.length > 16_384),
    'fills ciphertext': sized('ciphertext', filled(16)),
    'refuses the shortest ciphertext': refusesSize((text) => bytesOf(text) === 16),
    'cuts nonces': sized('nonce', cut(24)),
    'fills nonces': sized('nonce', filled(24)),
    'own sender key where none': knowsKeys((body, keys) => ({ sender_public_key: keys.own, ...body })),
    'own sender key': knowsKeys((body, keys) => ({
      ...body,
      sender_public_key: keys.own ?? body['sender_public_key'],
    })),
    'right recipient key': knowsKeys((body, keys) => ({
      ...body,
      recipient_public_key: keys.of(body['recipient_id']) ?? body['recipient_public_key'],
    })),
    'repeats once': repeatsOnce,
    'ignores nonce': likeFirst((body, first) => ({ ...body, nonce: first['nonce'] })),
    'ignores ciphertext': likeFirst((body, first) => ({ ...body, ciphertext: first['ciphertext'] })),
    'renews ids': likeFirst((body, first) =>
      JSON.stringify(body) === JSON.stringify(first) ? body : { ...body, client_message_id: crypto.randomUUID() },
    ),
    'sends both at once': sendsBothAtOnce,
  },
});

interface Keys {
  readonly own: unknown;
  readonly of: (agentId: unknown) => unknown;
}

/** Knows the keys of registrations. */
function knowsKeys(change: (body: Changeable, keys: Keys) => Changeable): () => Fault {
  return () => {
    const keys = new Map<unknown, unknown>();
    const changed = (sent: PassingRequest) =>
      withJson(sent, (body) => change(body, { own: keys.get(tokenOf(sent)), of: (id) => keys.get(id) }));
    return {
      onRequest: (sent) => (isAbout(sent, sending) ? changed(sent) : sent),
      onReply: (passing, sent) => {
        const { bot, token } = sent.path.endsWith('/register') ? (parse(passing.body) ?? {}) : {};
        const { id, encryption_public_key } = (bot ?? {}) as Changeable;
        if (id !== undefined) keys.set(id, encryption_public_key).set(token, encryption_public_key);
        return passing;
      },
    };
  };
}

const keyOf = (sent: PassingRequest) => `${tokenOf(sent)} ${parse(sent.body)?.['client_message_id']}`;

/** Makes of a repeat what the first message under its id makes of it. */
function likeFirst(change: (body: Changeable, first: Changeable) => Changeable): () => Fault {
  return () => {
    const sent = new Map<string, Changeable>();
    return {
      onRequest: (passing) => {
        const first = isAbout(passing, sending) ? sent.get(keyOf(passing)) : undefined;
        return first === undefined ? passing : withJson(passing, (body) => change(body, first));
      },
      onReply: (passing, request) => {
        const body = isAbout(request, sending) && passing.status === 201 ? parse(request.body) : undefined;
        if (body !== undefined) sent.set(keyOf(request), body);
        return passing;
      },
    };
  };
}

function repeatsOnce(): Fault {
  const repeats = new Map<string, number>();
  return {
    onReply: (passing, sent) => {
      if (!isAbout(sent, sending) || passing.status !== 200) return passing;
      const count = repeats.get(keyOf(sent)) ?? 0;
      repeats.set(keyOf(sent), count + 1);
      return count === 0 ? passing : refusal(409, 'idempotency_conflict');
    },
  };
}

/** Gives the second of two requests at once another id. */
function sendsBothAtOnce(): Fault {
  const running = new Map<string, number>();
  const count = (sent: PassingRequest, by: number) => running.set(keyOf(sent), (running.get(keyOf(sent)) ?? 0) + by);
  return {
    onRequest: (sent) => {
      if (!isAbout(sent, sending)) return sent;
      count(sent, 1);
      if (running.get(keyOf(sent)) === 1) return sent;
      return withJson(sent, (body) => ({ ...body, client_message_id: crypto.randomUUID() }));
    },
    onReply: (passing, sent) => {
      if (isAbout(sent, sending)) count(sent, -1);
      return passing;
    },
  };
}
