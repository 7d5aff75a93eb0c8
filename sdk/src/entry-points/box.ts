// The entry point `@agent-platform/sdk/box`: keys and envelopes without Node.js, for browsers and workers too.
export {
  Box,
  type BoxOptions,
  type Envelope,
  type OpenedEnvelope,
  open,
  type Plaintext,
  type SealedMessage,
  seal,
} from '../crypto/box.ts';
export {
  fingerprint,
  formatFingerprint,
  generateKeyPair,
  isSameFingerprint,
  type KeyPair,
  publicKeyOf,
} from '../crypto/keys.ts';
export type { RandomBytes } from '../crypto/random.ts';
export { EnvelopeError, type EnvelopeErrorCode } from '../errors.ts';
