import { readdirSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makePng } from '../../../testing/files/image-maker.ts';
import { type Installation, makeInstallation, register } from '../../../testing/installation.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { sendRequest } from '../../../testing/test-server.ts';
import { allCommands } from './all-commands.ts';

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

/** All commands that make changes accept a reason. */
const changing = allCommands.filter((command) => 'reason' in command.arguments.properties).map(({ name }) => name);

interface Made {
  readonly post: string;
  readonly file: string;
  readonly invitation: string;
  readonly folder: string;
}

/** Returns commands, their arguments and the recorded acts, in an order in which each command changes something. */
function changes({ post, file, invitation, folder }: Made): readonly (readonly [string, readonly string[], object])[] {
  const alice = { agent: { handle: 'alice' } };
  return [
    ['agents quota', ['alice', '--files', '5'], { ...alice, details: { files_quota: 5 } }],
    ['credits grant', ['alice', '500'], { ...alice, details: { amount_minor: 500 } }],
    ['posts hide', [post], { ...alice, subject: post }],
    ['posts show', [post], { ...alice, subject: post }],
    ['files hide', [file], { ...alice, subject: file }],
    ['files show', [file], { ...alice, subject: file }],
    ['files delete', [file], { ...alice, subject: file }],
    ['posts delete', [post], { ...alice, subject: post }],
    ['agents export', ['alice', '--out', folder], { ...alice, details: { folder } }],
    ['agents suspend', ['alice'], alice],
    ['agents reactivate', ['alice'], alice],
    ['agents revoke-tokens', ['bob_1'], { agent: { handle: 'bob_1' }, details: { tokens: 1 } }],
    ['agents erase', ['carol', '--yes'], { agent: { handle: 'carol' } }],
    ['invitations revoke', [invitation], { agent: null, subject: invitation }],
    ['registration closed', [], { details: { mode: 'closed', previous: 'open' } }],
    ['registration invitation', [], { details: { mode: 'invitation', previous: 'closed' } }],
    ['registration open', [], { details: { mode: 'open', previous: 'invitation' } }],
    ['demo seed', ['--agents', '1'], { agent: { handle: 'demo_delta' }, details: { works_added: 3, files_added: 6 } }],
    ['demo hide', [], { agent: { handle: 'demo_delta' } }],
    ['demo show', [], { agent: { handle: 'demo_delta' } }],
    ['backup create', [], { subject: expect.stringMatching(/^000001-/) }],
    ['backup create', [], { subject: expect.stringMatching(/^000002-/) }],
    ['storage repair', [], { subject: expect.stringMatching(/\.original$/) }],
    ['clock confirm', [], { details: { now: expect.any(String) } }],
    // Longer than the retention of backups, so that the next command has a backup to prune.
    ['clock advance', ['864000'], { details: { seconds: 864_000 } }],
    ['backup prune', [], { subject: expect.stringMatching(/^000001-/) }],
    ['retention run', [], { details: { now: expect.any(String) } }],
  ];
}

function loseFile(folder: string): void {
  const [name = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.original'),
  );
  rmSync(join(folder, name));
}

