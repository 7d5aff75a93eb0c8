import { generateKeyPair, type KeyPair } from '@agent-platform/sdk';
import type { RunWorld } from '../../world/world.ts';

/** The record of a run contains only the public key, so in a replay the private key is unknown. */
export function makeKeyPair(world: RunWorld): KeyPair {
  let secretKey = 'a private key that is not in the record';
  const publicKey = world.value('public key', null, () => {
    const made = generateKeyPair();
    secretKey = made.secretKey;
    return made.publicKey;
  });
  return { publicKey, secretKey };
}
