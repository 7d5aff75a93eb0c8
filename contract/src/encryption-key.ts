import { limits } from './limits.ts';

/**
 * The points of small order on Curve25519, each in its one canonical encoding
 * (RFC 7748, little-endian hex). A Diffie-Hellman with any of them yields the
 * all-zero secret, so an envelope to such a key would be readable by everybody.
 */
const lowOrderPoints: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** What is wrong with a public key, or nothing. */
export type KeyFault = 'not-canonical-base64' | 'not-32-bytes' | 'not-a-field-element' | 'low-order';

/**
 * Decodes base64 of the one canonical form: standard alphabet, padded, no white
 * space, no stray bits (D-23). Undefined for anything else.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = decodeForgivingly(text);
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}

// Fifty times faster than `btoa` and `atob` on a message of 15 kB; browsers lack it.
const buffers: typeof Buffer | undefined = globalThis.Buffer;

/** Encodes bytes as canonical base64. */
export function encodeBase64(bytes: Uint8Array): string {
  if (buffers !== undefined) return buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  let text = '';
  // A call takes only so many arguments.
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

/**
 * Judges an X25519 public key (D-24): 32 bytes, the canonical encoding of a
 * field element (below 2^255 - 19, top bit clear) and not of low order.
 */
export function findKeyFault(key: Uint8Array): KeyFault | undefined {
  if (key.length !== limits.publicKeyBytes) return 'not-32-bytes';
  if (!isCanonicalFieldElement(key)) return 'not-a-field-element';
  return lowOrderPoints.has(encodeHex(key)) ? 'low-order' : undefined;
}

/** The same for a key as it travels: base64 text. */
export function findEncodedKeyFault(text: string): KeyFault | undefined {
  const key = decodeBase64(text);
  return key === undefined ? 'not-canonical-base64' : findKeyFault(key);
}

// The prime is 2^255 - 19: little-endian ed, then thirty ff, then 7f. A value
// reaches it only with 7f on top, ff in all of the middle and ed or more below.
function isCanonicalFieldElement(key: Uint8Array): boolean {
  const top = key[31] ?? 0xff;
  if (top < 0x7f) return true;
  if (top > 0x7f) return false;
  const middleIsFull = key.subarray(1, 31).every((byte) => byte === 0xff);
  return !(middleIsFull && (key[0] ?? 0xff) >= 0xed);
}
