import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../context/http/http-client.ts';
import type { JsonObject } from '../../context/json.ts';
import { expectEnvelope, findPositions, messageIds } from './messaging.ts';
import type { Envelope } from './sealing.ts';

const id = (digit: number) => `01a1fdfe-a3da-71f8-80aa-a1c60dcc317${digit}`;
const envelope = {
  recipient_id: id(1),
  client_message_id: id(2),
  nonce: 'n',
  ciphertext: 'c',
  encryption_version: 'box-v1',
  sender_public_key: 's',
  recipient_public_key: 'r',
} satisfies Envelope;

function answered(...messages: readonly JsonObject[]): Exchange {
  const json = { whatever: messages, next: null };
  const asked = { method: 'GET', path: '/api/v1/messages', headers: {}, body: '' };
  return { request: asked, status: 200, headers: {}, text: JSON.stringify(json), bytes: Buffer.alloc(0), json };
}

describe('a message of a dialog', () => {
  it('is found by its ciphertext, also in a nested envelope', () => {
    const dialog = answered({ id: id(3) }, envelope, { id: id(4), envelope });

    expect(findPositions(dialog, envelope)).toEqual([1, 2]);
    expect(expectEnvelope(answered({ id: id(4), envelope }), envelope)).toEqual(envelope);
  });

  it('must occur exactly once and as sent, with ids in any letter case', () => {
    const capital = { ...envelope, recipient_id: id(1).toUpperCase() };
    expect(expectEnvelope(answered(capital), envelope)).toEqual(capital);
    expect(() => expectEnvelope(answered(), envelope)).toThrow('does not contain the message');
    expect(() => expectEnvelope(answered(envelope, envelope), envelope)).toThrow('2 times');
    expect(() => expectEnvelope(answered({ ...envelope, nonce: 'N' }), envelope)).toThrow(
      '"nonce" differs from the sent value',
    );
  });

  it('has an id in a member of any name, which is neither the id of an agent nor the client_message_id', () => {
    const sent = (digit: number, sender: number, recipient: number) => ({
      recipient_id: id(recipient),
      sender_id: id(sender),
      client_message_id: id(digit + 2),
      dialog: id(9),
      number: id(digit),
    });
    expect(messageIds(answered(sent(3, 1, 2), sent(4, 2, 1)))).toEqual([id(3), id(4)]);
    expect(messageIds(answered({ ...sent(3, 1, 2), id: id(7) }, { ...sent(4, 1, 2), id: id(8) }))).toEqual([
      id(7),
      id(8),
    ]);
    expect(messageIds(answered())).toEqual([]);
    expect(() => messageIds(answered(envelope, envelope))).toThrow('no UUID distinguishes the messages');
  });
});
