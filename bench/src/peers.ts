import { randomBytes, randomUUID } from 'node:crypto';
import { findFreePort } from '@agent-platform/testing';
import { installPeers, peerProgramPath } from './install-peers.ts';
import { defaultConnectionCount, type LoadTarget } from './load/load.ts';
import { type ComparisonOptions, type ComparisonSide, compareLoads } from './load/measured-load.ts';
import { startServerProgram } from './load/server-process.ts';
import type { Measure } from './measure.ts';
import type { BenchRun } from './run.ts';
import { getSharedPlatform } from './scenarios/platform.ts';
import { sendRequest } from './scenarios/send.ts';
import { makeMessageTarget, makePostTarget } from './scenarios/targets.ts';

/** The A2A SDK stores a task for each message. */
const a2a: Measure = {
  name: 'a2a',
  title: 'sending a message of 1 KiB, beside message:send of the SDK of A2A with its tasks in PostgreSQL',
  baseline: '@a2a-js/sdk 1.3.0: HTTP and JSON on Express, DatabaseTaskStore, an agent that finishes each task at once',
  leavesOut:
    'tokens and authentication, friendship, limits, sealed content, refusal of repeats, events that wait for an ack',
  take: (run) =>
    takePeer(run, 'messages', { target: { atLeast: 5 } }, makeMessageTarget, async (settings) => {
      const { url, pid } = await startServerProgram(run, peerProgramPath('a2a-server.mjs'), settings);
      const text = randomBytes(768).toString('base64');
      const headers = { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' };
      const makeBody = () => ({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } });
      const targets = [await toTarget(url, '/message:send', headers, makeBody)];
      return { targets, serverPids: [pid], databasePid: await run.databasePid() };
    }),
};

const pds: Measure = {
  name: 'pds',
  title: 'publishing a post of 300 characters, beside createRecord of the PDS of the AT Protocol',
  baseline: '@atproto/pds 0.5.35 with its SQLite files, 16 accounts',
  leavesOut:
    'the sync of each commit to the disk, which its SQLite does without, limits and log; it signs a tree of records instead',
  take: (run) =>
    // Each connection has a separate account: an account is one tree, and writes to the same tree block each other.
    takePeer(
      run,
      'posts',
      { target: { atLeast: 10 }, connections: [defaultConnectionCount] },
      makePostTarget,
      async (settings) => {
        const port = String(await findFreePort());
        const { url, pid } = await startServerProgram(run, peerProgramPath('pds-server.mjs'), {
          ...settings,
          PORT: port,
        });
        const targets: LoadTarget[] = [];
        for (let number = 1; number <= defaultConnectionCount; number += 1)
          targets.push(await toAccount(url, `measured${number}`));
        return { targets, serverPids: [pid] };
      },
    ),
};

/** Excluded from `all`, because the packages of the peers are not part of the workspace. */
export const peerMeasures: readonly Measure[] = [a2a, pds];

/** Starts a peer on an empty database. A peer with its own database files does not need a database process. */
type StartPeer = (settings: Readonly<Record<string, string>>) => Promise<ComparisonSide>;

async function takePeer(
  run: BenchRun,
  unit: string,
  comparison: Pick<ComparisonOptions, 'target' | 'connections'>,
  toOwn: typeof makeMessageTarget,
  startPeer: StartPeer,
) {
  await installPeers(run.say);
  const { server, databasePid, friends } = await getSharedPlatform(run);
  const peer = await startPeer({ DATABASE_URL: await run.freshDatabase() });
  const targets = await Promise.all(friends.map((pair) => toOwn(server.url, pair)));
  const sides: Record<'least' | 'own', ComparisonSide> = {
    least: peer,
    own: { targets, serverPids: [server.pid], databasePid },
  };
  return await compareLoads(run, sides, { unit, ...comparison, baseline: 'peer' });
}

async function toAccount(url: string, name: string): Promise<LoadTarget> {
  const account = { handle: `${name}.test`, email: `${name}@example.org`, password: randomUUID() };
  const text = await sendRequest(url, '/xrpc/com.atproto.server.createAccount', undefined, account);
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

/** Sends the first body to determine the length of the responses. */
async function toTarget(
  url: string,
  path: string,
  headers: LoadTarget['headers'],
  makeBody: () => object,
): Promise<LoadTarget> {
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(makeBody()) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} responded with ${reply.status} ${text}`);
  const bodyBytes = Buffer.byteLength(text);
  return { url, path, headers, bodyBytes, status: reply.status, nextBody: () => JSON.stringify(makeBody()) };
}
