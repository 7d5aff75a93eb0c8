// Separate from the main entry point and without schemas: what sealing messages needs, even in a browser.
export {
  decodeBase64,
  encodeBase64,
  encodeHex,
  findEncodedKeyFault,
  findKeyFault,
  type KeyFault,
  type X25519,
} from './encryption-key.ts';
export { limits } from './limits.ts';
