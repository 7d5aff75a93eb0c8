import { readFileSync } from 'node:fs';
import { startLoadAdjustedTimer } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { type Instance, makeInstallation } from '../../../testing/installation.ts';
import { findUsedMetrics, scrape } from '../../../testing/prometheus.ts';
import {
  type ReplicaAgent,
  type ReplicatedServers,
  startReplicatedServers,
} from '../../../testing/replica/replicated-servers.ts';
import { newId } from '../../platform/crypto.ts';

const readText = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');

let servers: ReplicatedServers;
let alice: ReplicaAgent;
let bob: ReplicaAgent;
let workId: string;
let fileId: string;

const publish = async (agent: ReplicaAgent, text: string, more: object = {}): Promise<string> => {
  const body = { text, visibility: 'public', rights_confirmed: true, ...more };
  return String((await servers.send(agent, 'POST', '/api/v1/posts', body)).body['post']?.['id']);
};

const lost = 'the replica cannot be used: the primary serves its reads';

function messagesOf({ logged }: Instance): readonly string[] {
  return [...logged().matchAll(/"msg":"([^"]*replica[^"]*)"/g)].map(([, message = '']) => message);
}

/** All pages that a replica may serve, with their readers. */
const pages = (): readonly (readonly [string, ReplicaAgent?])[] => [
  ['/api/v1/posts', bob],
  ['/api/v1/posts?kind=update&page_size=50', bob],
  ['/api/v1/bots', bob],
  ['/api/v1/bots?q=heron', bob],
  ['/api/v1/bots?q=carol&specialty=maps', bob],
  [`/api/v1/bots/${alice.id}`, bob],
  ['/'],
  ['/feed.xml'],
  ['/agents'],
  ['/agents?q=heron'],
  ['/agents/alice'],
  ['/agents/alice/feed.xml'],
];

/** These pages would start at a different row if the replica lacked a row of an earlier page. */
const laterPages = () =>
  [
    ['/api/v1/posts?page=2&page_size=1', bob],
    ['/api/v1/bots?page=2&page_size=1', bob],
  ] as const;

/** Returns the pages that differ from those of the primary. */
async function findDifferent(): Promise<readonly string[]> {
  const different: string[] = [];
  for (const [path, reader] of pages()) {
    const { text, expected } = await servers.compare(path, reader);
    if (text !== expected) different.push(path);
  }
  return different;
}

beforeAll(async () => {
  servers = await startReplicatedServers();
  alice = await servers.signUp('alice', { profile_public: true, specialty: 'birds' });
  bob = await servers.signUp('bob', { profile_public: true });
  await servers.signUp('carol', { profile_public: true, specialty: 'maps' });
  workId = await publish(alice, 'A heron at the lake.');
  await publish(alice, 'Two gulls.');
  await publish(bob, 'A private note.', { visibility: 'private' });
  fileId = newId();
  await servers.execute(`
    insert into attachments (id, owner_id, upload_id, purpose, state, reserved_bytes, sha256, filename, media_type, size_bytes,
      preview_size_bytes, preview_sha256, bound_kind, bound_id, position, created_at)
    values ('${fileId}', '${alice.id}', gen_random_uuid(), 'portfolio', 'ready', 0, repeat('a', 64), 'a.jpg', 'image/jpeg', 9, 9, repeat('b', 64), 'post',
      '${workId}', 0, now())`);
  await servers.resume();
});
afterAll(() => servers?.stop());

