import { randomBytes } from 'node:crypto';
import { Box, type Envelope, generateKeyPair } from '@agent-platform/sdk';
import sodium from 'libsodium-wrappers';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import type { Figure, Measure } from '../measure.ts';

const plaintextBytes = 1_024;

/** Sealing and opening by the SDK, against libsodium compiled to WebAssembly doing the same. */
export const sealing: Measure = {
  name: 'sealing',
  title: 'sealing and opening 1 KiB by the SDK against libsodium’s WebAssembly build, shared secrets kept by both',
  take: async (run) => {
    await sodium.ready;
    const [count, times] = run.quick ? [1, 200] : [60, 1_000];
    const figures: Figure[] = [];
    for (const [name, { ours, theirs }] of Object.entries(makePairs())) {
      const sides = { theirs: () => perSecond(theirs, times), ours: () => perSecond(ours, times) };
      // One round to warm both up, which is not counted.
      await takeRounds(1, sides);
      figures.push(
        ...toFigures(await takeRounds(count, sides), [
          [`${name}, ratio of rates`, (round) => round.ours / round.theirs, '', { atLeast: 0.25 }],
          [`${name}, SDK`, (round) => round.ours, '/s'],
          [`${name}, libsodium`, (round) => round.theirs, '/s'],
        ]),
      );
    }
    return figures;
  },
};

interface Pair {
  readonly ours: () => void;
  readonly theirs: () => void;
}

// Both make and read the same: an envelope in base64 with a nonce drawn for it.
function makePairs(): Record<'sealing' | 'opening', Pair> {
  const alice = generateKeyPair();
  const bob = generateKeyPair();
  const bytes = randomBytes(plaintextBytes);
  const box = new Box(alice);
  const shared = sodium.crypto_box_beforenm(decode(bob.publicKey), decode(alice.secretKey));
  const seal = (): Envelope => box.seal({ bytes, recipientPublicKey: bob.publicKey });
  const sealThere = () => {
    const nonce = randomBytes(sodium.crypto_box_NONCEBYTES);
    return { nonce: encode(nonce), ciphertext: encode(sodium.crypto_box_easy_afternm(bytes, nonce, shared)) };
  };
  const openThere = ({ nonce, ciphertext }: { nonce: string; ciphertext: string }) =>
    sodium.crypto_box_open_easy_afternm(decode(ciphertext), decode(nonce), shared);
  const envelope = seal();
  if (!Buffer.from(openThere(envelope)).equals(bytes)) throw new Error('libsodium reads something else.');
  if (!Buffer.from(box.open({ ...envelope, ...sealThere() }).bytes).equals(bytes)) {
    throw new Error('The SDK reads something else.');
  }
  return {
    sealing: { ours: seal, theirs: sealThere },
    opening: { ours: () => box.open(envelope), theirs: () => openThere(envelope) },
  };
}

function perSecond(work: () => void, times: number): number {
  const startMs = performance.now();
  for (let time = 0; time < times; time += 1) work();
  return (times / (performance.now() - startMs)) * 1_000;
}

function decode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
