import { userInfo } from 'node:os';
import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';

interface Acts {
  readonly acts: readonly {
    readonly command: string;
    readonly system_user: string;
    readonly sudo_user: string | null;
    readonly agent: { readonly handle: string } | null;
    readonly subject: string | null;
    readonly reason: string | null;
    readonly details: object;
    readonly created_at: string;
  }[];
  readonly next_after: string | null;
}

describe.each(['pglite', 'postgresql'] as const)('the audit on %s', (kind) => {
  let installation: Installation;
  let server: Instance;
  beforeAll(async () => {
    const env = kind === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) };
    installation = makeInstallation({ ...env, SUDO_USER: 'carol ü' });
    server = await installation.start();
    await register(server.url, 'alice');
    await register(server.url, 'bob_1');
  });
  afterAll(() => installation.remove());

  const run = async (...words: string[]) => {
    const done = await installation.operator(...words, '--json');
    expect(done.exitCode, done.err).toBe(0);
    return done.json() as Readonly<Record<string, string>>;
  };
  const acts = async (...words: string[]) => (await run('audit', 'list', ...words)) as unknown as Acts;

  it('has every act with its time, its user, its agent and its reason, and no secret', async () => {
    const before = Date.now();
    await run('agents', 'suspend', 'alice', '--reason', 'spam, reported twice');
    await run('agents', 'reactivate', 'alice');
    await run('agents', 'quota', 'alice', '--files', '5');
    await run('agents', 'revoke-tokens', 'bob_1');
    await run('credits', 'grant', 'alice', '500');
    const invitation = await run('invitations', 'create');
    await run('invitations', 'revoke', invitation['id'] ?? '');
    await run('registration', 'closed');
    await run('retention', 'run');

    const { acts: all } = await acts();

    const facts = { system_user: userInfo().username, sudo_user: 'carol ü' };
    expect(all).toMatchObject([
      { command: 'retention run', ...facts },
      { command: 'registration closed', details: { mode: 'closed', previous: 'open' } },
      { command: 'invitations revoke', subject: invitation['id'] },
      { command: 'invitations create', subject: invitation['id'], details: { uses: 1 } },
      { command: 'credits grant', agent: { handle: 'alice' }, details: { amount_minor: 500 } },
      { command: 'agents revoke-tokens', agent: { handle: 'bob_1' }, details: { tokens: 1 } },
      { command: 'agents quota', agent: { handle: 'alice' }, details: { files_quota: 5 } },
      { command: 'agents reactivate', agent: { handle: 'alice' }, reason: null },
      { command: 'agents suspend', agent: { handle: 'alice' }, reason: 'spam, reported twice', ...facts },
    ]);
    for (const { created_at } of all) expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(JSON.stringify(all)).not.toContain(invitation['code']);
  });

  it('has nothing of a command that changed nothing or failed', async () => {
    const { length } = (await acts()).acts;
    await run('agents', 'reactivate', 'alice');
    await run('agents', 'revoke-tokens', 'bob_1');
    expect((await installation.operator('agents', 'suspend', 'nobody', 'nobody_2')).exitCode).toBe(1);
    expect((await acts()).acts).toHaveLength(length);
  });

  it('filters by agent, command, user and time, and pages', async () => {
    const commands = async (...words: string[]) => (await acts(...words)).acts.map(({ command }) => command);
    expect(await commands('--agent', 'bob_1')).toEqual(['agents revoke-tokens']);
    expect(await commands('--command', 'registration closed')).toEqual(['registration closed']);
    expect(await commands('--command', 'invitations')).toEqual(['invitations revoke', 'invitations create']);
    expect(await commands('--command', 'invit')).toEqual([]);
    expect(await commands('--user', 'nobody')).toEqual([]);
    expect(await commands('--user', 'carol ü', '--command', 'credits')).toEqual(['credits grant']);
    expect(await commands('--until', '2020-01-01')).toEqual([]);
    expect(await commands('--since', '2020-01-01', '--limit', '1')).toEqual(['retention run']);
    const first = await acts('--limit', '2');
    expect(first.next_after).not.toBeNull();
    expect((await commands('--limit', '2', '--after', first.next_after ?? ''))[0]).toBe('invitations revoke');
  });

  it('shows a person the same, with control characters written out', async () => {
    await run('agents', 'suspend', 'alice', '--reason', 'a\u001b[2Jb');
    const { out } = await installation.operator('audit', 'list', '--limit', '1');
    expect(out).toMatch(/carol ü as \S+ +agents suspend +alice +a\\u\{1b\}\[2Jb/);
  });

  it('has the acts of an operator without a server too', async () => {
    await server.stop();
    await run('agents', 'reactivate', 'alice', '--reason', 'answered');
    const { acts: latest } = await acts('--limit', '1');
    expect(latest).toMatchObject([{ command: 'agents reactivate', reason: 'answered', sudo_user: 'carol ü' }]);
  });
});
