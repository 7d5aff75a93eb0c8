import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Credential, hideCredentialSecrets, isCredential } from '../credential.ts';
import { CredentialError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { CredentialStore } from './credential-store.ts';

const fileMaxBytes = 65_536;
const groupAndOthers = 0o077;

/**
 * Keeps the credential in one file that its owner alone can read (0600, in a
 * folder made with 0700). A save replaces the file as a whole: after a crash
 * there is the old credential or the new one, never a half.
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
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw unreadable(file, 'it cannot be opened', error);
  }
  try {
    return await read(file, handle);
  } finally {
    await handle.close();
  }
}

async function read(file: string, handle: FileHandle): Promise<Credential> {
  // The open file is judged, not its name: the name could point elsewhere by now.
  const { mode, size } = await handle.stat();
  if (process.platform !== 'win32' && (mode & groupAndOthers) !== 0) {
    throw unreadable(file, `group or others can read or change it; run: chmod 600 ${quoted(file)}`);
  }
  if (size > fileMaxBytes) throw unreadable(file, 'it is too large to be a credential');
  const text = await handle.readFile('utf8').catch((error: unknown) => {
    throw unreadable(file, 'it cannot be read', error);
  });
  const value = parseJson(text);
  if (!isCredential(value)) throw unreadable(file, 'it does not hold a whole credential; restore it from a copy');
  return hideCredentialSecrets(value);
}

async function save(file: string, credential: Credential): Promise<void> {
  const text = `${JSON.stringify(hideCredentialSecrets(credential), null, 2)}\n`;
  const part = temporaryName(file);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeDurably(part, text);
    await rename(part, file);
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

async function check(file: string): Promise<void> {
  const probe = temporaryName(file);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // A rename onto a folder would fail, and only after the token was issued.
    if (await isOtherThanFile(file)) throw new Error('the path is not a regular file');
    await writeDurably(probe, ' '.repeat(1024));
    await unlink(probe);
    await syncFolder(dirname(file));
  } catch (error) {
    await unlink(probe).catch(() => undefined);
    throw new CredentialError(
      'store_unwritable',
      `No credential could be kept in ${quoted(file)} (${reason(error)}); nothing was sent. Make the folder writable or name another file.`,
      { cause: error },
    );
  }
}

async function isOtherThanFile(file: string): Promise<boolean> {
  try {
    return !(await stat(file)).isFile();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    // A strange umask must not leave a file that its owner cannot read back.
    await handle.chmod(0o600);
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Without it a power cut can undo the rename although the file was synced.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function temporaryName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`;
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

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
