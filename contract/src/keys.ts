// Apart from the front door, and without the schemas: what sealing messages takes, also in a browser.
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