describe('a replica', () => {
  it('serves the pages of posts, agents, searches, works and the public pages, as the primary does', async () => {
    for (const [path, reader] of [...pages(), ...laterPages()]) {
      const { text, expected, served, instead } = await servers.compare(path, reader);
      expect(text).toBe(expected);
      expect(text).toMatch(/^200 /);
      expect({ path, served, instead }).toEqual({ path, served: 1, instead: 0 });
    }
  });

  const acts: readonly (readonly [string, () => Promise<unknown>, undo: () => Promise<unknown>])[] = [
    ['a closed profile', () => setProfile({ profile_public: false }), () => setProfile({ profile_public: true })],
    ['a changed profile', () => setProfile({ bio: 'Away.' }), () => setProfile({ bio: '' })],
    [
      'a suspended agent',
      () => operator('agents', 'suspend', 'alice'),
      () => operator('agents', 'reactivate', 'alice'),
    ],
    [
      'a post that became private',
      () => changeWork({ visibility: 'private' }),
      () => changeWork({ visibility: 'public' }),
    ],
    ['a changed post', () => changeWork({ text: 'A stork.' }), () => changeWork({ text: 'A heron at the lake.' })],
    ['a hidden post', () => operator('posts', 'hide', workId), () => operator('posts', 'show', workId)],
    ['a hidden file', () => operator('files', 'hide', fileId), () => operator('files', 'show', fileId)],
    ['a deleted post', () => servers.send(alice, 'DELETE', `/api/v1/posts/${workId}`), async () => undefined],
  ];
  const setProfile = (change: object) => servers.send(alice, 'PATCH', '/api/v1/bots/me', change);
  const changeWork = (change: object) => servers.send(alice, 'PATCH', `/api/v1/posts/${workId}`, change);
  const operator = async (...words: string[]) =>
    expect(await servers.replicated.operator(...words)).toMatchObject({ exitCode: 0 });

  it.each(acts)('that is paused never shows the previous state of %s', async (_, act, undo) => {
    await servers.pause();
    await act();
    expect(await findDifferent()).toEqual([]);
    await undo();
    await servers.resume();
    expect(await findDifferent()).toEqual([]);
  });

  it('that is paused shows agents their own changes immediately, and others later', async () => {
    const dora = await servers.signUp('dora');
    await servers.resume();
    await servers.pause();
    const own = async (path: string) => {
      const { text, expected } = await servers.compare(path, dora);
      expect(text).toBe(expected);
      return text;
    };
    await publish(dora, 'A private kingfisher.', { visibility: 'private' });
    expect(await own('/api/v1/posts')).toContain('kingfisher');
    await servers.send(dora, 'PATCH', '/api/v1/bots/me', { profile_public: true, display_name: 'Aa' });
    expect(await own('/api/v1/bots?page_size=1')).toContain('dora');
    const id = await publish(dora, 'A public avocet.');
    expect(await own('/api/v1/bots?q=avocet')).toContain('dora');
    expect(await own(`/api/v1/bots/${dora.id}`)).toContain('avocet');

    const others = async () => (await servers.compare('/api/v1/posts', bob)).text;
    expect(await others()).not.toContain('avocet');
    await servers.resume();
    expect(await others()).toContain('avocet');
    await servers.pause();
    await servers.send(dora, 'PATCH', `/api/v1/posts/${id}`, { text: 'A public bittern.' });
    expect(await own('/api/v1/bots?q=bittern')).toContain('dora');
    await servers.resume();
  });

  it('that is paused does not delay changes of friendships', async () => {
    await servers.pause();
    await servers.send(bob, 'POST', '/api/v1/contacts/requests', { recipient_id: alice.id });
    const { text, expected, served } = await servers.compare(`/api/v1/bots/${alice.id}`, bob);
    expect(text).toBe(expected);
    expect(text).toContain('outgoing');
    expect(served).toBe(1);
    await servers.resume();
  });

  it('has metrics, which the dashboard, the alerts and the documents mention', async () => {
    const before = await scrape(servers.server.metricsUrl);
    await servers.pause();
    await servers.compare('/api/v1/posts', bob);
    await servers.send(alice, 'PATCH', '/api/v1/bots/me', { bio: 'Back.' });
    await servers.compare('/api/v1/bots', bob);
    const sum = async (name: string) => (await scrape(servers.server.metricsUrl)).sum(name) ?? 0;
    await expect.poll(() => sum('agent_platform_replica_lag_seconds')).toBeGreaterThan(0);
    const now = await scrape(servers.server.metricsUrl);
    await servers.resume();
    const increase = (name: string, labels?: Readonly<Record<string, string>>) =>
      (now.sum(name, labels) ?? 0) - (before.sum(name, labels) ?? 0);
    expect(increase('agent_platform_replica_reads_total', { source: 'replica' })).toBe(1);
    expect(increase('agent_platform_replica_reads_total', { source: 'primary' })).toBe(1);
    expect(increase('agent_platform_replica_rows_unconfirmed_total')).toBe(1);

    const known = new Set(
      now.samples.map(({ name }) => name).filter((name) => name.startsWith('agent_platform_replica_')),
    );
    const dashboard = JSON.parse(readText('deploy/grafana.json')).panels.flatMap(
      ({ targets }: { targets: readonly { expr: string }[] }) => targets,
    );
    const alerts = parse(readText('deploy/alerts.yml')).groups.flatMap(
      ({ rules }: { rules: readonly { expr: string }[] }) => rules,
    );
    for (const expressions of [dashboard, alerts]) {
      const used: ReturnType<typeof findUsedMetrics> = expressions.flatMap(({ expr }: { expr: string }) =>
        findUsedMetrics(expr),
      );
      const named = used.filter(({ metric }) => metric.startsWith('agent_platform_replica_'));
      expect(named.length).toBeGreaterThan(1);
      expect(named.filter(({ metric }) => !known.has(metric))).toEqual([]);
      expect(named.flatMap(({ labels }) => labels).filter((label) => !['instance', 'source'].includes(label))).toEqual(
        [],
      );
    }
    for (const name of known) expect(readText('docs/reference/metrics.md')).toContain(`| \`${name}\` |`);
    expect(known.size).toBe(3);
  });

  it('that is frozen delays one read by half a second, and no other until it responds again', async () => {
    servers.standby.freeze();
    const timed = async () => {
      const quietMs = startLoadAdjustedTimer();
      const startedMs = performance.now();
      const { text, expected, served } = await servers.compare('/api/v1/posts', bob);
      expect(text).toBe(expected);
      expect(served).toBe(0);
      return { tookMs: performance.now() - startedMs, quietMs: quietMs() };
    };
    const first = await timed();
    expect(first.tookMs).toBeGreaterThan(450);
    expect(first.quietMs).toBeLessThan(2_000);
    for (let count = 0; count < 3; count += 1) expect((await timed()).quietMs).toBeLessThan(400);
    await expect.poll(() => messagesOf(servers.server)).toEqual([lost]);
    servers.standby.thaw();
    await expect.poll(async () => (await servers.compare('/api/v1/posts', bob)).served, { interval: 200 }).toBe(1);
    expect(messagesOf(servers.server)).toEqual([lost, 'the replica is used again']);
  });

  it('that is down makes no request fail, and delays no start', async () => {
    await servers.standby.end('SIGQUIT');
    for (let count = 0; count < 3; count += 1) expect(await findDifferent()).toEqual([]);
    const late = await servers.replicated.start();
    expect(messagesOf(late)).toEqual([lost]);
    await servers.standby.start();
    const path = '/api/v1/posts';
    await expect.poll(async () => (await servers.compare(path, bob)).served, { interval: 200 }).toBe(1);
    await expect
      .poll(async () => {
        await fetch(late.url + path, { headers: { authorization: `Bearer ${bob.token}` } });
        return late.store.replica?.counts.fromReplica;
      })
      .toBeGreaterThan(0);
    await late.stop();
  });

  it('is refused at the start if it is not a standby of the database, or if its user may not read', async () => {
    await servers.execute(`create role unprivileged login password 'unprivileged'`);
    await servers.resume();
    const { url } = servers.standby;
    const wrong = [
      [inject('postgresUrl'), 'points to another PostgreSQL cluster'],
      [servers.postgres.url, 'points to a server that is not a standby'],
      [
        Object.assign(new URL(url), { pathname: '/template1' }).href,
        'points to the database template1, not to postgres',
      ],
      [
        Object.assign(new URL(url), { username: 'unprivileged', password: 'unprivileged' }).href,
        'has a user without read access to bots, posts, attachments, search_texts',
      ],
    ] as const;
    for (const [address, reason] of wrong) {
      const installation = makeInstallation({ ...servers.env, PLATFORM_READ_DATABASE_URL: address });
      await expect(installation.start()).rejects.toThrow(`PLATFORM_READ_DATABASE_URL ${reason}.`);
      await installation.stop();
    }
  });

  it('that became a primary is no longer used', async () => {
    await servers.onStandby('select pg_promote()');
    expect(await findDifferent()).toEqual([]);
    expect((await servers.compare('/api/v1/posts', bob)).served).toBe(0);
  });
});
