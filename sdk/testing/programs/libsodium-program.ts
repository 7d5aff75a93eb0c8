import { text } from 'node:stream/consumers';
import sodium from 'libsodium-wrappers';

// libsodium-program.test.ts runs this program. It uses no code of this package, reads one request from stdin and prints
// base64.
interface Order {
  readonly peerPublicKey: string;
  readonly secretKey: string;
  readonly nonce: string;
  /** A text to seal, or a ciphertext to open. */
  readonly seal?: string;
  readonly open?: string;
}

const order: Order = JSON.parse(await text(process.stdin));
await sodium.ready;
const [peer, secret, nonce] = [order.peerPublicKey, order.secretKey, order.nonce].map(decode);
if (peer === undefined || secret === undefined || nonce === undefined) throw new Error('A key or nonce is missing.');
const result =
  order.seal === undefined
    ? sodium.crypto_box_open_easy(decode(order.open ?? ''), nonce, peer, secret)
    : sodium.crypto_box_easy(order.seal, nonce, peer, secret);
process.stdout.write(Buffer.from(result).toString('base64'));

function decode(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
