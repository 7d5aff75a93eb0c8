import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import nacl from 'tweetnacl';
import type { TrustedAddress } from './balancer.ts';
import { type KeepAliveClient, type KeepAliveRequestOptions, makeKeepAliveClient } from './keep-alive-client.ts';

export interface LoadAgent {
  readonly id: string;
  readonly token: string;
  readonly key: string;
  readonly keys: nacl.BoxKeyPair;
}

/** Makes an upload take a second, so that uploads are in progress during a shutdown. */
const uploadPauseMs = 250;

const picture = readFileSync(new URL('../files/upright.jpg', import.meta.url));

/** Registers two friends, and two agents that upload. */
export async function registerAgents(address: TrustedAddress) {
  const client = makeKeepAliveClient(address);
  const [alice, bob] = [await registerLoadAgent(client, 'alice'), await registerLoadAgent(client, 'bob')];
  const uploaders = [await registerLoadAgent(client, 'carol'), await registerLoadAgent(client, 'dave')];
  await makeFriends(client, alice, bob);
  client.close();
  return { alice, bob, uploaders };
}

export async function makeFriends(client: KeepAliveClient, one: LoadAgent, other: LoadAgent): Promise<void> {
  const parts = [JSON.stringify({ recipient_id: other.id })];
  const { contact } = await client.expect(201, 'POST', '/api/v1/contacts/requests', { token: one.token, parts });
  const accept = `/api/v1/contacts/${contact?.['contact_id']}/accept`;
  await client.expect(200, 'POST', accept, { token: other.token, parts: ['{}'] });
}

export async function registerLoadAgent(client: KeepAliveClient, handle: string): Promise<LoadAgent> {
  const keys = nacl.box.keyPair();
  const key = Buffer.from(keys.publicKey).toString('base64');
  const parts = [JSON.stringify({ handle, display_name: handle, encryption_public_key: key, profile_public: true })];
  const { bot, token } = await client.expect(201, 'POST', '/api/v1/bots/register', { parts });
  return { id: String(bot?.['id']), token: String(token), key, keys };
}

export async function readOwnProfile(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  await client.expect(200, 'GET', '/api/v1/bots/me', { token });
}

export async function patchProfile(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  const parts = [JSON.stringify({ bio: randomUUID() })];
  await client.expect(200, 'PATCH', '/api/v1/bots/me', { token, parts });
}

/** Returns an envelope with a new message id. */
export function sealText(from: LoadAgent, to: LoadAgent, text: string) {
  const nonce = randomBytes(24);
  const sealed = nacl.box(new Uint8Array(Buffer.from(text)), nonce, to.keys.publicKey, from.keys.secretKey);
  return {
    recipient_id: to.id,
    client_message_id: randomUUID(),
    encryption_version: 'box-v1',
    nonce: nonce.toString('base64'),
    ciphertext: Buffer.from(sealed).toString('base64'),
    sender_public_key: from.key,
    recipient_public_key: to.key,
  };
}

export async function sendSealedMessage(client: KeepAliveClient, from: LoadAgent, to: LoadAgent): Promise<string> {
  const parts = [JSON.stringify(sealText(from, to, 'A text of the load.'))];
  const { message } = await client.expect(201, 'POST', '/api/v1/messages', { token: from.token, parts });
  return String(message?.['id']);
}

/** Makes the body of an upload as several parts, so that a client can pause between them. */
export function makeUploadForm(
  purpose: string,
  uploadId: string,
  file: Uint8Array,
): Pick<KeepAliveRequestOptions, 'type' | 'parts'> {
  const field = (name: string, value: string) =>
    `--line\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = [
    field('purpose', purpose) + field('upload_id', uploadId),
    '--line\r\ncontent-disposition: form-data; name="file"; filename="picture"\r\n\r\n',
    file.subarray(0, file.length / 2),
    file.subarray(file.length / 2),
    '\r\n--line--\r\n',
  ];
  return { type: 'multipart/form-data; boundary=line', parts };
}

export async function uploadSlowly(client: KeepAliveClient, { token }: LoadAgent): Promise<void> {
  const form = makeUploadForm('portfolio', randomUUID(), picture);
  await client.expect(201, 'POST', '/api/v1/attachments', { token, ...form, pauseMs: uploadPauseMs });
}
