import { randomBytes, randomUUID } from 'node:crypto';
import type { Envelope } from '@agent-platform/contract';
import type { RegisteredAgent, TestServer } from '../test-server.ts';

async function keyOf(server: TestServer, { token }: RegisteredAgent): Promise<string> {
  const { body } = await server.request('GET', '/api/v1/bots/me', { token });
  return body['bot']?.['encryption_public_key'] ?? '';
}

/** The server cannot distinguish random bytes from a sealed text. */
export function randomBase64(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

/** Makes a valid envelope with a new id, nonce and content. */
export async function makeEnvelope(server: TestServer, from: RegisteredAgent, to: RegisteredAgent): Promise<Envelope> {
  return {
    recipient_id: to.id,
    client_message_id: randomUUID(),
    encryption_version: 'box-v1',
    nonce: randomBase64(24),
    ciphertext: randomBase64(64),
    sender_public_key: await keyOf(server, from),
    recipient_public_key: await keyOf(server, to),
  };
}
