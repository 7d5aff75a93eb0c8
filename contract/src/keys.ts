// A separate entry point without schemas: everything needed to seal messages, even in a browser.
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
