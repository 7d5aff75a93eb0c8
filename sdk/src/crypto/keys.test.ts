import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { lowOrderKeys } from '../../testing/low-order-keys.ts';
import { EnvelopeError } from '../errors.ts';
import { fingerprint, formatFingerprint, generateKeyPair, publicKeyOf } from './keys.ts';

// The key pair of Alice in RFC 7748, section 6.1.
const alice = {
  secretKey: 'dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=',
  publicKey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
};

describe('a key pair', () => {
  it('has the public key that X25519 computes from the secret key', () => {
    expect(publicKeyOf(alice.secretKey)).toBe(alice.publicKey);
    expect({ ...generateKeyPair(() => Buffer.from(alice.secretKey, 'base64')) }).toEqual(alice);
  });

  it('is a new one each time', () => {
    expect(generateKeyPair().secretKey).not.toBe(generateKeyPair().secretKey);
  });

  it('does not contain its secret key when it is printed', () => {
    const pair = generateKeyPair();

    expect(inspect({ pair }, { depth: 9 })).not.toContain(pair.secretKey);
    expect(inspect({ pair }, { depth: 9 })).toContain(pair.publicKey);
  });

  it('is not generated from fewer than 32 random bytes', () => {
    expect(() => generateKeyPair(() => new Uint8Array(16))).toThrow(EnvelopeError);
  });

  it.each(['', 'c2hvcnQ=', `${alice.secretKey} `, 'x'.repeat(44)])(
    'has a secret key of 32 bytes, not "%s"',
    (secretKey) => {
      expect(() => publicKeyOf(secretKey)).toThrow(EnvelopeError);
      expect(() => publicKeyOf(secretKey)).not.toThrow(new RegExp(`"${secretKey}"`));
    },
  );
});

describe('a fingerprint', () => {
  it('is the SHA-256 of the 32 raw bytes', () => {
    expect(fingerprint(alice.publicKey)).toBe('300c9c9603b92a4b39ed3958bf9240114804db4fd373012c0ca47432d63425ae');
  });

  it('is grouped for readability', () => {
    expect(formatFingerprint('0123456789ab')).toBe('0123 4567 89ab');
    expect(formatFingerprint(fingerprint(alice.publicKey)).split(' ')).toHaveLength(16);
  });

  it.each(lowOrderKeys)('does not exist for a key that the platform refuses: %s', (key) => {
    expect(() => fingerprint(key)).toThrow(EnvelopeError);
  });
});
