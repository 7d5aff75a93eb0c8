import { encodeHex } from '@agent-platform/contract/keys';
import { sha256 } from '@noble/hashes/sha2.js';

export function sha256Hex(text: string): string {
  return encodeHex(sha256(new TextEncoder().encode(text)));
}
