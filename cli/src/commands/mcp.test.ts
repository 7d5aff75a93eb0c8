import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeAll, expect, it } from 'vitest';
import { type Machine, openMachine } from '../../testing/agentp.ts';

let machine: Machine;
let stateFolder: string;
beforeAll(async () => {
  const home = makeTestFolder();
  const platform = new FakePlatform();
  const credentials = fileCredentials(join(home, 'profiles', 'alice.json'));
  await platform.agent('alice', { credentials });
  stateFolder = join(home, 'state', (await credentials.load())?.bot_id ?? '');
  machine = openMachine(home, platform.options.baseUrl);
});

it.each([
  [2, 'usage', ['--http', '65536']],
  [2, 'usage', ['--spend-limit-minor', '1.5']],
  [2, 'usage', ['--tools', 'orders,']],
  [2, 'unknown_tool', ['--tools', 'order']],
  [2, 'unknown_class', ['--allow', 'money']],
  [1, 'no_tools', ['--tools', 'files_upload']],
  [3, 'no_credential', ['--profile', 'nobody']],
])(
  'exits with %i and %s for %j, and says so only on stderr, because stdout carries the protocol',
  async (exitCode, code, options) => {
    const outcome = await machine.run(['mcp', ...options]);

    expect(outcome).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(`(${code})`) });
  },
);

it('serves with an invalid spending policy, and reports it', async () => {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateFolder, 'spending-policy.json'), '{');
  const ending = new AbortController();
  const onStderr = (text: string) => void (text.includes('serving') && ending.abort());

  const outcome = await machine.run(['mcp', '--read-only', '--http', '0'], { signal: ending.signal, onStderr });

  expect(outcome).toMatchObject({ exitCode: 0, stdout: '' });
  expect(outcome.stderr).toContain('agentp mcp: orders are refused: ');
});
