import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Credential, type CredentialStore, fileCredentials } from '@agent-platform/sdk';
import { isErrno, listFolder, removeFile, syncFolder } from './files.ts';
import { isProfileName } from './profile-name.ts';
import type { Profiles } from './profiles.ts';

// A registration is made in a file of its own, and takes the name of a profile
// only when it has succeeded. A kill at any point leaves one of three things,
// and none of them costs a token that was received:
//
// - before the answer is kept: a pending file without a token. Whether the
//   server has registered the agent is not known; `doctor` tells of the file.
// - after it is kept: a pending file with a token, or the part that was about
//   to become one. The next command gives it its name (`adoptFinished`).
// - while it takes its name: the pending file is removed last, so the
//   credential always has at least one name.

/** A registration that is under way: where its credential goes until it has a name. */
export interface PendingRegistration {
  readonly file: string;
  /** The store for the SDK. */
  readonly credentials: CredentialStore;
  /** Writes down what is about to be asked, with its key pair and no token. */
  record(attempt: Credential): Promise<void>;
  /** Gives the credential the name of its profile. */
  claim(): Promise<ClaimedProfile>;
  /** Forgets it: the server has clearly refused. */
  discard(): Promise<void>;
}

/** The profile that a registration has become. */
export interface ClaimedProfile {
  readonly name: string;
  /** Where the credential is now that had this name before; undefined when none had. */
  readonly previousFile: string | undefined;
}

/** A registration of an earlier command whose answer never came. */
export interface LostRegistration {
  readonly file: string;
  readonly attempt: Credential;
}

/** Begins a registration; `name` is the profile it is for, undefined for one called after the handle. */
export function beginRegistration(profiles: Profiles, name: string | undefined): PendingRegistration {
  const file = join(pendingFolder(profiles), `${name ?? namedAfterHandle}.${randomUUID()}.json`);
  const kept = fileCredentials(file);
  let issued: Credential | undefined;
  return {
    file,
    credentials: {
      check: () => kept.check(),
      save: async (credential) => {
        await kept.save(credential);
        issued = credential;
      },
      // The record of the attempt has no token: for the SDK there is nothing yet.
      load: async () => issued,
    },
    record: (attempt) => kept.save(attempt),
    claim: async () => {
      if (issued === undefined) throw new Error('A registration is claimed that has not succeeded.');
      return claim(profiles, file, issued);
    },
    discard: () => removeFile(file),
  };
}

/** What became of the finished registrations of killed commands. */
export interface Adoption {
  /** The profiles that were made of them. */
  readonly adopted: readonly string[];
  /** The files that could not be given their name. */
  readonly failed: readonly string[];
}

/** Gives registrations of earlier commands that were killed after the answer the name of their profile. */
export async function adoptFinished(profiles: Profiles, now: Date): Promise<Adoption> {
  const adopted: string[] = [];
  const failed: string[] = [];
  const pending = [...(await listPending(profiles, '.json')), ...(await listAbandonedParts(profiles, now))];
  for (const { file, attempt } of pending) {
    if (attempt.token === null) continue;
    // One that cannot be adopted must not keep the others from working.
    await claim(profiles, file, attempt).then(
      ({ name }) => adopted.push(name),
      () => failed.push(file),
    );
  }
  return { adopted, failed };
}

/** Registrations whose answer never came. One that runs at this moment in another process is among them. */
export async function findLost(profiles: Profiles): Promise<LostRegistration[]> {
  return (await listPending(profiles, '.json')).filter(({ attempt }) => attempt.token === null);
}

const namedAfterHandle = '_';

function pendingFolder(profiles: Profiles): string {
  return join(profiles.folder, 'pending');
}

async function listPending(profiles: Profiles, ending: '.json' | '.tmp'): Promise<LostRegistration[]> {
  const files = await listFolder(pendingFolder(profiles));
  const found = files.filter((file) => file.endsWith(ending)).map((file) => join(pendingFolder(profiles), file));
  const pending = await Promise.all(
    found.map(async (file) => {
      // A file that cannot be read here must not keep every command from
      // running; `doctor` looks at the folder itself.
      const attempt = await fileCredentials(file)
        .load()
        .catch(() => undefined);
      return attempt === undefined ? [] : [{ file, attempt }];
    }),
  );
  return pending.flat();
}

const partIsAbandonedAfterMs = 10_000;

// A kill between the last byte and the name leaves the whole credential in the
// part that would have replaced the record. A fresh one belongs to a command
// that runs right now.
async function listAbandonedParts(profiles: Profiles, now: Date): Promise<LostRegistration[]> {
  const parts = await Promise.all(
    (await listPending(profiles, '.tmp')).map(async (part) => {
      const { mtimeMs } = await stat(part.file);
      return now.getTime() - mtimeMs > partIsAbandonedAfterMs ? [part] : [];
    }),
  );
  return parts.flat();
}

async function claim(profiles: Profiles, file: string, credential: Credential): Promise<ClaimedProfile> {
  const name = nameFor(file, credential);
  const target = profiles.fileOf(name);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const previousFile = await linkWithoutLoss(file, target, credential);
  // The new name must outlive a power cut before the old one goes.
  await syncFolder(dirname(target));
  await removeFile(file);
  // Where it was a part, its record is settled with it.
  await removeFile(file.replace(/\.json\.[^./]+\.tmp$/, '.json'));
  await profiles.useIfFirst(name);
  return { name, previousFile };
}

// Two processes may claim one name at one time. Linking never replaces a file
// and setting aside moves whatever is there, so whoever comes last gets the
// name and every credential keeps a file. Tells where it has set one aside.
async function linkWithoutLoss(file: string, target: string, credential: Credential): Promise<string | undefined> {
  let previousFile: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await link(file, target);
      return previousFile;
    } catch (error) {
      // Another process was quicker, and has given it its name already.
      if (isErrno(error, 'ENOENT')) return previousFile;
      if (!isErrno(error, 'EEXIST') || attempt === linkAttemptsMax) throw error;
    }
    // Named before a kill; it may have been rotated since, so the named one is the newer.
    if ((await findBotId(target)) === credential.bot_id) return previousFile;
    previousFile = await setAside(target);
  }
}

const linkAttemptsMax = 20;

function nameFor(file: string, credential: Credential): string {
  const named = basename(file).split('.')[0] ?? '';
  if (isProfileName(named)) return named;
  if (isProfileName(credential.handle)) return credential.handle;
  // No handle of this platform comes here; the name must be safe all the same.
  return `agent-${createHash('sha256').update(credential.bot_id).digest('hex').slice(0, 12)}`;
}

async function findBotId(target: string): Promise<string | undefined> {
  const credential = await fileCredentials(target)
    .load()
    .catch(() => undefined);
  return credential?.bot_id;
}

/** Moves the credential of a profile to the first free `<name>.previous-<n>.json`, and tells which. */
export async function setAside(target: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const previous = target.replace(/\.json$/, `.previous-${n}.json`);
    try {
      // The name is taken first: a rename alone would replace an older one.
      await (await open(previous, 'wx', 0o600)).close();
    } catch (error) {
      if (isErrno(error, 'EEXIST')) continue;
      throw error;
    }
    try {
      await rename(target, previous);
    } catch (error) {
      await removeFile(previous);
      if (!isErrno(error, 'ENOENT')) throw error;
    }
    return previous;
  }
}
