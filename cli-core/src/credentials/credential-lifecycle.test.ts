import fs, { type FileHandle, link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type Credential, fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, expect, it } from 'vitest';
import {
  completeIssuedCredentials,
  findUnansweredRegistrations,
  makeProfileCredentials,
  PendingRegistration,
} from './credential-lifecycle.ts';
import { openProfiles, type Profiles } from './profiles.ts';

let folder: string;
let profiles: Profiles;

async function openFolder(): Promise<void> {
  folder = makeTestFolder();
  profiles = openProfiles({ env: { AGENTP_HOME: folder }, homeFolder: join(folder, 'home') });
}
beforeEach(openFolder);

const { publicKey, secretKey } = generateKeyPair();

function credentialOf(handle: string, token = `apt_${handle}`, expiresAt: string | null = null): Credential {
  return {
    origin: 'https://platform.example',
    bot_id: `id-of-${handle}`,
    handle,
    token,
    token_expires_at: expiresAt,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  };
}

const requestOf = (handle: string): Credential => ({ ...credentialOf(handle), bot_id: '', token: null });

async function begin(handle: string, name?: string) {
  const pending = new PendingRegistration(profiles, name);
  await pending.storeRequest(requestOf(handle));
  return pending;
}

async function registerAgent(handle: string, name?: string) {
  const pending = await begin(handle, name);
  await pending.save(credentialOf(handle));
  return pending.issued;
}

/** Creates the files of a registration that was killed right after storing the response. */
async function killAfterResponse(handle: string, name?: string): Promise<string> {
  const { file } = await begin(handle, name);
  const issued = file.replace('.json', '.issued.json');
  await writeFile(issued, JSON.stringify(credentialOf(handle)), { mode: 0o600 });
  return issued;
}

async function findTokens(): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(json|tmp)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => /"token": ?"(apt_\w+)"/.exec(text)?.[1] ?? []).sort();
}

const tokenOf = async (name: string) => (await fileCredentials(profiles.fileOf(name)).load())?.token;
const pendingFiles = () => readdir(join(folder, 'pending'));

it('names the profile after the handle, or as requested', async () => {
  expect(await registerAgent('alice')).toEqual({ name: 'alice', previousFile: undefined });
  expect(await registerAgent('bob', 'work')).toEqual({ name: 'work', previousFile: undefined });
  expect(await profiles.list()).toEqual(['alice', 'work']);
  expect(await profiles.findCurrent()).toBe('alice');
});

it('finds a safe name for a handle that is not a valid profile name', async () => {
  const issued = await registerAgent('../Über');

  expect(issued?.name).toMatch(/^agent-[0-9a-f]{12}$/);
  expect(await profiles.list()).toEqual([issued?.name]);
});

it('keeps every former credential of a profile, with increasing numbers', async () => {
  for (const handle of ['first', 'second', 'third']) await registerAgent(handle, 'work');

  const tokenIn = async (file: string) => (await fileCredentials(join(folder, 'profiles', file)).load())?.token;
  expect(await tokenIn('work.json')).toBe('apt_third');
  expect(await tokenIn('work.previous-1.json')).toBe('apt_first');
  expect(await tokenIn('work.previous-2.json')).toBe('apt_second');
});

it('loses no credential when many registrations use one profile at the same time', async () => {
  const handles = Array.from({ length: 12 }, (_, index) => `agent${String(index).padStart(2, '0')}`);
  const pending = await Promise.all(handles.map((handle) => begin(handle, 'work')));

  await Promise.all(pending.map((registration, index) => registration.save(credentialOf(handles[index] ?? 'missing'))));

  expect(await findTokens()).toEqual(handles.map((handle) => `apt_${handle}`));
  expect(await profiles.list()).toEqual(['work']);
  expect(await pendingFiles()).toEqual([]);
});

it('completes a registration whose command was killed after the response', async () => {
  await killAfterResponse('alice');

  expect(await completeIssuedCredentials(profiles)).toEqual({ completed: ['alice'], failed: [] });

  expect(await tokenOf('alice')).toBe('apt_alice');
  expect(await profiles.findCurrent()).toBe('alice');
  expect(await completeIssuedCredentials(profiles)).toEqual({ completed: [], failed: [] });
  expect(await pendingFiles()).toEqual([]);
});

it('completes a registration once when two commands complete it at the same time', async () => {
  await killAfterResponse('alice');

  await Promise.all([
    completeIssuedCredentials(profiles),
    completeIssuedCredentials(profiles),
    completeIssuedCredentials(profiles),
  ]);

  expect(await findTokens()).toEqual(['apt_alice']);
  expect(await profiles.list()).toEqual(['alice']);
});

it('completes the files of version 0.1: a request with a token, and a whole temporary file', async () => {
  const { file } = await begin('alice', 'work');
  await writeFile(`${file}.0a1b2c.tmp`, JSON.stringify(credentialOf('alice')), { mode: 0o600 });
  await writeFile(`${file}.ffffff.tmp`, '{"origin":"https://pl', { mode: 0o600 });
  const other = await begin('bob');
  await writeFile(other.file, JSON.stringify(credentialOf('bob')), { mode: 0o600 });

  expect((await completeIssuedCredentials(profiles)).completed.toSorted()).toEqual(['bob', 'work']);

  expect(await findTokens()).toEqual(['apt_alice', 'apt_bob']);
  expect(await findUnansweredRegistrations(profiles)).toEqual([]);
});