describe.each(['in a server', 'without a server'])('the audit of commands %s', (place) => {
  let installation: Installation;
  let made: Omit<Made, 'invitation'>;
  const before = Date.now();
  const facts = { system_user: userInfo().username, sudo_user: 'carol ü' };

  const run = async (...words: string[]) => {
    const done = await installation.operator(...words, '--json');
    expect(done.exitCode, done.err).toBe(0);
    return done.json() as Readonly<Record<string, string>>;
  };
  const acts = async (...words: string[]) => (await run('audit', 'list', ...words)) as unknown as Acts;
  /** Runs a command with a unique reason and expects that the latest act records it. */
  const expectAct = async (command: string, words: readonly string[], act: object) => {
    const reason = `why ${command}`;
    const result = await run(...command.split(' '), ...words, '--reason', reason);
    const latest = (await acts('--limit', '1')).acts[0];
    expect(latest).toMatchObject({ command, reason, ...facts, ...act });
    expect(Date.parse(latest?.created_at ?? '')).toBeGreaterThanOrEqual(before - 1_000);
    return result;
  };

  beforeAll(async () => {
    const DATABASE_URL = await freshDatabase(inject('postgresUrl'));
    installation = makeInstallation({ DATABASE_URL, SUDO_USER: 'carol ü', PLATFORM_CLOCK: 'test' });
    await expectAct('migrate', [], { details: { applied: expect.any(Array) } });
    const server = await installation.start();
    const { token } = await register(server.url, 'alice', { profile_public: true });
    for (const handle of ['bob_1', 'carol']) await register(server.url, handle);
    const { body } = await uploadFile(server.url, token, { file: makePng(9, 9), purpose: 'portfolio' });
    const file = String(body['attachment']?.['id']);
    const post = { text: 'a text', visibility: 'public', rights_confirmed: true, attachment_ids: [file] };
    const published = await sendRequest(server.url, 'POST', '/api/v1/posts', { token, body: post });
    const folder = join(installation.dataDir, 'exported');
    made = { file, post: String(published.body['post']?.['id']), folder };
    if (place === 'without a server') await server.stop();
  });
  afterAll(() => installation.stop());

  it('has every act of every command with its time, its user and its reason, and no secret', async () => {
    const create = await expectAct('invitations create', [], { details: { uses: 1 } });
    const { id: invitation = '', code } = create;
    const lines = changes({ ...made, invitation });
    for (const [command, words, act] of lines) {
      if (command === 'storage repair') loseFile(join(installation.dataDir, 'files'));
      await expectAct(command, words, act);
    }

    // `changes` does not contain these commands.
    const outside = ['migrate', 'invitations create', 'backup restore'];
    expect([...new Set([...lines.map(([command]) => command), ...outside])].toSorted()).toEqual(changing.toSorted());
    expect(JSON.stringify(await acts())).not.toContain(code);
  });

  it('has no entry of a command that changed nothing or failed', async () => {
    const { length } = (await acts()).acts;
    await run('agents', 'reactivate', 'alice');
    await run('agents', 'revoke-tokens', 'bob_1');
    await run('agents', 'erase', 'carol', '--yes');
    await run('demo', 'show');
    await run('registration', 'open');
    await run('backup', 'prune');
    await run('migrate');
    expect((await installation.operator('agents', 'suspend', 'nobody', 'nobody_2')).exitCode).toBe(1);
    expect((await installation.operator('agents', 'export', 'alice', '--out', made.folder)).exitCode).toBe(2);
    expect((await acts()).acts).toHaveLength(length);
  });

  it('filters by agent, command, user and time, and pages', async () => {
    const commandsOf = async (...words: string[]) => (await acts(...words)).acts.map(({ command }) => command);
    expect(await commandsOf('--agent', 'bob_1')).toEqual(['agents revoke-tokens']);
    expect(await commandsOf('--command', 'registration closed')).toEqual(['registration closed']);
    expect(await commandsOf('--command', 'invitations')).toEqual(['invitations revoke', 'invitations create']);
    expect(await commandsOf('--command', 'invit')).toEqual([]);
    expect(await commandsOf('--user', 'nobody')).toEqual([]);
    expect(await commandsOf('--user', 'carol ü', '--command', 'credits')).toEqual(['credits grant']);
    expect(await commandsOf('--until', '2020-01-01')).toEqual([]);
    expect(await commandsOf('--since', '2020-01-01', '--limit', '1')).toEqual(['retention run']);
    const first = await acts('--limit', '2');
    expect(first.next_after).not.toBeNull();
    expect((await commandsOf('--limit', '2', '--after', first.next_after ?? ''))[0]).toBe('clock advance');
  });

  it('shows a person the same, with control characters written out', async () => {
    await run('agents', 'suspend', 'alice', '--reason', 'a\u001b[2Jb');
    const { out } = await installation.operator('audit', 'list', '--limit', '1');
    expect(out).toMatch(/carol ü as \S+ +agents suspend +alice +a\\u\{1b\}\[2Jb/);
    const hidden = await installation.operator('audit', 'list', '--command', 'posts hide');
    expect(hidden.out).toContain(`  alice ${made.post}  `);
  });

  if (place === 'without a server')
    it('has a restore', async () => {
      await expectAct('backup restore', ['newest', '--replace'], { subject: expect.stringMatching(/^000002-/) });
      expect((await acts('--command', 'demo')).acts).toHaveLength(4);
    });
});
