import { Box, generateKeyPair, type KeyPair } from '@agent-platform/sdk';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { openLiveWorld } from '../../world/live-world.ts';
import { seededRandom } from '../../world/random.ts';
import { boxV1Vector as vector } from './messages.ts';
import { decryptCiphertext, envelopeMembers, sealText } from './sealing.ts';

const run = { random: seededRandom('7'), world: openLiveWorld() };
const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));
const base64 = (value: Uint8Array) => Buffer.from(value).toString('base64');

beforeAll(async () => {
  await sodium.ready;
});

function agentWith(id: string, { publicKey, secretKey }: KeyPair): PoolAgent {
  return { id, handle: id, token: '', encryption_public_key: publicKey, encryption_private_key: secretKey };
}

function newAgent(id: string): PoolAgent {
  return agentWith(id, generateKeyPair());
}

describe('the test vector of box-v1', () => {
  const { nonce, text, ciphertext, senderPrivateKey, senderPublicKey, recipientPrivateKey, recipientPublicKey } =
    vector;

  it('matches what the SDK seals and opens', () => {
    const sender = { publicKey: senderPublicKey, secretKey: senderPrivateKey };
    const box = new Box(sender, { random: () => bytes(nonce) });
    const members = { encryption_version: 'box-v1', nonce, ciphertext };
    const ends = { sender_public_key: senderPublicKey, recipient_public_key: recipientPublicKey };
    expect(box.seal({ text, recipientPublicKey })).toEqual({ ...members, ...ends });
    const recipient = agentWith('2', { publicKey: recipientPublicKey, secretKey: recipientPrivateKey });
    expect(decryptCiphertext(run, recipient, { ...members, ...ends })).toBe(text);
  });

  it('matches what libsodium seals and opens', () => {
    const keys = [bytes(nonce), bytes(recipientPublicKey), bytes(senderPrivateKey)] as const;
    expect(base64(sodium.crypto_box_easy(Buffer.from(text), ...keys))).toBe(ciphertext);
    expect(base64(sodium.crypto_scalarmult_base(bytes(recipientPrivateKey)))).toBe(recipientPublicKey);
    const back = [bytes(nonce), bytes(senderPublicKey), bytes(recipientPrivateKey)] as const;
    expect(sodium.crypto_box_open_easy(bytes(ciphertext), ...back, 'text')).toBe(text);
  });
});

describe('an envelope of the suite', () => {
  it('has every member, and only its recipient can open it, also with libsodium', () => {
    const [alice, bob, third] = [newAgent('1'), newAgent('2'), newAgent('3')];
    const envelope = sealText(run, alice, bob, 'For you.');

    expect(Object.keys(envelope).toSorted()).toEqual([...envelopeMembers].toSorted());
    expect(decryptCiphertext(run, bob, envelope)).toBe('For you.');
    expect(decryptCiphertext(run, third, envelope)).toBeUndefined();
    const keys = [bytes(alice.encryption_public_key), bytes(bob.encryption_private_key)] as const;
    const opened = sodium.crypto_box_open_easy(bytes(envelope.ciphertext), bytes(envelope.nonce), ...keys, 'text');
    expect(opened).toBe('For you.');
  });

  it('cannot be opened if it was changed, which is not a fault of the suite', () => {
    const [alice, bob] = [newAgent('1'), newAgent('2')];
    const envelope = sealText(run, alice, bob, 'For you.');
    const lowOrder = Buffer.alloc(32).toString('base64');
    for (const change of [
      ...[{ nonce: base64(new Uint8Array(24)) }, { nonce: '' }, { nonce: '*' }],
      ...[{ ciphertext: '' }, { ciphertext: base64(new Uint8Array(40)) }, { sender_public_key: lowOrder }],
    ])
      expect(decryptCiphertext(run, bob, { ...envelope, ...change }), JSON.stringify(change)).toBeUndefined();
  });

  it('has a new nonce each time', () => {
    const [alice, bob] = [newAgent('1'), newAgent('2')];
    expect(sealText(run, alice, bob, 'Twice.').nonce).not.toBe(sealText(run, alice, bob, 'Twice.').nonce);
  });
});
