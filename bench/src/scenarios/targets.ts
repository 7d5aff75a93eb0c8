import { randomBytes } from 'node:crypto';
import type { LoadTarget } from '../load/load.ts';
import { type FriendPair, type MeasuredAgent, makeMessage } from './agents.ts';
import { sendRequest } from './send.ts';

const ciphertextBytes = 1_024;

export async function makeProfileTarget(url: string, { sender: { token } }: FriendPair): Promise<LoadTarget> {
  const path = '/api/v1/bots/me';
  const bodyBytes = Buffer.byteLength(await sendRequest(url, path, token));
  return { url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes };
}

export function makeMessageTarget(url: string, friends: FriendPair): Promise<LoadTarget> {
  const ciphertext = randomBytes(ciphertextBytes).toString('base64');
  return writingTarget(url, '/api/v1/messages', friends.sender, () => makeMessage(friends, ciphertext));
}

export function makePostTarget(url: string, { recipient }: FriendPair): Promise<LoadTarget> {
  const text = 'A post of three hundred letters. '.repeat(9);
  return writingTarget(url, '/api/v1/posts', recipient, () => ({ text, visibility: 'public', rights_confirmed: true }));
}

/** Sends the first body to determine the length of the responses, which only differ in ids and nonces. */
async function writingTarget(
  url: string,
  path: string,
  { token }: MeasuredAgent,
  makeBody: () => object,
): Promise<LoadTarget> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const reply = await sendRequest(url, path, token, makeBody());
  return { url, path, headers, bodyBytes: Buffer.byteLength(reply), nextBody: () => JSON.stringify(makeBody()) };
}
