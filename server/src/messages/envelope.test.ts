import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  countBase64Bytes,
  encodeBase64,
  findCiphertextSizeFault,
  findEnvelopeKeyFault,
  findEnvelopeRepeatFault,
} from './envelope.ts';

const [ownKey, otherKey, thirdKey] = ['A', 'B', 'C'].map((letter) => `${letter.repeat(43)}=`) as [
  string,
  string,
  string,
];
const sent = {
  recipient_id: randomUUID(),
  client_message_id: randomUUID(),
  encryption_version: 'box-v1',
  nonce: randomBytes(24).toString('base64'),
  ciphertext: randomBytes(100).toString('base64'),
  sender_public_key: ownKey,
  recipient_public_key: otherKey,
} as const;
const bytesOf = (text: string) => Buffer.from(text, 'base64');
const kept = { ...sent, nonce: bytesOf(sent.nonce), ciphertext: bytesOf(sent.ciphertext) };

describe('base64', () => {
  it.each([0, 1, 2, 3, 15, 16, 17, 18, 16_384])('of %i bytes names their number', (size) => {
    const bytes = randomBytes(size);
    const text = encodeBase64(bytes);

    expect(text).toBe(bytes.toString('base64'));
    expect(countBase64Bytes(text)).toBe(size);
  });

  it('of a part of a larger buffer is that of the part', () => {
    const whole = new Uint8Array([1, 2, 3, 4, 5, 6]);
    expect(encodeBase64(whole.subarray(2, 4))).toBe(Buffer.from([3, 4]).toString('base64'));
  });
});

describe('the size of a ciphertext', () => {
  it.each([
    [15, 'invalid_envelope'],
    [16, undefined],
    [17, undefined],
    [16_383, undefined],
    [16_384, undefined],
    [16_385, 'invalid_envelope'],
    [16_386, 'invalid_envelope'],
  ])('of %i bytes is judged %s', (size, code) => {
    expect(findCiphertextSizeFault({ ciphertext: randomBytes(size).toString('base64') })?.code).toBe(code);
  });
});

describe('the keys of an envelope', () => {
  it.each([
    ['both as registered', ownKey, otherKey, undefined],
    ['the sender has another', thirdKey, otherKey, 'key_changed'],
    ['the recipient has another', ownKey, thirdKey, 'key_changed'],
    ['the two are exchanged', otherKey, ownKey, 'key_changed'],
  ])('when %s', (_name, sender, recipient, code) => {
    expect(findEnvelopeKeyFault(sent, sender, recipient)?.code).toBe(code);
  });
});

describe('an envelope under an id that was used before', () => {
  it('is the same one when every member is', () => {
    expect(findEnvelopeRepeatFault(kept, sent, false)).toBeUndefined();
  });

  it.each([
    ['recipient_id', { recipient_id: randomUUID() }],
    ['nonce', { nonce: randomBytes(24).toString('base64') }],
    ['ciphertext', { ciphertext: randomBytes(100).toString('base64') }],
    ['ciphertext, by one bit', { ciphertext: flipLastBit(sent.ciphertext) }],
    ['ciphertext, by its length', { ciphertext: encodeBase64(bytesOf(sent.ciphertext).subarray(1)) }],
    ['sender_public_key', { sender_public_key: thirdKey }],
    ['recipient_public_key', { recipient_public_key: thirdKey }],
  ])('is another one when it differs in %s', (_name, change) => {
    expect(findEnvelopeRepeatFault(kept, { ...sent, ...change }, false)?.code).toBe('idempotency_conflict');
  });

  it('has expired with its content, whatever is sent', () => {
    expect(findEnvelopeRepeatFault(kept, sent, true)?.code).toBe('message_expired');
    expect(findEnvelopeRepeatFault({ ...kept, ciphertext: null }, sent, false)?.code).toBe('message_expired');
    expect(
      findEnvelopeRepeatFault({ ...kept, ciphertext: null }, { ...sent, recipient_id: randomUUID() }, false)?.code,
    ).toBe('message_expired');
  });
});

function flipLastBit(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return bytes.toString('base64');
}
