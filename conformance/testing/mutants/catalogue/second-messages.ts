import { catalogueMutants } from '../../catalogue-mutants.ts';
import { type Changeable, isAbout, parse, request, tokenOf, withJson } from '../../faults.ts';
import type { Fault, PassingRequest } from '../../passing.ts';

// Sending messages: envelopes and repeats.

const sending = 'POST /api/v1/messages';

const table = `
takes 16385 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = cuts ciphertext
takes 15 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = fills ciphertext
takes an envelope without its version | Message envelope: encryption_version | POST /messages <- default encryption_version "box-v1"
takes an envelope with an old key of the recipient | key_changed | = right recipient key
answers a used nonce with 400 | nonce_reuse is 409 | POST /messages 409 nonce_reuse -> 400
tells strangers that a message is not found | contact_not_accepted is 403 | POST /messages 403 contact_not_accepted -> 404 not_found
`;

const sized = (member: string, change: (bytes: Buffer) => Buffer): Fault =>
  request(sending, (body) => {
    const value = body[member];
    return typeof value === 'string'
      ? { ...body, [member]: change(Buffer.from(value, 'base64')).toString('base64') }
      : body;
  });
const filled = (size: number) => (bytes: Buffer) =>
  bytes.length === size - 1 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes;
const cut = (size: number) => (bytes: Buffer) => (bytes.length === size + 1 ? bytes.subarray(0, size) : bytes);

export default catalogueMutants(table, {
  values: {},
  faults: {
    'cuts ciphertext': sized('ciphertext', cut(16_384)),
    'fills ciphertext': sized('ciphertext', filled(16)),
    'right recipient key': knowsKeys((body, keys) => ({
      ...body,
      recipient_public_key: keys.of(body['recipient_id']) ?? body['recipient_public_key'],
    })),
  },
});

interface Keys {
  readonly own: unknown;
  readonly of: (agentId: unknown) => unknown;
}

/** Tracks the keys of registrations. */
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
