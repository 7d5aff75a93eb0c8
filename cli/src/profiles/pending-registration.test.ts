import { link, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Credential, fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepApart } from './keep-apart.ts';
import { adoptFinished, beginRegistration, findLost } from './pending-registration.ts';
import { openProfiles, type Profiles } from './profiles.ts';

let folder: string;
let profiles: Profiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentp-profiles-'));
  profiles = openProfiles(folder);
});
afterEach(() => rm(folder, { recursive: true }));

function credentialOf(handle: string, token: string | null = `apt_${handle}`): Credential {
  const { publicKey, secretKey } = generateKeyPair();
  return {
    origin: 'https://platform.example',
    bot_id: `id-of-${handle}`,
    handle,
    token,
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  };
}

async function succeed(handle: string, name?: string) {
  const pending = beginRegistration(profiles, name);
  await pending.record(credentialOf(handle, null));
  await pending.credentials.save(credentialOf(handle));
  return pending;
}

/** Every token in every file, wherever it is. */
async function findTokens(): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => /apt_\w+/.exec(text)?.[0] ?? []).sort();
}

it('names the profile after the handle, or as it was asked to', async () => {
  expect(await (await succeed('alice')).claim()).toEqual({ name: 'alice', previousFile: undefined });
  expect(await (await succeed('bob', 'work')).claim()).toEqual({ name: 'work', previousFile: undefined });
  expect(await profiles.list()).toEqual(['alice', 'work']);
  expect(await profiles.findCurrent()).toBe('alice');
});

it('finds a safe name for a handle that cannot be one', async () => {
  const { name } = await (await succeed('../Über')).claim();

  expect(name).toMatch(/^agent-[0-9a-f]{12}$/);
  expect(await profiles.list()).toEqual([name]);
});

it('keeps every credential that a name has had, in the order of its numbers', async () => {
  for (const handle of ['first', 'second', 'third']) await (await succeed(handle, 'work')).claim();

  const tokenIn = async (file: string) => (await fileCredentials(join(folder, 'profiles', file)).load())?.token;
  expect(await tokenIn('work.json')).toBe('apt_third');
  expect(await tokenIn('work.previous-1.json')).toBe('apt_first');
  expect(await tokenIn('work.previous-2.json')).toBe('apt_second');
});

it('loses no credential when many claim one name at one time', async () => {
  const handles = Array.from({ length: 12 }, (_, index) => `agent${String(index).padStart(2, '0')}`);
  const pending = await Promise.all(handles.map((handle) => succeed(handle, 'work')));

  await Promise.all(pending.map(({ claim }) => claim()));

  expect(await findTokens()).toEqual(handles.map((handle) => `apt_${handle}`));
  expect(await profiles.list()).toEqual(['work']);
  expect(await readdir(join(folder, 'pending'))).toEqual([]);
});

it('makes a profile of a registration whose command was killed after the answer', async () => {
  await succeed('alice');

  expect(await adoptFinished(profiles, new Date())).toEqual({ adopted: ['alice'], failed: [] });

  expect((await fileCredentials(profiles.fileOf('alice')).load())?.token).toBe('apt_alice');
  expect(await profiles.findCurrent()).toBe('alice');
  expect(await adoptFinished(profiles, new Date())).toEqual({ adopted: [], failed: [] });
});

it('finds a credential that was written and not yet put in its place, once nobody can be at it any more', async () => {
  const pending = beginRegistration(profiles, 'work');
  await pending.record(credentialOf('alice', null));
  const part = `${pending.file}.0a1b2c.tmp`;
  await writeFile(part, JSON.stringify(credentialOf('alice')), { mode: 0o600 });
  await writeFile(`${pending.file}.ffffff.tmp`, '{"origin":"https://pl', { mode: 0o600 });

  expect(await adoptFinished(profiles, new Date())).toEqual({ adopted: [], failed: [] });
  expect(await adoptFinished(profiles, new Date(Date.now() + 60_000))).toEqual({ adopted: ['work'], failed: [] });

  expect(await findTokens()).toEqual(['apt_alice']);
  expect(await findLost(profiles)).toEqual([]);
});

it('does not bring an old token back when the kill came after the name was given', async () => {
  const { file } = await succeed('alice');
  const { claim } = await succeed('bob');
  await claim();
  await link(file, profiles.fileOf('alice'));
  await fileCredentials(profiles.fileOf('alice')).save({ ...credentialOf('alice'), token: 'apt_rotated' });

  await adoptFinished(profiles, new Date());

  expect((await fileCredentials(profiles.fileOf('alice')).load())?.token).toBe('apt_rotated');
  expect(await readdir(join(folder, 'pending'))).toEqual([]);
});

it('leaves a registration alone whose answer never came, and tells of it', async () => {
  const pending = beginRegistration(profiles, undefined);
  await pending.record(credentialOf('alice', null));

  expect(await adoptFinished(profiles, new Date())).toEqual({ adopted: [], failed: [] });
  expect(await findLost(profiles)).toMatchObject([{ file: pending.file, attempt: { handle: 'alice', token: null } }]);
  expect(await profiles.list()).toEqual([]);
});

it('goes on with the others when one cannot be adopted', async () => {
  await succeed('alice', 'work');
  await succeed('bob');
  await rm(join(folder, 'profiles'), { recursive: true, force: true });
  await writeFile(join(folder, 'profiles'), 'in the way');

  expect((await adoptFinished(profiles, new Date())).failed).toHaveLength(2);
  await rm(join(folder, 'profiles'));
  expect((await adoptFinished(profiles, new Date())).adopted).toEqual(['bob', 'work']);
});

it('does not let the token of one agent overwrite another that took its name meanwhile', async () => {
  const first = credentialOf('first');
  await fileCredentials(profiles.fileOf('work')).save(first);
  const store = keepApart(profiles.fileOf('work'), first.bot_id);
  await (await succeed('second', 'work')).claim();

  await store.save({ ...first, token: 'apt_rotated' });

  expect(await findTokens()).toEqual(['apt_first', 'apt_rotated', 'apt_second']);
});