it('keeps a newer token when an older file of the same agent remains', async () => {
  const issued = await killAfterResponse('alice');
  await link(issued, profiles.fileOf('alice'));
  await fileCredentials(profiles.fileOf('alice')).save(credentialOf('alice', 'apt_rotated'));

  await completeIssuedCredentials(profiles);

  expect(await tokenOf('alice')).toBe('apt_rotated');
  expect(await pendingFiles()).toEqual([]);
});

it('keeps a registration without a response, and reports it', async () => {
  const { file } = await begin('alice');

  expect(await completeIssuedCredentials(profiles)).toEqual({ completed: [], failed: [] });
  expect(await findUnansweredRegistrations(profiles)).toMatchObject([
    { file, credential: { handle: 'alice', token: null } },
  ]);
  expect(await profiles.list()).toEqual([]);
});

it('completes the other files when one cannot be completed', async () => {
  await killAfterResponse('alice', 'work');
  await killAfterResponse('bob');
  await rm(join(folder, 'profiles'), { recursive: true, force: true });
  await writeFile(join(folder, 'profiles'), 'in the way');

  expect((await completeIssuedCredentials(profiles)).failed).toHaveLength(2);
  await rm(join(folder, 'profiles'));
  expect((await completeIssuedCredentials(profiles)).completed.toSorted()).toEqual(['bob', 'work']);
});

it('does not overwrite another agent that was stored in the profile during a rotation', async () => {
  await registerAgent('first', 'work');
  const store = makeProfileCredentials(profiles, 'work');
  await registerAgent('second', 'work');

  await store.save(credentialOf('first', 'apt_rotated'));

  expect(await findTokens()).toEqual(['apt_first', 'apt_rotated', 'apt_second']);
});

const changing = ['mkdir', 'open', 'link', 'rename', 'rm'] as const;

/**
 * Runs the work up to this file operation, as if the process were killed before it; a killed write leaves half of its
 * text. Returns whether the work ended before the operation.
 */
async function stopAtFileOperation(operation: number, work: () => Promise<unknown>): Promise<boolean> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<false>();
  let operations = 0;
  const mayRun = async (lastWords?: () => Promise<unknown>): Promise<void> => {
    operations += 1;
    if (operations < operation) return;
    if (operations === operation) {
      await lastWords?.();
      stop(false);
    }
    // A killed process performs no other operation.
    await new Promise(() => undefined);
  };
  const originals = { ...fs };
  for (const name of changing) {
    const original = Reflect.get(originals, name);
    Reflect.set(fs, name, async (...args: unknown[]) => {
      await mayRun();
      const result: unknown = await Reflect.apply(original, fs, args);
      if (name === 'open') interceptWrites(result as FileHandle, mayRun);
      return result;
    });
  }
  syncBuiltinESMExports();
  try {
    return await Promise.race([work().then(() => true), stopped]);
  } finally {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
}

function interceptWrites(file: FileHandle, mayRun: (lastWords?: () => Promise<unknown>) => Promise<void>): void {
  const write = file.writeFile.bind(file);
  file.writeFile = async (data, options) => {
    await mayRun(() => write(String(data).slice(0, 60), options));
    await write(data, options);
  };
}

it('loses no stored token when a registration is killed at any file operation', async () => {
  for (let step = 1, isFinished = false; !isFinished; step += 1) {
    await rm(folder, { recursive: true });
    await openFolder();
    await registerAgent('former', 'work');
    const pending = await begin('alice', 'work');

    isFinished = await stopAtFileOperation(step, () => pending.save(credentialOf('alice')));

    const isStored = (await findTokens()).includes('apt_alice');
    await Promise.all([completeIssuedCredentials(profiles), completeIssuedCredentials(profiles)]);
    expect(await tokenOf('work'), `step ${step}`).toBe(isStored ? 'apt_alice' : 'apt_former');
    expect(await findTokens(), `step ${step}`).toEqual(isStored ? ['apt_alice', 'apt_former'] : ['apt_former']);
    expect(await findUnansweredRegistrations(profiles), `step ${step}`).toHaveLength(isStored ? 0 : 1);
    if (step > 5) expect(isStored).toBe(true);
  }
});

it('has the old or the new token when a rotation is killed at any file operation', async () => {
  for (let step = 1, isFinished = false; !isFinished; step += 1) {
    await rm(folder, { recursive: true });
    await openFolder();
    await registerAgent('alice');
    const store = makeProfileCredentials(profiles, 'alice');

    isFinished = await stopAtFileOperation(step, () =>
      store.save(credentialOf('alice', 'apt_new', '2026-12-21T00:00:00.000Z')),
    );

    const isStored = (await findTokens()).includes('apt_new');
    expect(await tokenOf('alice'), `step ${step}`).toMatch(/^apt_(alice|new)$/);
    await completeIssuedCredentials(profiles);
    expect(await tokenOf('alice'), `step ${step}`).toBe(isStored ? 'apt_new' : 'apt_alice');
  }
});
