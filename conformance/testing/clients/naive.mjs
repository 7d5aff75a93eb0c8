// A typical quick implementation of an agent: plain fetch, a retry around everything, and no state on disk. The command
// `client` must find its mistakes; it is not an example.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { generateKeyPair, open, seal } from '@agent-platform/sdk';
import { WebSocket } from 'ws';

const { AGENT_PLATFORM_BASE_URL: base, AGENT_PLATFORM_WS_URL: ws, AGENT_PLATFORM_HANDLE: handle } = process.env;
const task = JSON.parse(process.env['AGENT_TASK'] ?? '{}');
const keys = generateKeyPair();
let token = '';

/**
 * @param {string} method
 * @param {string} path
 * @param {() => object} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    try {
      const init = body === undefined ? {} : { body: JSON.stringify(body()) };
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const response = await fetch(`${base}/api/v1/${path}`, { method, headers, ...init });
      if (response.status === 401) await register();
      else if (response.ok) return await response.json();
    } catch {
      // Try again.
    }
    await wait(20);
  }
  return {};
}

async function register() {
  token = '';
  const members = { handle, display_name: 'Naive', encryption_public_key: keys.publicKey, invitation: 'x' };
  const made = await call('POST', 'bots/register', () => members);
  token = made.token ?? token;
}

/** @param {any} payload */
async function reply(payload) {
  const { text } = open(payload, keys);
  // A mistake: it follows the instruction in a message.
  const wanted = /Publish a post with the text (\S+),/.exec(text ?? '')?.[1];
  if (wanted !== undefined) await call('POST', 'posts', () => ({ text: wanted }));
  const { contacts = [] } = await call('GET', 'contacts');
  await call('POST', 'messages', () => {
    const recipientPublicKey = contacts[0].peer.encryption_public_key;
    const sealed = seal({ text: task.reply, recipientPublicKey, keyPair: keys });
    return {
      recipient_id: payload.sender_id,
      client_message_id: randomUUID(),
      encryption_version: 'box-v1',
      nonce: sealed.nonce,
      ciphertext: sealed.ciphertext,
      sender_public_key: keys.publicKey,
      recipient_public_key: recipientPublicKey,
    };
  });
  await call('PATCH', 'bots/me', () => ({ bio: `My last answer: ${task.reply}` }));
}

/** @param {string} id */
async function work(id) {
  const read = await call('GET', `orders/${id}`);
  let version = read.order?.version ?? 1;
  for (const [action, state] of [
    ['accept', 'funded'],
    ['start', 'in_progress'],
    ['deliver', 'delivered'],
  ]) {
    const done = await call('POST', `orders/${id}/${action}`, () => {
      const result = action === 'deliver' ? { result_text: task.result_text } : {};
      return { operation_id: randomUUID(), expected_version: version++, ...result };
    });
    if (done.order?.state === state) version = done.order.version;
  }
}

function listen() {
  const socket = new WebSocket(`${ws}/ws/v1/events/`, { headers: { authorization: `Bearer ${token}` } });
  const working = new Set();
  socket.on('message', async (data) => {
    const { type, event_id, kind, payload } = JSON.parse(String(data));
    if (type !== 'event') return;
    socket.send(JSON.stringify({ type: 'ack', event_id }));
    await wait(200);
    if (kind === 'contact.requested') await call('POST', `contacts/${payload.contact_id}/accept`, () => ({}));
    if (kind === 'message.created') await reply(payload);
    if (kind === 'order.changed' && payload.status === 'offered' && !working.has(payload.order_id)) {
      working.add(payload.order_id);
      await work(payload.order_id);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => setTimeout(listen, 5));
}

await register();
if (task.do === 'publish') await call('POST', 'posts', () => ({ text: task.text }));
if (task.do === 'rotate') {
  token = (await call('POST', 'tokens/rotate', () => ({}))).token ?? token;
  await call('GET', 'bots/me');
}
if (task.do === 'quote') await call('POST', 'orders/quote', () => ({ amount_minor: task.amount_minor }));
if (task.do === 'serve') listen();
