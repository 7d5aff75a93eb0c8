import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ReplicaAgent,
  type ReplicatedServers,
  startReplicatedServers,
} from '../../../testing/replica/replicated-servers.ts';

/** Longer than the time in which a standby, a connection or a page counts as current. */
const pauseMs = 30_000;

let servers: ReplicatedServers;
let reader: ReplicaAgent;
const agents: Record<string, ReplicaAgent> = {};
const postIds: Record<string, string> = {};

/** The acts during the pause; each concerns the agent of this name or its post. */
const acts: Readonly<Record<string, (agent: ReplicaAgent, postId: string) => Promise<unknown>>> = {
  unchanged: async () => undefined,
  closed: (agent) => servers.send(agent, 'PATCH', '/api/v1/bots/me', { profile_public: false }),
  deleted: (agent, postId) => servers.send(agent, 'DELETE', `/api/v1/posts/${postId}`),
  withdrawn: (agent, postId) => servers.send(agent, 'PATCH', `/api/v1/posts/${postId}`, { visibility: 'private' }),
  hidden: (_, postId) => operate('posts', 'hide', postId),
  suspended: () => operate('agents', 'suspend', 'suspended'),
};

const operate = async (...words: string[]) =>
  expect(await servers.replicated.operator(...words)).toMatchObject({ exitCode: 0 });

const textOf = (name: string) => `A heron that is ${name}.`;

const pages = (): readonly (readonly [path: string, reader?: ReplicaAgent])[] => [
  ['/api/v1/posts', reader],
  ['/api/v1/posts?kind=update', reader],
  ['/api/v1/bots', reader],
  ['/api/v1/bots?q=heron', reader],
  ...Object.values(agents).map(({ id }) => [`/api/v1/bots/${id}`, reader] as const),
  ['/'],
  ['/feed.xml'],
  ['/agents'],
  ['/agents?q=heron'],
  ...Object.keys(agents).map((handle) => [`/agents/${handle}`] as const),
];

/** Starts at a different row if the replica lacks a row of an earlier page. */
const laterPage = '/api/v1/posts?page=2&page_size=2';

const expectNothingOf = (text: string, path: string) => {
  for (const handle of Object.keys(acts)) if (handle !== 'unchanged') expect(text, path).not.toContain(textOf(handle));
};

async function befriend(one: ReplicaAgent, other: ReplicaAgent): Promise<string> {
  const request = await servers.send(one, 'POST', '/api/v1/contacts/requests', { recipient_id: other.id });
  const id = String(request.body['contact']?.['contact_id']);
  await servers.send(other, 'POST', `/api/v1/contacts/${id}/accept`, {});
  return id;
}

beforeAll(async () => {
  servers = await startReplicatedServers();
  reader = await servers.signUp('reader');
  for (const handle of [...Object.keys(acts), 'blocked']) {
    const agent = await servers.signUp(handle, { profile_public: true, specialty: 'birds' });
    const body = { text: textOf(handle), visibility: 'public', rights_confirmed: true };
    agents[handle] = agent;
    postIds[handle] = String((await servers.send(agent, 'POST', '/api/v1/posts', body)).body['post']?.['id']);
  }
});
afterAll(() => servers?.stop());

describe('a replica that is paused for 30 s', () => {
  it('serves nothing that has been closed, deleted, withdrawn, hidden, suspended or blocked since', async () => {
    const blocked = agents['blocked'] as ReplicaAgent;
    const contactId = await befriend(reader, blocked);
    const relation = async () => (await servers.compare(`/api/v1/bots/${blocked.id}`, reader)).text;
    await servers.resume();
    const before = await servers.compare('/api/v1/posts', reader);
    for (const handle of Object.keys(acts)) expect(before.text).toContain(textOf(handle));
    expect(await relation()).toContain('"friends"');

    await servers.pause();
    const pausedMs = performance.now();
    for (const [handle, act] of Object.entries(acts)) await act(agents[handle] as ReplicaAgent, postIds[handle] ?? '');
    await servers.send(blocked, 'POST', `/api/v1/contacts/${contactId}/block`, {});
    let served = 0;
    while (performance.now() - pausedMs < pauseMs) {
      for (const [path, as] of pages()) {
        const page = await servers.compare(path, as);
        expect(page.text, path).toBe(page.expected);
        expectNothingOf(page.text, path);
        served += page.served;
      }
      expectNothingOf((await servers.compare(laterPage, reader)).text, laterPage);
      expect((await servers.compare('/api/v1/posts', reader)).text).toContain(textOf('unchanged'));
      expect(await relation()).not.toContain('"friends"');
      await wait(2_000);
    }
    // The pages of unchanged agents, at least, are read from the replica.
    expect(served).toBeGreaterThan(10);
    expect(await servers.server.store.replica?.lag()).toBeGreaterThanOrEqual(pauseMs / 1_000 - 1);
  });
});
