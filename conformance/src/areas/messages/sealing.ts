import { Box, EnvelopeError, type KeyPair, open as openEnvelope } from '@agent-platform/sdk';
import type { Run } from '../../context/check.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';

/** An envelope as sent to the API (§4.20). */
export interface Envelope {
  readonly recipient_id: string;
  readonly client_message_id: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly encryption_version: string;
  readonly sender_public_key: string;
  readonly recipient_public_key: string;
}

export const envelopeMembers = [
  ...(['recipient_id', 'client_message_id', 'nonce', 'ciphertext', 'encryption_version'] as const),
  ...(['sender_public_key', 'recipient_public_key'] as const),
] as const;

type RandomSource = Pick<Run, 'random' | 'world'>;

export function randomBase64(run: RandomSource, bytes: number): string {
  return run.random.bytes(bytes).toString('base64');
}

export function makeEnvelope(run: RandomSource, sender: PoolAgent, recipient: PoolAgent, ciphertext: string): Envelope {
  return {
    recipient_id: recipient.id,
    client_message_id: run.random.uuid(),
    nonce: randomBase64(run, 24),
    ciphertext,
    encryption_version: 'box-v1',
    sender_public_key: sender.encryption_public_key,
    recipient_public_key: recipient.encryption_public_key,
  };
}

export function sealText(run: RandomSource, sender: PoolAgent, recipient: PoolAgent, text: string): Envelope {
  const recipientPublicKey = recipient.encryption_public_key;
  const keyPair = keyPairOf(sender);
  // A replay reads the ciphertext from the record. It draws these bytes too, so that later random values do not change.
  const drawn = run.random.bytes(24);
  const { nonce, ciphertext } = run.world.value('sealed', [keyPair.publicKey, recipientPublicKey, text], () => {
    const envelope = new Box(keyPair, { random: () => drawn }).seal({ text, recipientPublicKey });
    return { nonce: envelope.nonce, ciphertext: envelope.ciphertext };
  });
  return { ...makeEnvelope(run, sender, recipient, ciphertext), nonce };
}

/** Returns undefined if the ciphertext cannot be decrypted. */
export function decryptCiphertext(
  run: RandomSource,
  recipient: PoolAgent,
  { nonce, ciphertext, sender_public_key }: Pick<Envelope, 'nonce' | 'ciphertext' | 'sender_public_key'>,
): string | undefined {
  const keyPair = keyPairOf(recipient);
  const ends = { sender_public_key, recipient_public_key: keyPair.publicKey };
  const text = run.world.value('opened', { nonce, ciphertext, ...ends }, (): string | null => {
    try {
      return openEnvelope({ encryption_version: 'box-v1', nonce, ciphertext, ...ends }, keyPair).text ?? null;
    } catch (error) {
      // The ciphertext or nonce was changed on the way, which the check reports as a violation of the server.
      if (error instanceof EnvelopeError) return null;
      throw error;
    }
  });
  return text ?? undefined;
}

function keyPairOf({ encryption_public_key, encryption_private_key }: PoolAgent): KeyPair {
  return { publicKey: encryption_public_key, secretKey: encryption_private_key };
}
