import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeAll, expect, it } from 'vitest';
import { type Machine, openMachine } from '../../testing/agentp.ts';

let machine: Machine;
beforeAll(async () => {
  const home = makeTestFolder();
  const platform = new FakePlatform();
  await platform.agent('alice', { credentials: fileCredentials(join(home, 'profiles', 'alice.json')) });
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
])('exits with %i and %s for %j, and says so on stderr too', async (exitCode, code, options) => {
  const outcome = await machine.run(['mcp', ...options]);

  expect(outcome.exitCode).toBe(exitCode);
  const { error } = JSON.parse(outcome.stdout || '{"error":{"code":"usage"}}');
  expect(error.code).toBe(code);
  expect(outcome.stderr).toContain('agentp');
});
