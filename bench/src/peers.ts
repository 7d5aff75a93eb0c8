import { randomBytes, randomUUID } from 'node:crypto';
import { findFreePort } from '@agent-platform/testing';
import { installPeers, peerProgram } from './install-peers.ts';
import { connections, type Target } from './load/load.ts';
import { type Comparison, compareLoads, type Side } from './load/measured-load.ts';
import { startProcess } from './load/server-process.ts';
import type { Measure } from './measure.ts';
import type { Run } from './run.ts';
import { sharePlatform } from './scenarios/platform.ts';
import { send } from './scenarios/send.ts';
import { messageTarget, postTarget } from './scenarios/targets.ts';

/** Sending a message, compared with the A2A SDK, which stores a task for each message. */
const a2a: Measure = {
  name: 'a2a',
  title: 'sending a message of 1 KiB, beside message:send of the SDK of A2A with its tasks in PostgreSQL',
  baseline: '@a2a-js/sdk 1.3.0: HTTP and JSON on Express, DatabaseTaskStore, an agent that finishes each task at once',
  leavesOut:
    'tokens and authentication, friendship, limits, sealed content, refusal of repeats, events that wait for an ack',
  take: (run) =>
    takePeer(run, 'messages', { target: { atLeast: 5 } }, messageTarget, async (settings) => {
      const { url, pid } = await startProcess(run, peerProgram('a2a-server.mjs'), settings);
      const text = randomBytes(768).toString('base64');
      const headers = { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' };
      const makeBody = () => ({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } });
      const targets = [await toTarget(url, '/message:send', headers, makeBody)];
      return { targets, serverPids: [pid], databasePid: await run.databasePid() };
    }),
};

/** Publishing a post, compared with the AT Protocol server. */
const pds: Measure = {
  name: 'pds',
  title: 'publishing a post of 300 characters, beside createRecord of the PDS of the AT Protocol',
  baseline: '@atproto/pds 0.5.35 with its SQLite files, 16 accounts',
  leavesOut:
    'the sync of each commit to the disk, which its SQLite does without, limits and log; it signs a tree of records instead',
  take: (run) =>
    // Each account of the peer is a separate tree, and writes to the same tree would wait for each other.
    takePeer(run, 'posts', { target: { atLeast: 10 }, connections: [connections] }, postTarget, async (settings) => {
      const port = String(await findFreePort());
      const { url, pid } = await startProcess(run, peerProgram('pds-server.mjs'), { ...settings, PORT: port });
      const targets: Target[] = [];
      for (let number = 1; number <= connections; number += 1) targets.push(await toAccount(url, `measured${number}`));
      return { targets, serverPids: [pid] };
    }),
};

/** These measures only run with `npm run bench -- peers`; the packages of the peers are not part of the workspace. */
export const peers: readonly Measure[] = [a2a, pds];

/** Starts a peer on an empty database. A peer with its own database files has no database process. */
type StartPeer = (settings: Readonly<Record<string, string>>) => Promise<Side>;

async function takePeer(
  run: Run,
  unit: string,
  comparison: Pick<Comparison, 'target' | 'connections'>,
  toOwn: typeof messageTarget,
  startPeer: StartPeer,
) {
  await installPeers(run.say);
  const { server, databasePid, friends } = await sharePlatform(run);
  const peer = await startPeer({ DATABASE_URL: await run.freshDatabase() });
  const targets = await Promise.all(friends.map((pair) => toOwn(server.url, pair)));
  const sides: Record<'least' | 'own', Side> = {
    least: peer,
    own: { targets, serverPids: [server.pid], databasePid },
  };
  return await compareLoads(run, sides, { unit, ...comparison, baseline: 'peer' });
}

async function toAccount(url: string, name: string): Promise<Target> {
  const account = { handle: `${name}.test`, email: `${name}@example.org`, password: randomUUID() };
  const text = await send(url, '/xrpc/com.atproto.server.createAccount', undefined, account);
  const { did, accessJwt }: { readonly did: string; readonly accessJwt: string } = JSON.parse(text);
  const record = () => ({
    $type: 'app.bsky.feed.post',
    text: 'A post of three hundred letters. '.repeat(9),
    createdAt: new Date().toISOString(),
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessJwt}` };
  const makeBody = () => ({ repo: did, collection: 'app.bsky.feed.post', record: record() });
  return await toTarget(url, '/xrpc/com.atproto.repo.createRecord', headers, makeBody);
}

/** Sends the first body to find out the length of responses. */
async function toTarget(
  url: string,
  path: string,
  headers: Target['headers'],
  makeBody: () => object,
): Promise<Target> {
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(makeBody()) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} responded with ${reply.status} ${text}`);
  const bodyBytes = Buffer.byteLength(text);
  return { url, path, headers, bodyBytes, status: reply.status, nextBody: () => JSON.stringify(makeBody()) };
}
