import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, it } from 'vitest';
import vectors from '../../testing/box-vectors.json' with { type: 'json' };
import { makeBoxVectors } from '../../testing/box-vectors.ts';
import { lowOrderKeys, nonCanonicalKeys } from '../../testing/low-order-keys.ts';
import { EnvelopeError } from '../errors.ts';
import { Box, type Envelope, open, type SealedMessage, seal } from './box.ts';
import { generateKeyPair } from './keys.ts';

const alice = generateKeyPair();
const bob = generateKeyPair();
const eve = generateKeyPair();

function toBytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof EnvelopeError ? error.code : `not an EnvelopeError: ${error}`;
  }
  return 'nothing was thrown';
}

describe('the test vectors of libsodium', () => {
  it('are those that the script computes', async () => {
    expect(vectors).toEqual(await makeBoxVectors());
  });

  it.each(vectors)('are opened by the recipient and by the sender: $name', (vector) => {
    const envelope: SealedMessage = { ...vector, encryption_version: 'box-v1' };
    const recipient = { publicKey: vector.recipient_public_key, secretKey: vector.recipient_secret_key };
    const sender = { publicKey: vector.sender_public_key, secretKey: vector.sender_secret_key };

    expect(Buffer.from(open(envelope, recipient).bytes).toString('base64')).toBe(vector.plaintext);
    expect(Buffer.from(open(envelope, sender).bytes).toString('base64')).toBe(vector.plaintext);
  });

  it.each(vectors.filter(({ plaintext }) => toBytes(plaintext).length <= 15_000))(
    'are sealed to the same envelopes: $name',
    (vector) => {
      const sender = { publicKey: vector.sender_public_key, secretKey: vector.sender_secret_key };
      const box = new Box(sender, { random: () => toBytes(vector.nonce) });

      const envelope = box.seal({ bytes: toBytes(vector.plaintext), recipientPublicKey: vector.recipient_public_key });

      expect(envelope).toEqual({
        encryption_version: 'box-v1',
        nonce: vector.nonce,
        ciphertext: vector.ciphertext,
        sender_public_key: vector.sender_public_key,
        recipient_public_key: vector.recipient_public_key,
      });
    },
  );
});

describe('compared with libsodium at run time', () => {
  beforeAll(() => sodium.ready);

  it('libsodium opens what this package seals', () => {
    for (let round = 0; round < 50; round += 1) {
      const plaintext = randomBytes(round * 7);
      const envelope = seal({ bytes: plaintext, recipientPublicKey: bob.publicKey, keyPair: alice });

      const opened = sodium.crypto_box_open_easy(
        toBytes(envelope.ciphertext),
        toBytes(envelope.nonce),
        toBytes(alice.publicKey),
        toBytes(bob.secretKey),
      );

      expect(Buffer.from(opened).equals(plaintext)).toBe(true);
    }
  });

  it('this package opens what libsodium seals', () => {
    for (let round = 0; round < 50; round += 1) {
      const plaintext = randomBytes(round * 7);
      const nonce = randomBytes(24);
      const ciphertext = sodium.crypto_box_easy(plaintext, nonce, toBytes(bob.publicKey), toBytes(alice.secretKey));

      const { bytes } = open(envelopeOf(nonce, ciphertext), bob);

      expect(plaintext.equals(bytes)).toBe(true);
    }
  });

  it('libsodium computes the same public key from a secret key', () => {
    expect(Buffer.from(sodium.crypto_scalarmult_base(toBytes(alice.secretKey))).toString('base64')).toBe(
      alice.publicKey,
    );
  });
});

function envelopeOf(nonce: Uint8Array, ciphertext: Uint8Array): Envelope {
  return {
    encryption_version: 'box-v1',
    nonce: Buffer.from(nonce).toString('base64'),
    ciphertext: Buffer.from(ciphertext).toString('base64'),
    sender_public_key: alice.publicKey,
    recipient_public_key: bob.publicKey,
  };
}

