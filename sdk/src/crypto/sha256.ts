import { encodeHex } from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';

/** The SHA-256 of a text in UTF-8, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return encodeHex(sha256(new TextEncoder().encode(text)));
}
