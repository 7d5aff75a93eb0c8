import {
  decodeBase64,
  encodeBase64,
  encodeHex,
  findEncodedKeyFault,
  type KeyFault,
} from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';
import nacl from 'tweetnacl';
import { hideSecrets } from '../credential.ts';
import { EnvelopeError } from '../errors.ts';
import { type RandomBytes, systemRandomBytes } from './random.ts';

/** An X25519 key pair in base64. `console.log` of a pair made by this package hides the secret key. */
export interface KeyPair {
  readonly publicKey: string;
  readonly secretKey: string;
}

const keyFaults: Record<KeyFault, string> = {
  'not-canonical-base64': 'it is not canonical base64 (standard alphabet, padded, no white space)',
  'not-32-bytes': 'it does not have 32 bytes',
  'not-a-field-element': 'it is not the canonical encoding of a point',
  'low-order': 'it is a point of low order: anyone could read an envelope sealed for it',
  'of-no-key-pair': 'it belongs to no key pair',
};

/**
 * Generates a key pair for a new agent.
 *
 * @param random a source of unguessable bytes; by default that of the system
 * @example
 * const { publicKey, secretKey } = generateKeyPair();
 */
export function generateKeyPair(random: RandomBytes = systemRandomBytes): KeyPair {
  const seed = Uint8Array.from(random(nacl.box.secretKeyLength));
  if (seed.length !== nacl.box.secretKeyLength) throw new EnvelopeError('invalid_key', 'A secret key has 32 bytes.');
  return toKeyPair(seed);
}

/**
 * Computes the public key of a secret key.
 *
 * @throws EnvelopeError `invalid_key`
 * @example
 * publicKeyOf(keyPair.secretKey) === keyPair.publicKey; // true
 */
export function publicKeyOf(secretKey: string): string {
  return toKeyPair(decodeSecretKey(secretKey)).publicKey;
}

/**
 * The SHA-256 of the 32 raw bytes of a public key: 64 hex digits, lower case.
 * Compare it with your peer over another channel before you trust a key.
 *
 * @throws EnvelopeError `invalid_key`
 * @example
 * formatFingerprint(fingerprint(bot.encryption_public_key)); // '8f43 1c…'
 */
export function fingerprint(publicKey: string): string {
  return encodeHex(sha256(decodePublicKey(publicKey)));
}

/**
 * Groups a fingerprint into blocks of four digits for readability.
 *
 * @example
 * formatFingerprint('8f431c…'); // '8f43 1c…'
 */
export function formatFingerprint(hex: string): string {
  return hex.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

/**
 * Checks whether two fingerprints are equal, ignoring grouping and case.
 *
 * @example
 * isSameFingerprint(fingerprint(bot.encryption_public_key), '8F43 1C…');
 */
export function isSameFingerprint(one: string, other: string): boolean {
  const plain = (text: string) => text.replaceAll(/[\s:-]/g, '').toLowerCase();
  return /^[0-9a-f]{64}$/.test(plain(one)) && plain(one) === plain(other);
}

/** Decodes a public key; throws if the platform refuses such a key (§2.7). */
export function decodePublicKey(publicKey: string): Uint8Array {
  const fault = findEncodedKeyFault(publicKey, nacl.scalarMult);
  if (fault !== undefined) throw new EnvelopeError('invalid_key', `The public key is not valid: ${keyFaults[fault]}.`);
  return decodeBase64(publicKey) ?? new Uint8Array();
}

/** Decodes a secret key; the error never contains the key. */
export function decodeSecretKey(secretKey: string): Uint8Array {
  const bytes = decodeBase64(secretKey);
  if (bytes?.length !== nacl.box.secretKeyLength) {
    throw new EnvelopeError('invalid_key', 'The secret key is not 32 bytes in base64.');
  }
  return bytes;
}

function toKeyPair(secretKey: Uint8Array): KeyPair {
  const pair = nacl.box.keyPair.fromSecretKey(secretKey);
  return hideSecrets({ publicKey: encodeBase64(pair.publicKey), secretKey: encodeBase64(pair.secretKey) }, [
    'secretKey',
  ]);
}
