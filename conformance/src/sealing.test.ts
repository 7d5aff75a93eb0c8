import sodium from 'libsodium-wrappers';
import nacl from 'tweetnacl';
import { beforeAll, describe, expect, it } from 'vitest';
import { boxV1Vector as vector } from './box-v1-vector.ts';
import type { PoolAgent } from './pool.ts';
import { newKeyPair } from './registrations.ts';
import { envelopeMembers, open, seal } from './sealing.ts';

const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));
const base64 = (value: Uint8Array) => Buffer.from(value).toString('base64');

beforeAll(async () => {
  await sodium.ready;
});

function newAgent(id: string): PoolAgent {
  const { publicKey, privateKey } = newKeyPair();
  return { id, handle: id, token: '', encryption_public_key: publicKey, encryption_private_key: privateKey };
}

describe('the known answer of box-v1', () => {
  const { nonce, text, ciphertext, senderPrivateKey, senderPublicKey, recipientPrivateKey, recipientPublicKey } =
    vector;

  it('is what tweetnacl seals and opens', () => {
    const sealed = nacl.box(Buffer.from(text), bytes(nonce), bytes(recipientPublicKey), bytes(senderPrivateKey));
    expect(base64(sealed)).toBe(ciphertext);
    expect(base64(nacl.box.keyPair.fromSecretKey(bytes(senderPrivateKey)).publicKey)).toBe(senderPublicKey);
    const opened = nacl.box.open(bytes(ciphertext), bytes(nonce), bytes(senderPublicKey), bytes(recipientPrivateKey));
    expect(Buffer.from(opened ?? []).toString()).toBe(text);
  });

  it('is what libsodium seals and opens', () => {
    const keys = [bytes(nonce), bytes(recipientPublicKey), bytes(senderPrivateKey)] as const;
    expect(base64(sodium.crypto_box_easy(Buffer.from(text), ...keys))).toBe(ciphertext);
    expect(base64(sodium.crypto_scalarmult_base(bytes(recipientPrivateKey)))).toBe(recipientPublicKey);
    const back = [bytes(nonce), bytes(senderPublicKey), bytes(recipientPrivateKey)] as const;
    expect(sodium.crypto_box_open_easy(bytes(ciphertext), ...back, 'text')).toBe(text);
  });
});

describe('an envelope of the suite', () => {
  it('has every member, opens for its recipient with libsodium too, and for nobody else', () => {
    const [one, other, third] = [newAgent('1'), newAgent('2'), newAgent('3')];
    const envelope = seal(one, other, 'For you.');

    expect(Object.keys(envelope).toSorted()).toEqual([...envelopeMembers].toSorted());
    expect(open(other, envelope)).toBe('For you.');
    expect(open(third, envelope)).toBeUndefined();
    const keys = [bytes(one.encryption_public_key), bytes(other.encryption_private_key)] as const;
    const opened = sodium.crypto_box_open_easy(bytes(envelope.ciphertext), bytes(envelope.nonce), ...keys, 'text');
    expect(opened).toBe('For you.');
  });

  it('has another nonce each time', () => {
    const [one, other] = [newAgent('1'), newAgent('2')];
    expect(seal(one, other, 'Twice.').nonce).not.toBe(seal(one, other, 'Twice.').nonce);
  });
});
