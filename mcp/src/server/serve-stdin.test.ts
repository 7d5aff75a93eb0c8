import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { inheritedEnvironment } from '@agent-platform/testing';
import { expect, it } from 'vitest';
import { mainFile } from '../../testing/agents.ts';
import { makeFolder } from '../../testing/connect.ts';

/** Starts the program; `ended` resolves to its exit code and what it has written. */
async function start() {
  const home = makeFolder();
  await new FakePlatform().agent('alice', { credentials: fileCredentials(join(home, 'profiles', 'alice.json')) });
  const program = spawn(process.execPath, [mainFile, '--profile', 'alice', '--tools', 'me'], {
    env: { ...inheritedEnvironment(), AGENTP_HOME: home },
  });
  let stderr = '';
  program.stderr.on('data', (piece) => {
    stderr += piece;
  });
  program.stdin.on('error', () => undefined);
  const ended = once(program, 'exit').then(([code]) => ({ code, stderr }));
  return { program, ended };
}

const ends = { code: 0, stderr: 'agentp mcp: serving 2 tools as alice on stdin and stdout\n' };

it('ends in order after a message that is too large', async () => {
  const { program, ended } = await start();
  program.stdin.write('x'.repeat(11 * 1024 * 1024));

  expect(await ended).toEqual(ends);
});

it('ends in order when its client reads no more', async () => {
  const { program, ended } = await start();
  program.stdout.destroy();
  await once(program.stderr, 'data');
  const ping = setInterval(() => program.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'), 50);

  expect(await ended).toEqual(ends);
  clearInterval(ping);
});
