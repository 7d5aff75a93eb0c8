import { constants } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Credential, hideCredentialSecrets, isCredential } from '../credential.ts';
import { CredentialError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { CredentialStore } from './credential-store.ts';
import { makeFolder } from './make-folder.ts';
import { ignoreMissingFile, makeTemporaryName, replaceFile, syncFolder, writePrivateFile } from './replace-file.ts';

const fileMaxBytes = 65_536;
const groupAndOthers = 0o077;

/**
 * Stores the credential in a file that only its owner can read (0600, in a new folder with 0700). A save replaces the
 * whole file: after a crash it contains either the old or the new credential.
 *
 * @example
 * const credentials = fileCredentials('/home/alice/.config/agent/alice.json');
 */
export function fileCredentials(path: string): CredentialStore {
  const file = resolve(path);
  return {
    load: () => load(file),
    save: (credential) => save(file, credential),
    check: () => check(file),
  };
}

async function load(file: string): Promise<Credential | undefined> {
  const handle = await open(file, constants.O_RDONLY)
    .catch(ignoreMissingFile)
    .catch((error: unknown) => {
      throw unreadable(file, 'it cannot be opened', error);
    });
  if (handle === undefined) return undefined;
  try {
    // Checks the mode of the open file, because the path may point to another file by now.
    const { mode, size } = await handle.stat();
    if (process.platform !== 'win32' && (mode & groupAndOthers) !== 0) {
      throw unreadable(file, `the group or other users can read or change it; run: chmod 600 ${quoted(file)}`);
    }
    if (size > fileMaxBytes) throw unreadable(file, 'it is too large to be a credential');
    const text = await handle.readFile('utf8').catch((error: unknown) => {
      throw unreadable(file, 'it cannot be read', error);
    });
    const value = parseJson(text);
    if (!isCredential(value))
      throw unreadable(file, 'it does not contain a complete credential; restore it from a backup');
    return hideCredentialSecrets(value);
  } finally {
    await handle.close();
  }
}

async function save(file: string, credential: Credential): Promise<void> {
  await replaceFile(file, `${JSON.stringify(hideCredentialSecrets(credential), null, 2)}\n`);
}

async function check(file: string): Promise<void> {
  const trial = makeTemporaryName(file);
  try {
    makeFolder(dirname(file));
    // Refuses a folder, because the rename in `save` would fail only after the token was issued.
    const found = await stat(file).catch(ignoreMissingFile);
    if (found?.isFile() === false) throw new Error('the path is not a regular file');
    await writePrivateFile(trial, ' '.repeat(1024));
    await unlink(trial);
    await syncFolder(dirname(file));
  } catch (error) {
    await unlink(trial).catch(() => undefined);
    throw new CredentialError(
      'store_unwritable',
      `The credential cannot be stored in ${quoted(file)} (${reason(error)}); nothing was sent. Make the folder writable or choose another file.`,
      { cause: error },
    );
  }
}

function unreadable(file: string, why: string, cause?: unknown): CredentialError {
  return new CredentialError('credential_unreadable', `The credential in ${quoted(file)} is not used: ${why}.`, {
    cause,
  });
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
