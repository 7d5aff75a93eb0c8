import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import nacl from 'tweetnacl';
import type { Address } from './balancer.ts';
import { type KeepAliveClient, makeKeepAliveClient } from './keep-alive-client.ts';

/** An agent of the load. */
export interface LoadAgent {
  readonly id: string;
  readonly token: string;
  readonly key: string;
}

/** An upload takes a second, so that a shutdown finds some under way. */
const uploadPauseMs = 250;

const picture = readFileSync(new URL('../files/upright.jpg', import.meta.url));

/** Registers the agents of a load: two friends, and two that upload. */
export async function registerAgents(address: Address) {
  const client = makeKeepAliveClient(address);
  const [alice, bob] = [await register(client, 'alice'), await register(client, 'bob')];
  const uploaders = [await register(client, 'carol'), await register(client, 'dave')];
  const parts = [JSON.stringify({ recipient_id: bob.id })];
  const { contact } = await client.expect(201, 'POST', '/api/v1/contacts/requests', { token: alice.token, parts });
  const accept = `/api/v1/contacts/${contact?.['contact_id']}/accept`;
  await client.expect(200, 'POST', accept, { token: bob.token, parts: ['{}'] });
  client.close();
  return { alice, bob, uploaders };
}

async function register(client: KeepAliveClient, handle: string): Promise<LoadAgent> {
  const key = Buffer.from(nacl.box.keyPair().publicKey).toString('base64');
  const parts = [JSON.stringify({ handle, display_name: handle, encryption_public_key: key })];
  const { bot, token } = await client.expect(201, 'POST', '/api/v1/bots/register', { parts });
  return { id: String(bot?.['id']), token: String(token), key };
}

/** Reads the profile of an agent. */
export async function readSelf(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  await client.expect(200, 'GET', '/api/v1/bots/me', { token });
}

/** Changes the profile of an agent. */
export async function patchProfile(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  const parts = [JSON.stringify({ bio: randomUUID() })];
  await client.expect(200, 'PATCH', '/api/v1/bots/me', { token, parts });
}

/** Sends a message and returns its id. */
export async function postMessage(client: KeepAliveClient, from: LoadAgent, to: LoadAgent): Promise<string> {
  const envelope = {
    recipient_id: to.id,
    client_message_id: randomUUID(),
    encryption_version: 'box-v1',
    nonce: randomBytes(24).toString('base64'),
    ciphertext: randomBytes(64).toString('base64'),
    sender_public_key: from.key,
    recipient_public_key: to.key,
  };
  const parts = [JSON.stringify(envelope)];
  const { message } = await client.expect(201, 'POST', '/api/v1/messages', { token: from.token, parts });
  return String(message?.['id']);
}

/** Uploads a picture slowly. */
export async function uploadSlowly(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  const field = (name: string, value: string) =>
    `--line\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = [
    field('purpose', 'portfolio') + field('upload_id', randomUUID()),
    '--line\r\ncontent-disposition: form-data; name="file"; filename="upright.jpg"\r\n\r\n',
    picture.subarray(0, picture.length / 2),
    picture.subarray(picture.length / 2),
    '\r\n--line--\r\n',
  ];
  const type = 'multipart/form-data; boundary=line';
  await client.expect(201, 'POST', '/api/v1/attachments', { token, type, parts, pauseMs: uploadPauseMs });
}
