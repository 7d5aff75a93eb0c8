import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialFor, failureOf, rotatedTestToken, testToken } from '../../testing/records.ts';
import { CredentialError } from '../errors.ts';
import { fileCredentials } from './file-credentials.ts';

const credential = credentialFor('https://platform.example');

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe('a credential file', () => {
  it('returns what was saved', async () => {
    const store = fileCredentials(join(makeTestFolder(), 'alice.json'));

    expect(await store.load()).toBeUndefined();
    await store.save(credential);
    expect({ ...(await store.load()) }).toEqual(credential);
    await store.save({ ...credential, token: null, token_expires_at: null });
    expect(await store.load()).toMatchObject({ token: null });
  });

  it('is accessible only to its owner, and so are the folders that are created for it', async () => {
    const path = join(makeTestFolder(), 'new', 'deeper', 'alice.json');

    await fileCredentials(path).save(credential);

    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(join(path, '..'))).toBe(0o700);
    expect(await modeOf(join(path, '..', '..'))).toBe(0o700);
  });

  it('is accessible only to its owner, whatever the umask and its mode before', async () => {
    const path = join(makeTestFolder(), 'alice.json');
    await writeFile(path, 'old', { mode: 0o644 });
    const before = process.umask(0o777);
    onTestFinished(() => {
      process.umask(before);
    });

    await fileCredentials(path).save(credential);

    expect(await modeOf(path)).toBe(0o600);
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o666])(
    'is not loaded with mode %o, and the error names the fix',
    async (mode) => {
      const path = join(makeTestFolder(), "al'ice.json");
      const store = fileCredentials(path);
      await store.save(credential);
      await chmod(path, mode);

      const error = await failureOf(store.load());

      expect(error).toBeInstanceOf(CredentialError);
      expect(error).toMatchObject({ code: 'credential_unreadable' });
      expect(String(error)).toContain("chmod 600 '");
      expect(String(error)).toContain("al'\\''ice.json'");
    },
  );

  it.each([
    ['empty', ''],
    ['half', JSON.stringify(credential).slice(0, 300)],
    ['not JSON', `token = ${testToken}`],
    ['another record', '{}'],
    ['a list', '[]'],
    ['huge', ' '.repeat(70_000)],
  ])('that is %s is refused, and the error does not contain its content', async (_, content) => {
    const path = join(makeTestFolder(), 'alice.json');
    await writeFile(path, content, { mode: 0o600 });

    const error = await failureOf(fileCredentials(path).load());

    expect(error).toMatchObject({ code: 'credential_unreadable' });
    expect(`${error} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`).not.toContain(testToken.slice(0, 8));
  });

  it('that is a folder is refused', async () => {
    expect(await failureOf(fileCredentials(makeTestFolder()).load())).toMatchObject({ code: 'credential_unreadable' });
  });

  it('is replaced atomically: readers load the old or the new credential, and no temporary file remains', async () => {
    const path = join(makeTestFolder(), 'alice.json');
    const store = fileCredentials(path);
    await store.save(credential);
    let isSaving = true;
    const seen = new Set<unknown>();

    const reading = (async () => {
      while (isSaving) seen.add((await store.load())?.token);
    })();
    for (let round = 0; round < 60; round += 1) {
      await store.save({ ...credential, token: round % 2 === 0 ? rotatedTestToken : testToken });
    }
    isSaving = false;
    await reading;

    expect([...seen].every((value) => value === testToken || value === rotatedTestToken)).toBe(true);
    expect(await readdir(join(path, '..'))).toEqual(['alice.json']);
  });

  it('leaves no temporary file when a save fails', async () => {
    const path = join(makeTestFolder(), 'alice.json');
    await mkdir(path);
    await writeFile(join(path, 'occupied'), '');

    await expect(fileCredentials(path).save(credential)).rejects.toThrow();

    expect(await readdir(join(path, '..'))).toEqual(['alice.json']);
  });

  it('contains only the credential', async () => {
    const path = join(makeTestFolder(), 'alice.json');
    const more = { ...credential, note: 'not ours' };

    await fileCredentials(path).save(more);

    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(credential);
  });
});

describe('the check before a token is issued', () => {
  it('creates only the folder', async () => {
    const path = join(makeTestFolder(), 'new', 'alice.json');

    await fileCredentials(path).check();

    expect(await readdir(join(path, '..'))).toEqual([]);
    expect(await modeOf(join(path, '..'))).toBe(0o700);
  });

  it('does not change the stored credential', async () => {
    const store = fileCredentials(join(makeTestFolder(), 'alice.json'));
    await store.save(credential);

    await store.check();

    expect({ ...(await store.load()) }).toEqual(credential);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['is a folder', (path) => mkdir(path)],
    ['is below a file', (path) => writeFile(join(path, '..', 'sub'), '')],
    ['is below a broken link', (path) => symlink('/nonexistent/nowhere', join(path, '..', 'sub'))],
  ])('fails when the path %s', async (_, prepare) => {
    const path = join(makeTestFolder(), 'alice.json');
    await prepare(path);
    const isBelow = (await readdir(join(path, '..'))).includes('sub');
    const store = fileCredentials(isBelow ? join(path, '..', 'sub', 'alice.json') : path);

    const error = await failureOf(store.check());

    expect(error).toBeInstanceOf(CredentialError);
    expect(error).toMatchObject({ code: 'store_unwritable' });
    expect(String(error)).toContain('nothing was sent');
  });
});
