import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTerminalProgram } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../../../testing/installation.ts';
import { runOperator } from '../../run-operator.ts';

const mainFile = join(import.meta.dirname, '../../main.ts');

let installation: Installation;
let server: Instance;
beforeAll(async () => {
  installation = makeInstallation();
  server = await installation.start();
  for (const handle of ['alice', 'bob_1', 'carol', 'dora']) await register(server.url, handle, { bio: 'a text' });
});
afterAll(() => installation.stop());

/** Simulates a person who types `typed` at the terminal. */
async function typing(typed: string, ...words: string[]) {
  let told = '';
  const asked: string[] = [];
  const exitCode = await runOperator(words, {
    env: installation.env,
    nodeVersion: 'v24.0.0',
    uid: process.getuid?.(),
    clock: () => new Date(),
    ask: async (question) => {
      asked.push(question);
      return typed;
    },
    out: (text) => {
      told += text;
    },
    err: (text) => {
      told += text;
    },
    errorStream: process.stderr,
  });
  return { exitCode, told, asked };
}

const shown = async (handle: string) =>
  (await installation.operator('agents', 'show', handle, '--json')).json() as {
    readonly agent: { readonly state: string; readonly suspended_at: string | null };
  };
const stateOf = async (handle: string) => (await shown(handle)).agent.state;

describe('agents erase', () => {
  it('shows what would be removed, and asks for the handle', async () => {
    const refused = await typing('alic', 'agents', 'erase', 'alice');
    expect(refused).toMatchObject({ exitCode: 2, asked: [expect.stringContaining('Type the handle alice')] });
    expect(refused.told).toMatch(/would remove:\n\nposts +0\n.*open orders +none/s);
    expect(await stateOf('alice')).toBe('active');

    expect(await typing('alice', 'agents', 'erase', 'alice')).toMatchObject({ exitCode: 0 });
    expect(await stateOf('alice')).toBe('erased');
  });

  it.each([
    ['\u0003', 130],
    ['\u0004', 2],
    ['bob\r', 2],
    ['dora\r', 0],
  ])('ends on a terminal after the answer %j with %d', async (typed, expected) => {
    const terminal = startTerminalProgram(`'${process.execPath}' '${mainFile}' agents erase dora`, installation.env);
    await expect.poll(() => terminal.screen()).toContain('Type the handle dora');
    terminal.type(typed);

    expect([await terminal.end(), terminal.screen()]).toEqual([expected, expect.any(String)]);
    expect(await stateOf('dora')).toBe(expected === 0 ? 'erased' : 'active');
  });

  it('needs --yes without a terminal', async () => {
    expect(await installation.operator('agents', 'erase', 'bob_1')).toMatchObject({ exitCode: 2 });
    expect(await installation.operator('agents', 'erase', 'bob_1', '--dry-run')).toMatchObject({ exitCode: 0 });
    expect(await stateOf('bob_1')).toBe('active');

    const erased = await installation.operator(
      'agents',
      'erase',
      'bob_1',
      '--yes',
      '--reason',
      'asked by mail',
      '--json',
    );
    expect(erased.json()).toMatchObject({ changed: true, agent: { handle: 'bob_1' }, open_orders: [] });
    const acts = ['audit', 'list', '--command', 'agents', '--since', '2020-01-01', '--limit', '1', '--json'];
    expect((await installation.operator(...acts)).json()).toMatchObject({
      acts: [{ command: 'agents erase', agent: { handle: 'bob_1' }, reason: 'asked by mail' }],
    });
    const listed = await installation.operator('agents', 'list', '--erased', '--json');
    expect(listed.json()).toMatchObject({
      agents: [{ handle: 'dora' }, { handle: 'bob_1', display_name: 'bob_1' }, { handle: 'alice' }],
    });
  });

  it('is permanent', async () => {
    const before = await shown('alice');
    for (const command of ['reactivate', 'suspend', 'revoke-tokens']) {
      const refused = await installation.operator('agents', command, 'alice', '--json');
      expect([refused.exitCode, JSON.parse(refused.err).error.code]).toEqual([1, 'erased']);
    }
    expect(before.agent.suspended_at).not.toBeNull();
    expect(await shown('alice')).toEqual(before);
    const again = await installation.operator('agents', 'erase', 'alice', '--yes');
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining('was already erased') });
  });
});

describe('agents export', () => {
  it('writes a new folder at the given path', async () => {
    const out = join(installation.dataDir, 'carol');
    const done = await installation.operator('agents', 'export', 'carol', '--out', out);
    expect(done).toMatchObject({ exitCode: 0, out: expect.stringContaining(`is exported to ${out}.`) });
    expect(readdirSync(out)).toContain('export.json');
    expect(await installation.operator('agents', 'export', 'carol', '--out', out)).toMatchObject({ exitCode: 2 });
  });

  it('requires a folder', async () => {
    expect(await installation.operator('agents', 'export', 'carol')).toMatchObject({ exitCode: 2 });
    expect(existsSync(join(process.cwd(), 'carol'))).toBe(false);
  });

  it('works without a server', async () => {
    await server.stop();
    const out = join(installation.dataDir, 'offline');
    expect(await installation.operator('agents', 'export', 'carol', '--out', out)).toMatchObject({ exitCode: 0 });
    expect(await installation.operator('agents', 'erase', 'carol', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await stateOf('carol')).toBe('erased');
    expect((await installation.operator('audit', 'list', '--agent', 'carol', '--json')).json()).toMatchObject({
      acts: [{ command: 'agents erase' }, { command: 'agents export', details: { folder: out } }, {}],
    });
  });
});
