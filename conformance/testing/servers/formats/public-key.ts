import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';

const probe = generateKeyPairSync('x25519').privateKey;
const prefix = Buffer.from('302a300506032b656e032100', 'hex');
const fieldPrime = 2n ** 255n - 19n;

/** Decodes canonical base64; returns undefined for any other value. */
export function decodeBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Whether this is a valid X25519 public key in canonical base64. */
export function isPublicKey(text: unknown): text is string {
  const bytes = decodeBase64(text);
  if (bytes?.length !== 32) return false;
  if (BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) >= fieldPrime) return false;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'spki' });
    return diffieHellman({ privateKey: probe, publicKey }).some((byte) => byte !== 0);
  } catch {
    return false;
  }
}
