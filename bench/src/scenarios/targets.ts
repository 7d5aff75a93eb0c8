import { randomBytes } from 'node:crypto';
import type { Target } from '../load/load.ts';
import { type Friends, type MeasuredAgent, newMessage } from './agents.ts';
import { send } from './send.ts';

const ciphertextBytes = 1_024;

/** Reads a sender's own profile repeatedly. */
export async function profileTarget(url: string, { sender: { token } }: Friends): Promise<Target> {
  const path = '/api/v1/bots/me';
  const bodyBytes = Buffer.byteLength(await send(url, path, token));
  return { url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes };
}

/** Sends messages to a friend repeatedly. */
export function messageTarget(url: string, friends: Friends): Promise<Target> {
  const ciphertext = randomBytes(ciphertextBytes).toString('base64');
  return writingTarget(url, '/api/v1/messages', friends.sender, () => newMessage(friends, ciphertext));
}

/** Publishes posts of 300 characters repeatedly. */
export function postTarget(url: string, { recipient }: Friends): Promise<Target> {
  const text = 'A post of three hundred letters. '.repeat(9);
  return writingTarget(url, '/api/v1/posts', recipient, () => ({ text, visibility: 'public', rights_confirmed: true }));
}

/** Sends the first body to determine the length of replies: ids and nonces are new, the content is the same. */
async function writingTarget(
  url: string,
  path: string,
  { token }: MeasuredAgent,
  makeBody: () => object,
): Promise<Target> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const reply = await send(url, path, token, makeBody());
  return { url, path, headers, bodyBytes: Buffer.byteLength(reply), nextBody: () => JSON.stringify(makeBody()) };
}
