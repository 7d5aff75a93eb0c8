import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { findHomeFolder } from '../io/home-folder.ts';
import { findConfigFolder, isProfileName } from './profile-names.ts';
import { openProfiles } from './profiles.ts';

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
});

const openFolder = () => openProfiles({ env: { AGENTP_HOME: folder }, homeFolder: '/nowhere' });

async function add(name: string): Promise<void> {
  const { publicKey, secretKey } = generateKeyPair();
  await fileCredentials(openFolder().fileOf(name)).save({
    origin: 'https://platform.example',
    bot_id: name,
    handle: name,
    token: 'apt_x',
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  });
}

it('finds the folder in AGENTP_HOME, then in the configuration folder of the system, then in the home folder', () => {
  const homeFolder = '/home/alice';
  expect(findConfigFolder({ env: { AGENTP_HOME: '/a', XDG_CONFIG_HOME: '/x' }, homeFolder })).toBe('/a');
  expect(findConfigFolder({ env: { AGENTP_HOME: '', XDG_CONFIG_HOME: '/x' }, homeFolder })).toBe('/x/agentp');
  expect(findConfigFolder({ env: {}, homeFolder })).toBe('/home/alice/.config/agentp');
});

it('reads an empty HOME as unset', () => {
  vi.stubEnv('HOME', '');
  onTestFinished(() => void vi.unstubAllEnvs());

  expect(findHomeFolder()).toMatch(/^\/./);
});

it.each(['alice', 'a', '0-day_9', 'x'.repeat(64)])('accepts %j as a profile name', (name) => {
  expect(isProfileName(name)).toBe(true);
});

it.each(['', '..', 'a/b', 'a.b', 'Alice', '-x', '_x', 'a\n', 'x'.repeat(65), 'ä'])('refuses %j', (name) => {
  expect(isProfileName(name)).toBe(false);
  expect(() => openFolder().fileOf(name)).toThrow(/is not a valid profile name/);
});

it('chooses the given profile, or else the current one, or else the only one', async () => {
  const profiles = openFolder();
  await expect(profiles.choose(undefined)).rejects.toMatchObject({ code: 'no_credential' });

  await add('alice');
  expect(await profiles.choose(undefined)).toBe('alice');

  await add('bob');
  await expect(profiles.choose(undefined)).rejects.toThrow('No profile is selected. Profiles: alice, bob.');
  expect(await profiles.choose('bob')).toBe('bob');

  await profiles.use('bob');
  expect(await profiles.choose(undefined)).toBe('bob');
  await profiles.useIfFirst('alice');
  expect(await profiles.choose(undefined)).toBe('bob');
});

it('refuses to use a profile that does not exist', async () => {
  await add('alice');
  await expect(openFolder().use('bob')).rejects.toThrow('The profile "bob" does not exist. Profiles: alice.');
});

it('stores the choice in a private file, and ignores a choice without a profile', async () => {
  const profiles = openFolder();
  await add('alice');
  await profiles.use('alice');
  expect((await stat(join(folder, 'current-profile'))).mode & 0o777).toBe(0o600);

  await rm(profiles.fileOf('alice'));
  await add('bob');
  expect(await profiles.findCurrent()).toBe('bob');
});

it('lists profiles and ignores the other files beside them', async () => {
  await add('bob');
  await add('alice');
  for (const name of ['alice.previous-1.json', 'alice.json.12ab.tmp', 'notes.txt', '.json']) {
    await writeFile(join(folder, 'profiles', name), '');
  }
  expect(await openFolder().list()).toEqual(['alice', 'bob']);
});
