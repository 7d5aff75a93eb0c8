import { limits } from './limits.ts';

/** X25519 (RFC 7748), which clamps the scalar; inputs and output have 32 bytes. */
export type X25519 = (scalar: Uint8Array, point: Uint8Array) => Uint8Array;

/** Why a public key is invalid. */
export type KeyFault = 'not-canonical-base64' | 'not-32-bytes' | 'not-a-field-element' | 'low-order' | 'of-no-key-pair';

/** Decodes canonical base64: standard alphabet, padded, no white space or stray bits (§1.21); otherwise undefined. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = decodeForgivingly(text);
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}

// Browsers lack `Buffer`, which for a message of 15 kB is fifty times faster than `btoa` and `atob`.
const buffers: typeof Buffer | undefined = globalThis.Buffer;

/** Encodes bytes as canonical base64. */
export function encodeBase64(bytes: Uint8Array): string {
  if (buffers !== undefined) return buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  let text = '';
  // Converts chunks, because a function call accepts only a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function decodeForgivingly(text: string): Uint8Array | undefined {
  if (buffers !== undefined) return new Uint8Array(buffers.from(text, 'base64'));
  try {
    const decoded = atob(text);
    const bytes = new Uint8Array(decoded.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}

/** Writes bytes as lower-case hex digits. */
export function encodeHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// A multiple of 8 that is -1 modulo the order of the base point: X25519 with this scalar returns a key unchanged if and
// only if a key pair can have it.
const identityScalar = decodeForgivingly('oCPN0IPvW7gvENYuWeFaaAAAAAAAAAAAAAAAAAAAAFA=') ?? new Uint8Array();

/**
 * Validates an X25519 public key (§2.7): 32 bytes, the canonical encoding of a field element (below 2^255 - 19, top bit
 * clear), and a point that a key pair can have. With a point of low order the secret is all zeros (RFC 7748), so anyone
 * could read the envelopes. A key plus such a point is refused too, because it has the same shared secrets as the key.
 */
export function findKeyFault(key: Uint8Array, x25519: X25519): KeyFault | undefined {
  if (key.length !== limits.publicKeyBytes) return 'not-32-bytes';
  if (!isCanonicalFieldElement(key)) return 'not-a-field-element';
  const same = x25519(identityScalar, key);
  if (same.every((byte) => byte === 0)) return 'low-order';
  return same.every((byte, at) => byte === key[at]) ? undefined : 'of-no-key-pair';
}

/** Like `findKeyFault`, for a public key in base64. */
export function findEncodedKeyFault(text: string, x25519: X25519): KeyFault | undefined {
  const key = decodeBase64(text);
  return key === undefined ? 'not-canonical-base64' : findKeyFault(key, x25519);
}

// The prime is 2^255 - 19: little-endian ed, then thirty ff, then 7f. A value is at least the prime only with 7f at
// the top, ff throughout the middle, and ed or more at the bottom.
function isCanonicalFieldElement(key: Uint8Array): boolean {
  const top = key[31] ?? 0xff;
  if (top < 0x7f) return true;
  if (top > 0x7f) return false;
  const middleIsFull = key.subarray(1, 31).every((byte) => byte === 0xff);
  return !(middleIsFull && (key[0] ?? 0xff) >= 0xed);
}
