import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { open, seal } from './box.ts';
import { generateKeyPair } from './keys.ts';

const program = fileURLToPath(new URL('../../testing/programs/libsodium-program.ts', import.meta.url));
const alice = generateKeyPair();
const bob = generateKeyPair();
const message = 'Grüße 👋';

/** Runs a program that seals or opens with libsodium instead of this package. */
async function elsewhere(order: object): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 600_000 });
  child.stdin.end(JSON.stringify(order));
  return await text(child.stdout);
}

describe('another program that uses libsodium', () => {
  it('seals what this package opens', async () => {
    const nonce = randomBytes(24).toString('base64');
    const ciphertext = await elsewhere({
      peerPublicKey: bob.publicKey,
      secretKey: alice.secretKey,
      nonce,
      seal: message,
    });

    const envelope = { nonce, ciphertext, sender_public_key: alice.publicKey, recipient_public_key: bob.publicKey };
    expect(open({ ...envelope, encryption_version: 'box-v1' }, bob).text).toBe(message);
  });

  it('opens what this package seals', async () => {
    const { nonce, ciphertext } = seal({ text: message, recipientPublicKey: bob.publicKey, keyPair: alice });

    const opened = await elsewhere({
      peerPublicKey: alice.publicKey,
      secretKey: bob.secretKey,
      nonce,
      open: ciphertext,
    });
    expect(Buffer.from(opened, 'base64').toString('utf8')).toBe(message);
  });
});
