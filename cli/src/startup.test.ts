import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { mainFile, startChild } from '../testing/child.ts';

// Prints the address of every module that is loaded.
const hook = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load(url, context, next) { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`,
)}`;

it.each([
  ['neither the SDK nor the commands', 'wallet show --help', /\/(sdk|contract|undici|cli\/src\/commands)\//],
  ['neither the SDK nor the commands', '__complete -- wallet s', /\/(sdk|contract|undici|cli\/src\/commands)\//],
  ['not even the parser', '--version', /\/(sdk|contract|undici|commander|cli\/src\/commands)\/|commands\.json$/],
  ['neither the SDK nor the other commands', 'completion bash', /\/(sdk|contract|undici)\/|\/catalogue\.ts$/],
  ['neither the SDK nor the other commands', 'whoami', /\/(sdk|contract|undici)\/|\/catalogue\.ts$/],
  ['neither the HTTP client nor the widths of characters', 'config list --json', /\/(undici|string-width)\//],
])('loads %s for "agentp %s"', async (_, line, unwanted) => {
  const args = ['--import', hook, mainFile, ...line.split(' ')];
  const home = makeTestFolder();
  mkdirSync(join(home, 'profiles'));
  const key = Buffer.alloc(32, 9).toString('base64');
  const keys = { encryption_public_key: key, encryption_secret_key: key };
  const agent = { origin: 'http://127.0.0.1:9', bot_id: 'id', handle: 'alice', token: 'apt_1', token_expires_at: '' };
  writeFileSync(join(home, 'profiles/alice.json'), JSON.stringify({ ...agent, ...keys }));
  const child = startChild(args, { env: { AGENTP_HOME: home }, program: process.execPath, stdin: '' });

  expect([0, 3]).toContain(await child.ended);
  const loaded = child.written.stderr.split('\n').filter((text) => text.startsWith('loaded file:'));
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter((url) => unwanted.test(url))).toEqual([]);
});

it('stores compiled code in the cache folder of the user, and works without it', async () => {
  const cache = makeTestFolder();
  for (const folder of [cache, '/dev/null']) {
    const env = { XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: '' };
    const child = startChild(['--version'], { env, stdin: '' });

    expect(await child.ended).toBe(0);
    expect(child.written.stderr).toBe('');
  }
  expect(readdirSync(join(cache, 'agentp'), { recursive: true }).length).toBeGreaterThan(5);
});
