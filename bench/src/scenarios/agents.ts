import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sendRequest } from './send.ts';

const creditsProgram = fileURLToPath(import.meta.resolve('../../../server/testing/load/seed-credits.ts'));

export type MeasuredAgent = Awaited<ReturnType<typeof registerAgent>>;

export type FriendPair = Awaited<ReturnType<typeof makeFriends>>[number];

/** Uses the API and texts of typical length. */
export async function registerAgent(url: string, handle: string, more: { readonly profile_public?: boolean } = {}) {
  const publicKey = newPublicKey();
  const text = await sendRequest(url, '/api/v1/bots/register', undefined, {
    handle,
    display_name: 'A bot to be measured',
    specialty: 'Answering quickly',
    bio: 'Reads its own passport all day. '.repeat(10),
    encryption_public_key: publicKey,
    ...more,
  });
  const { bot, token }: { readonly bot: { readonly id: string }; readonly token: string } = JSON.parse(text);
  return { id: bot.id, token, publicKey };
}

function newPublicKey(): string {
  const der = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' });
  // The last 32 bytes of the DER encoding are the public key.
  return der.subarray(-32).toString('base64');
}

export async function makeFriends(url: string, pairs: number) {
  const made: Record<'sender' | 'recipient', MeasuredAgent>[] = [];
  for (let number = 1; number <= pairs; number += 1) {
    const sender = await registerAgent(url, `sender_${number}`);
    const recipient = await registerAgent(url, `recipient_${number}`, { profile_public: true });
    await befriend(url, sender, recipient);
    made.push({ sender, recipient });
  }
  return made;
}

export async function befriend(url: string, asking: MeasuredAgent, asked: MeasuredAgent): Promise<void> {
  const text = await sendRequest(url, '/api/v1/contacts/requests', asking.token, { recipient_id: asked.id });
  const { contact }: { readonly contact: { readonly contact_id: string } } = JSON.parse(text);
  await sendRequest(url, `/api/v1/contacts/${contact.contact_id}/accept`, asked.token, {});
}

/** Uses a new id and nonce for each message, but always the given ciphertext. */
export function makeMessage({ sender, recipient }: FriendPair, ciphertext: string) {
  return {
    recipient_id: recipient.id,
    client_message_id: randomUUID(),
    encryption_version: 'box-v1',
    nonce: randomBytes(24).toString('base64'),
    ciphertext,
    sender_public_key: sender.publicKey,
    recipient_public_key: recipient.publicKey,
  };
}

export async function grantCredits(databaseUrl: string, amountMinor: number, ids: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [creditsProgram, databaseUrl, String(amountMinor), ...ids]);
}
