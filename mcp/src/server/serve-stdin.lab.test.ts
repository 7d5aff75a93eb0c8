import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { inheritedEnvironment } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { mcpMainFile } from '../../testing/agents.ts';

/** Starts the program; `ended` resolves to its exit code and its output on stderr. */
async function start(origin?: string) {
  const home = makeTestFolder();
  const profile = join(home, 'profiles', 'alice.json');
  await new FakePlatform().agent('alice', { credentials: fileCredentials(profile) });
  if (origin !== undefined)
    await writeFile(profile, JSON.stringify({ ...JSON.parse(await readFile(profile, 'utf8')), origin }));
  const program = spawn(process.execPath, [mcpMainFile, '--profile', 'alice', '--tools', 'me'], {
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

it('ends cleanly after a message that is too large', async () => {
  const { program, ended } = await start();
  program.stdin.write('x'.repeat(11 * 1024 * 1024));

  expect(await ended).toEqual(ends);
});

it('ends cleanly when its client stops reading', async () => {
  const { program, ended } = await start();
  program.stdout.destroy();
  await once(program.stderr, 'data');
  const ping = setInterval(() => program.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'), 50);

  expect(await ended).toEqual(ends);
  clearInterval(ping);
});

it('ends within two seconds after its client has ended, even if its platform does not answer', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = createServer((socket) => socket.on('error', () => undefined).once('data', () => asked.resolve()));
  const { port } = (await once(silent.listen(0, '127.0.0.1'), 'listening').then(() => silent.address())) as AddressInfo;
  const { program, ended } = await start(`http://127.0.0.1:${port}`);
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  for (const message of [
    { id: 1, method: 'initialize', params: initialize },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'me_show', arguments: {} } },
  ])
    program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await asked.promise;
  const closedAt = performance.now();
  program.stdin.end();

  expect(await ended).toMatchObject({ code: 0 });
  // 10 s instead of 2 s allows for a busy machine; without the time limit of `serveAgent` the exit takes 15 s.
  expect(performance.now() - closedAt).toBeLessThan(10_000);
  silent.close();
});
