import { createHash } from 'node:crypto';
import sodium from 'libsodium-wrappers';

// Each size is next to a boundary: of a cipher block, of the MAC, or of the maximum length.
const sizes = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 4_096, 15_000, 16_368];

/** The seeds are fixed, so that every run produces the same vectors. */
export async function makeBoxVectors(): Promise<ReturnType<typeof makeVector>[]> {
  await sodium.ready;
  return sizes.map((size) => makeVector(`${size} bytes`, size));
}

// All members except `name` are base64.
function makeVector(name: string, size: number) {
  const senderSecret = derive(`${name} sender`, 32);
  const recipientSecret = derive(`${name} recipient`, 32);
  const senderPublic = sodium.crypto_scalarmult_base(senderSecret);
  const recipientPublic = sodium.crypto_scalarmult_base(recipientSecret);
  const nonce = derive(`${name} nonce`, 24);
  const plaintext = derive(`${name} plaintext`, size);
  return {
    name,
    sender_secret_key: encode(senderSecret),
    sender_public_key: encode(senderPublic),
    recipient_secret_key: encode(recipientSecret),
    recipient_public_key: encode(recipientPublic),
    nonce: encode(nonce),
    plaintext: encode(plaintext),
    ciphertext: encode(sodium.crypto_box_easy(plaintext, nonce, recipientPublic, senderSecret)),
  };
}

function derive(seed: string, length: number): Uint8Array {
  return new Uint8Array(
    createHash('shake256', { outputLength: Math.max(1, length) })
      .update(seed)
      .digest(),
  ).subarray(0, length);
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
