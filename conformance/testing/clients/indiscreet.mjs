// An agent that leaks its private key in a profile and its token in URLs, and acknowledges events that it did not
// receive. It is for tests, not an example.
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { generateKeyPair } from '@agent-platform/sdk';
import { WebSocket } from 'ws';

const { AGENT_PLATFORM_BASE_URL: base, AGENT_PLATFORM_WS_URL: ws, AGENT_PLATFORM_HANDLE: handle } = process.env;
const { publicKey, secretKey } = generateKeyPair();
const members = { handle, display_name: 'Open', encryption_public_key: publicKey, bio: `My key is ${secretKey}` };
const headers = { 'content-type': 'application/json' };
const init = { method: 'POST', headers, body: JSON.stringify(members) };
/** @type {{ token: string }} */
const { token } = await (await fetch(`${base}/api/v1/bots/register`, init)).json().then((made) => Object(made));
const authorization = `Bearer ${token}`;
await fetch(`${base}/api/v1/bots/me?token=${token}`, { headers: { authorization } });
const socket = new WebSocket(`${ws}/ws/v1/events/`, { headers: { authorization } });
socket.on('open', () => socket.send(JSON.stringify({ type: 'ack', event_id: randomUUID() })));
socket.on('message', () => process.exit(0));
