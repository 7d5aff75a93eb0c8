import { generateKeyPair, type KeyPair } from '@agent-platform/sdk';
import { here } from '../../world/here.ts';

/** Makes a key pair. A record of the run has its public key alone, so that a replay has no private key. */
export function makeKeyPair(): KeyPair {
  let secretKey = 'a private key that is not in the record';
  const publicKey = here().value('public key', null, () => {
    const made = generateKeyPair();
    secretKey = made.secretKey;
    return made.publicKey;
  });
  return { publicKey, secretKey };
}