describe('an envelope', () => {
  const envelope = seal({ text: 'Grüße 👋', recipientPublicKey: bob.publicKey, keyPair: alice });

  it('can be opened by both parties', () => {
    expect(open(envelope, bob).text).toBe('Grüße 👋');
    expect(open(envelope, alice).text).toBe('Grüße 👋');
  });

  it('cannot be opened with other keys', () => {
    expect(codeOf(() => open(envelope, eve))).toBe('wrong_recipient');
    expect(codeOf(() => open({ ...envelope, recipient_public_key: eve.publicKey }, eve))).toBe('cannot_open');
  });

  it('uses a new nonce each time', () => {
    const again = seal({ text: 'Grüße 👋', recipientPublicKey: bob.publicKey, keyPair: alice });

    expect(again.nonce).not.toBe(envelope.nonce);
    expect(again.ciphertext).not.toBe(envelope.ciphertext);
  });

  it('is refused when any bit of its ciphertext or nonce was changed', () => {
    for (const member of ['ciphertext', 'nonce'] as const) {
      for (let index = 0; index < toBytes(envelope[member]).length; index += 1) {
        const bytes = toBytes(envelope[member]);
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        const changed = { ...envelope, [member]: Buffer.from(bytes).toString('base64') };
        expect(codeOf(() => open(changed, bob))).toBe('cannot_open');
      }
    }
  });

  it('is refused when a key in it was exchanged', () => {
    expect(codeOf(() => open({ ...envelope, sender_public_key: eve.publicKey }, bob))).toBe('cannot_open');
  });

  it.each([
    ['nonce', 'not base64!'],
    ['nonce', Buffer.alloc(23).toString('base64')],
    ['nonce', Buffer.alloc(25).toString('base64')],
    ['nonce', ''],
    ['ciphertext', Buffer.alloc(15).toString('base64')],
    ['ciphertext', Buffer.alloc(16_385).toString('base64')],
    ['ciphertext', `${Buffer.alloc(32).toString('base64')}\n`],
  ])('is refused when its %s is malformed: %s', (member, value) => {
    expect(codeOf(() => open({ ...envelope, [member]: value }, bob))).toBe('malformed_envelope');
  });

  it('is refused when it is of another version', () => {
    expect(codeOf(() => open({ ...envelope, encryption_version: 'box-v2' }, bob))).toBe('unsupported_version');
  });

  it('may contain bytes that are not text', () => {
    const binary = seal({ bytes: Uint8Array.of(0xff, 0xfe), recipientPublicKey: bob.publicKey, keyPair: alice });

    expect(open(binary, bob)).toEqual({ bytes: Uint8Array.of(0xff, 0xfe), text: null });
  });

  it('keeps a text exactly, byte order mark and zero included', () => {
    const text = '\uFEFFa\u0000b\r\n';

    expect(open(seal({ text, recipientPublicKey: bob.publicKey, keyPair: alice }), bob).text).toBe(text);
  });

  it('may be sealed for oneself, and may be empty', () => {
    expect(open(seal({ text: '', recipientPublicKey: alice.publicKey, keyPair: alice }), alice).text).toBe('');
  });
});

describe('a text to be sealed', () => {
  const sealed = (text: string) => codeOf(() => seal({ text, recipientPublicKey: bob.publicKey, keyPair: alice }));

  it('has at most 8,000 characters, counted as code points', () => {
    expect(sealed('x'.repeat(8_000))).toBe('nothing was thrown');
    expect(sealed('x'.repeat(8_001))).toBe('plaintext_too_long');
    expect(sealed('👋'.repeat(3_750))).toBe('nothing was thrown');
  });

  it('has at most 15,000 bytes', () => {
    expect(sealed('€'.repeat(5_000))).toBe('nothing was thrown');
    expect(sealed('€'.repeat(5_001))).toBe('plaintext_too_long');
    expect(
      codeOf(() => seal({ bytes: new Uint8Array(15_001), recipientPublicKey: bob.publicKey, keyPair: alice })),
    ).toBe('plaintext_too_long');
  });

  it('has no lone surrogate, which would arrive as another text', () => {
    expect(sealed('\ud83d')).toBe('invalid_text');
  });
});

describe('a key that the platform refuses', () => {
  it.each([...lowOrderKeys, ...nonCanonicalKeys, '', 'AAAA', `${bob.publicKey}=`])(
    'seals nothing and opens nothing: %s',
    (key) => {
      expect(codeOf(() => seal({ text: 'a', recipientPublicKey: key, keyPair: alice }))).toBe('invalid_key');
      const forged = envelopeOf(new Uint8Array(24), new Uint8Array(32));
      expect(codeOf(() => open({ ...forged, sender_public_key: key }, bob))).toBe('invalid_key');
    },
  );

  it('is each of the fourteen with which libsodium refuses a key agreement', async () => {
    await sodium.ready;

    expect(lowOrderKeys).toHaveLength(14);
    for (const key of lowOrderKeys) {
      expect(() => sodium.crypto_box_beforenm(toBytes(key), toBytes(alice.secretKey))).toThrow();
    }
  });

  it('is a public key that does not belong to the secret key', () => {
    expect(codeOf(() => new Box({ publicKey: bob.publicKey, secretKey: alice.secretKey }))).toBe('invalid_key');
  });
});

describe('a box', () => {
  it('caches at most the configured number of shared secrets', () => {
    const box = new Box(alice, { maxPeers: 2 });
    const [one, two, three] = [generateKeyPair(), generateKeyPair(), generateKeyPair()];

    for (const peer of [one, two, three, one]) {
      const envelope = box.seal({ text: 'hello', recipientPublicKey: peer.publicKey });
      expect(open(envelope, peer).text).toBe('hello');
    }

    expect(box.peers).toBe(2);
  });

  it('performs one key agreement for each peer', () => {
    const box = new Box(alice);
    const time = (work: () => void) => {
      const before = process.threadCpuUsage();
      for (let round = 0; round < 40; round += 1) work();
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    const message = { text: 'hello', recipientPublicKey: bob.publicKey };
    box.seal(message);

    const kept = time(() => box.seal(message));
    const fresh = time(() => new Box(alice).seal(message));

    expect(kept * 3).toBeLessThan(fresh);
  });

  it('does not show its secrets when it is printed', () => {
    const box = new Box(alice);
    box.seal({ text: 'hello', recipientPublicKey: bob.publicKey });

    expect(inspect(box, { showHidden: true, depth: 9 })).not.toMatch(/Uint8Array|secret/i);
    expect(JSON.stringify(box)).toBe(JSON.stringify({ publicKey: alice.publicKey }));
  });
});
