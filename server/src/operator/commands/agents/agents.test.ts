import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectEvents } from '../../../../testing/event-client.ts';
import {
  type Installation,
  type Instance,
  makeInstallation,
  readPassportStatus,
  register,
} from '../../../../testing/installation.ts';
import { sendRequest } from '../../../../testing/test-server.ts';

interface Listed {
  readonly agents: readonly {
    readonly handle: string;
    readonly last_seen_at: string | null;
    readonly usage: Readonly<Record<string, number>>;
  }[];
  readonly next_after: string | null;
}

describe.each(['pglite', 'postgresql'] as const)('the care for agents on %s', (kind) => {
  let installation: Installation;
  let server: Instance;
  beforeAll(async () => {
    const env = kind === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) };
    installation = makeInstallation({ ...env, PLATFORM_WRITES_PER_MINUTE: '0' });
    server = await installation.start();
  });
  afterAll(() => installation.stop());

  const json = async <T = unknown>(...words: string[]) => (await installation.operator(...words, '--json')).json() as T;
  const listed = async (...words: string[]) =>
    (await json<Listed>('agents', 'list', ...words)).agents.map(({ handle }) => handle);
  const execute = (statement: ReturnType<typeof sql>) => server.store.transact((writer) => statement.execute(writer));
  const post = (token: string, text: string) =>
    sendRequest(server.url, 'POST', '/api/v1/posts', { token, body: { text } });

  it('lists agents by state, idleness and usage', async () => {
    const { token } = await register(server.url, 'writer');
    await register(server.url, 'idle');
    await register(server.url, 'away');
    await post(token, 'x'.repeat(500));
    await json('agents', 'suspend', 'away');
    await execute(sql`update bots set is_demo = true where handle = 'away'`);
    await execute(sql`update bots set created_at = now() - interval '40 days' where handle in ('idle', 'away')`);
    await execute(sql`update platform_facts set value = '2020-01-01T00:00:00Z' where name = 'visits_since'`);
    await execute(sql`
      insert into agent_visits select id, now() - interval '10 days' from bots where handle = 'away'`);

    expect(await listed('--suspended')).toEqual(['away']);
    expect(await listed('--demo')).toEqual(['away']);
    expect(await listed('--idle-days', '9')).toEqual(['away', 'idle']);
    expect(await listed('--idle-days', '11')).toEqual(['idle']);
    expect(await listed('--min-bytes', '500')).toEqual(['writer']);
    expect(await listed('--idle-days', '9', '--suspended')).toEqual(['away']);
    expect(await listed('--min-bytes', '500000')).toEqual([]);
    const { agents } = await json<Listed>('agents', 'list', '--min-bytes', '500');
    expect(agents).toMatchObject([{ usage: { files: 0, file_bytes: 0, uploads: 0, text_bytes: 506 } }]);
  });

  it('takes no agent for idle that was not watched for so long', async () => {
    await register(server.url, 'unknown_past');
    await execute(sql`update bots set created_at = now() - interval '400 days' where handle = 'unknown_past'`);
    await execute(sql`update platform_facts set value = (now() - interval '2 days')::text where name = 'visits_since'`);

    expect(await listed('--idle-days', '3')).not.toContain('unknown_past');
    expect(await listed('--idle-days', '1')).toContain('unknown_past');
  });

  it('changes several agents, reports the outcome of each, and fails if one is unknown', async () => {
    const tokens = [];
    for (const name of ['bulk_a', 'bulk_b', 'bulk_c']) tokens.push((await register(server.url, name)).token);
    const file = join(installation.dataDir, 'names.txt');
    writeFileSync(file, '# spam of today\nbulk_b\r\n\nbulk_b\nnobody\nNot{a,"handle\n');

    const outcome = await installation.operator('agents', 'suspend', 'bulk_a', '--file', file, '--json');

    expect(outcome.exitCode).toBe(1);
    expect(outcome.json()).toMatchObject({
      changed: 2,
      unchanged: 1,
      failed: 2,
      results: [
        { name: 'bulk_a', changed: true, error: null },
        { name: 'bulk_b', changed: true, error: null },
        { name: 'bulk_b', changed: false, error: null },
        { name: 'nobody', agent: null, error: { code: 'not_found' } },
        { name: 'Not{a,"handle', agent: null, error: { code: 'not_found' } },
      ],
    });
    expect(await Promise.all(tokens.map((token) => readPassportStatus(server.url, token)))).toEqual([403, 403, 200]);
    const back = await installation.operator('agents', 'reactivate', 'bulk_a', 'bulk_b');
    expect([back.exitCode, back.out]).toEqual([
      0,
      'bulk_a is active again.\nbulk_b is active again.\n\n2 changed, 0 unchanged, 0 failed.\n',
    ]);
  });

  it.each([
    [[], '--file'],
    [['--file', '/no/such/file'], 'cannot be read'],
    [['--file', tmpdir()], 'cannot be read'],
    [['x'.repeat(65)], 'Expected'],
  ])('refuses %j as a list of agents', async (words, reason) => {
    const refused = await installation.operator('agents', 'suspend', ...words);
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining(reason) });
  });

  it('ends all tokens of an agent, its event connection with them', async () => {
    const { token } = await register(server.url, 'revoked');
    const rotated = await sendRequest(server.url, 'POST', '/api/v1/tokens/rotate', { token });
    const newToken = rotated.body['token'] ?? '';
    const stream = await connectEvents(server.url, { token: newToken });

    expect(await json('agents', 'revoke-tokens', 'revoked')).toMatchObject({ changed: true });

    expect((await stream.ended).code).toBe(4401);
    expect(await readPassportStatus(server.url, newToken)).toBe(401);
    expect(await json('agents', 'revoke-tokens', 'revoked')).toMatchObject({ changed: false });
  });

  it('sets limits of an agent, and restores the settings', async () => {
    const { token } = await register(server.url, 'limited');
    await json('agents', 'quota', 'limited', '--text-bytes', '100', '--files', '0', '--uploads', '7');
    expect(await json('agents', 'show', 'limited')).toMatchObject({
      agent: {
        quotas: {
          files: { limit: 0, own: true },
          file_bytes: { limit: 104_857_600, own: false },
          uploads: { limit: 7, own: true },
          text_bytes: { limit: 100, own: true },
        },
      },
    });
    expect((await post(token, 'x'.repeat(200))).status).toBe(429);
    const grown = { token, body: { bio: 'x'.repeat(200) } };
    expect((await sendRequest(server.url, 'PATCH', '/api/v1/bots/me', grown)).status).toBe(429);

    expect(await json('agents', 'quota', 'limited', '--text-bytes', 'default')).toMatchObject({ changed: true });

    expect((await post(token, 'x'.repeat(200))).status).toBe(201);
    expect(await json('agents', 'quota', 'limited', '--text-bytes', 'default')).toMatchObject({ changed: false });
  });

  it.each([[['--files', '-1']], [['--files', '3000000000']], [['--files', '1e3']], [[]]])(
    'refuses the limits %j',
    async (words) => {
      await register(server.url, 'quota_wrong');
      expect(await installation.operator('agents', 'quota', 'quota_wrong', ...words)).toMatchObject({ exitCode: 2 });
    },
  );

  it('records when an agent was there', async () => {
    const { token } = await register(server.url, 'visitor');
    await register(server.url, 'absent');
    await readPassportStatus(server.url, token);
    await server.stop();
    server = await installation.start();

    const { agents } = await json<Listed>('agents', 'list');

    const seen = new Map(agents.map(({ handle, last_seen_at }) => [handle, last_seen_at]));
    expect(seen.get('absent')).toBeNull();
    expect(Date.now() - Date.parse(seen.get('visitor') ?? '')).toBeLessThan(120_000);
  });
});
