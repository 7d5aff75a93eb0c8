import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findConfigFolder } from './config-folder.ts';
import { isProfileName } from './profile-name.ts';
import { openProfiles } from './profiles.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentp-profiles-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function add(name: string): Promise<void> {
  const { publicKey, secretKey } = generateKeyPair();
  await fileCredentials(openProfiles(folder).fileOf(name)).save({
    origin: 'https://platform.example',
    bot_id: name,
    handle: name,
    token: 'apt_x',
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  });
}

it('looks for the folder in AGENTP_HOME, then where the system keeps settings, then in the home folder', () => {
  const homeFolder = '/home/alice';
  expect(findConfigFolder({ env: { AGENTP_HOME: '/a', XDG_CONFIG_HOME: '/x' }, homeFolder })).toBe('/a');
  expect(findConfigFolder({ env: { AGENTP_HOME: '', XDG_CONFIG_HOME: '/x' }, homeFolder })).toBe('/x/agentp');
  expect(findConfigFolder({ env: {}, homeFolder })).toBe('/home/alice/.config/agentp');
});

it.each(['alice', 'a', '0-day_9', 'x'.repeat(64)])('takes %j for the name of a profile', (name) => {
  expect(isProfileName(name)).toBe(true);
});

it.each(['', '..', 'a/b', 'a.b', 'Alice', '-x', '_x', 'a\n', 'x'.repeat(65), 'ä'])('refuses %j', (name) => {
  expect(isProfileName(name)).toBe(false);
  expect(() => openProfiles(folder).fileOf(name)).toThrow(/cannot be the name/);
});

it('chooses the named profile, else the current one, else the only one', async () => {
  const profiles = openProfiles(folder);
  await expect(profiles.choose(undefined)).rejects.toMatchObject({ code: 'no_credential' });

  await add('alice');
  expect(await profiles.choose(undefined)).toBe('alice');

  await add('bob');
  await expect(profiles.choose(undefined)).rejects.toThrow('No profile is chosen. There are: alice, bob.');
  expect(await profiles.choose('bob')).toBe('bob');

  await profiles.use('bob');
  expect(await profiles.choose(undefined)).toBe('bob');
  await profiles.useIfFirst('alice');
  expect(await profiles.choose(undefined)).toBe('bob');
});

it('refuses to use a profile that is not there', async () => {
  await add('alice');
  await expect(openProfiles(folder).use('bob')).rejects.toThrow('There is no profile "bob". There are: alice.');
});

it('keeps the choice in a private file, and a choice that is gone counts as none', async () => {
  const profiles = openProfiles(folder);
  await add('alice');
  await profiles.use('alice');
  expect((await stat(join(folder, 'current-profile'))).mode & 0o777).toBe(0o600);

  await rm(profiles.fileOf('alice'));
  await add('bob');
  expect(await profiles.findCurrent()).toBe('bob');
});

it('lists profiles and none of the files beside them', async () => {
  await add('bob');
  await add('alice');
  for (const name of ['alice.previous-1.json', 'alice.json.12ab.tmp', 'notes.txt', '.json']) {
    await writeFile(join(folder, 'profiles', name), '');
  }
  expect(await openProfiles(folder).list()).toEqual(['alice', 'bob']);
});
