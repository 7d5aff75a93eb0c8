import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeRequestJson, isAbout, withJson } from '../../faults.ts';
import { rememberAgents } from '../../memories.ts';
import type { Fault } from '../../passing.ts';

// Faults in sending messages: envelopes and repeats.

const sending = 'POST /api/v1/messages';

const table = `
takes 16385 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = cuts ciphertext
takes 15 bytes of ciphertext | ciphertext: 16 to 16384 bytes | = fills ciphertext
takes an envelope with an old key of the recipient | key_changed | = right recipient key
`;

const sized = (member: string, change: (bytes: Buffer) => Buffer): Fault =>
  changeRequestJson(sending, (body) => {
    const value = body[member];
    return typeof value === 'string'
      ? { ...body, [member]: change(Buffer.from(value, 'base64')).toString('base64') }
      : body;
  });
const filled = (size: number) => (bytes: Buffer) =>
  bytes.length === size - 1 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes;
const cut = (size: number) => (bytes: Buffer) => (bytes.length === size + 1 ? bytes.subarray(0, size) : bytes);

export default parseCatalogueTable(table, {
  faults: {
    'cuts ciphertext': sized('ciphertext', cut(16_384)),
    'fills ciphertext': sized('ciphertext', filled(16)),
    'right recipient key': sendsToCurrentKeys,
  },
});

/** Replaces the recipient's public key in every envelope by the registered one. */
function sendsToCurrentKeys(): Fault {
  const { note, all } = rememberAgents();
  return {
    onRequest: (sent) =>
      isAbout(sent, sending)
        ? withJson(sent, (body) => {
            const recipient = all().find(({ id }) => id === body['recipient_id']);
            return {
              ...body,
              recipient_public_key: recipient?.['encryption_public_key'] ?? body['recipient_public_key'],
            };
          })
        : sent,
    onReply: (reply, sent) => {
      note(reply, sent);
      return reply;
    },
  };
}
