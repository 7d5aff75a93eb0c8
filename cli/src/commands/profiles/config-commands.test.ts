import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { beforeEach, expect, it } from 'vitest';
import { type Machine, setUpMachine } from '../../../testing/agentp.ts';
import { startFaultyServer } from '../../../testing/stub-server.ts';

let machine: Machine;

async function addProfile(name: string, origin = 'https://platform.example'): Promise<void> {
  const { publicKey, secretKey } = generateKeyPair();
  await fileCredentials(join(machine.home, 'profiles', `${name}.json`)).save({
    origin,
    bot_id: `id-of-${name}`,
    handle: name,
    token: 'apt_x',
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  });
}

beforeEach(async () => {
  machine = setUpMachine('');
  await addProfile('alice');
});

it('keeps settings for each profile, and unsets them', async () => {
  await addProfile('bob');
  await machine.data(['config', 'set', 'timeout', '60', '--profile', 'alice']);

  expect(await machine.data(['config', 'get', 'timeout', '--profile', 'alice'])).toMatchObject({
    value: '60',
    is_set: true,
  });
  expect(await machine.data(['config', 'get', 'timeout', '--profile', 'bob'])).toMatchObject({ is_set: false });
  const { settings } = await machine.data(['config', 'list', '--profile', 'alice']);
  expect(settings).toMatchObject([{ name: 'base-url' }, { name: 'output' }, { value: '60' }, { name: 'color' }]);

  await machine.data(['config', 'set', 'timeout', '--unset', '--profile', 'alice']);
  expect(await machine.data(['config', 'get', 'timeout', '--profile', 'alice'])).toMatchObject({ is_set: false });
  await expect(stat(join(machine.home, 'settings/alice.json'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('applies a setting unless the command line overrides it', async () => {
  await machine.data(['config', 'set', 'output', 'text']);

  expect((await machine.run(['config', 'get', 'output'])).stdout).toBe('text\n');
  expect(await machine.data(['config', 'get', 'output', '--json'])).toMatchObject({ value: 'text' });
});

it.each([
  [['timeout', 'soon'], /number of seconds/],
  [['output', 'xml'], /not one of auto, json, text/],
  [['base-url', 'platform'], /not an address/],
  [['base-url', 'https://another.example'], /sent to https:\/\/platform.example only/],
  [['volume', '3'], /Allowed choices/],
  [['timeout'], /either a value or --unset/],
  [['timeout', '3', '--unset'], /either a value or --unset/],
])('refuses config set %j', async (words, message) => {
  expect(await machine.error(['config', 'set', ...words])).toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
  });
});

it('names a file of settings that cannot be read', async () => {
  await mkdir(join(machine.home, 'settings'));
  await writeFile(join(machine.home, 'settings/alice.json'), '{"timeout":');

  const error = await machine.error(['whoami']);

  expect(error).toMatchObject({ code: 'settings_unreadable', message: expect.stringContaining('alice.json') });
});

it('registers with the server of the current profile', async () => {
  const server = await startFaultyServer((response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'registration_unavailable', message: 'Closed.' } }));
  });
  await addProfile('bob', server.url);
  await machine.data(['profiles', 'use', 'bob']);

  expect(await machine.error(['register', '--handle', 'carol', '--display-name', 'C'])).toMatchObject({ status: 403 });

  expect(server.requests).toHaveLength(1);
  await server.close();
});
