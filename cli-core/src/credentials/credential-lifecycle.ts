import { createHash, randomUUID } from 'node:crypto';
import { link, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Credential, type CredentialStore, fileCredentials } from '@agent-platform/sdk';
import { HintedError } from '../errors/failure.ts';
import { createPrivateFile, hasSystemErrorCode, listFolder, removeFile, syncFolder } from './files.ts';
import { makeFolder } from './make-folder.ts';
import { isProfileName } from './profile-names.ts';
import type { Profiles } from './profiles.ts';

// A credential has three states. Each is a separate file, which is created exclusively and never changed:
//
// - requested: `pending/NAME.UUID.json`, a key pair without token and id. If the command is killed, the server may or
//   may not have registered the agent; `doctor` reports the file.
// - issued: `pending/NAME.UUID.issued.json`, the response of the server to a registration, a rotation or a revocation.
//   A partly written file does not parse and is ignored.
// - current: `profiles/NAME.json`. An issued file gets this name by an exclusive link, or by a rename over an older
//   credential of the same agent. The former name is removed last, so after a kill the next command completes the step
//   (`completeIssuedCredentials`).

const anyName = '_';
const linkAttemptsMax = 20;

/** A registration in progress. If it has no profile name, the profile is named after the handle. */
export class PendingRegistration implements CredentialStore {
  readonly file: string;
  /** Undefined until the server's response is stored. */
  issued: Awaited<ReturnType<typeof makeCurrent>> | undefined;
  readonly #profiles: Profiles;

  constructor(profiles: Profiles, name: string | undefined) {
    this.file = join(profiles.pendingFolder, `${name ?? anyName}.${randomUUID()}.json`);
    this.#profiles = profiles;
  }

  /** Stores the request, which has a key pair and no token, before it is sent. */
  async storeRequest(request: Credential): Promise<void> {
    await this.check();
    await createPrivateFile(this.file, toText(request));
  }

  /** Call this only after a definite refusal; otherwise, the server may have registered the agent. */
  async discard(): Promise<void> {
    await removeFile(this.file);
  }

  /** Always undefined: the request has no token, so the SDK has no credential yet. */
  async load(): Promise<undefined> {
    return undefined;
  }

  async check(): Promise<void> {
    await checkFolders(this.#profiles);
  }

  async save(credential: Credential): Promise<void> {
    this.issued = await saveIssued(this.#profiles, this.file, credential);
  }
}

/** The credential store of a profile. It never overwrites another agent's credential that was stored concurrently. */
export function makeProfileCredentials(profiles: Profiles, name: string): CredentialStore {
  return {
    load: () => fileCredentials(profiles.fileOf(name)).load(),
    check: () => checkFolders(profiles),
    save: async (credential) => {
      await saveIssued(profiles, join(profiles.pendingFolder, `${name}.${randomUUID()}.json`), credential);
    },
  };
}

/** Completes the credential changes that killed commands left unfinished. A file for which this fails is kept. */
export async function completeIssuedCredentials(profiles: Profiles) {
  const completed: string[] = [];
  const failed: string[] = [];
  for (const { file, credential } of await listPending(profiles)) {
    if (credential.bot_id === '') continue;
    await makeCurrent(profiles, file, credential, isNewer).then(
      ({ name }) => completed.push(name),
      () => failed.push(file),
    );
  }
  return { completed, failed };
}

/** Registrations without a response, including those of running commands. */
export async function findUnansweredRegistrations(profiles: Profiles) {
  return (await listPending(profiles)).filter(({ credential }) => credential.bot_id === '');
}

function toText(credential: Credential): string {
  return `${JSON.stringify(credential, null, 2)}\n`;
}

async function checkFolders(profiles: Profiles): Promise<void> {
  for (const folder of ['pending', 'profiles']) {
    await fileCredentials(join(profiles.folder, folder, 'profile.json')).check();
  }
}

// Up to version 0.1, an issued credential was written to a `.tmp` file, which then replaced the request, so both files
// are still read.
async function listPending(profiles: Profiles) {
  const pending: { file: string; credential: Credential }[] = [];
  for (const name of await listFolder(profiles.pendingFolder)) {
    const file = join(profiles.pendingFolder, name);
    const credential = /\.(json|tmp)$/.test(name) ? await loadIfWhole(file) : undefined;
    if (credential !== undefined) pending.push({ file, credential });
  }
  return pending;
}

async function loadIfWhole(file: string): Promise<Credential | undefined> {
  return await fileCredentials(file)
    .load()
    .catch(() => undefined);
}

async function saveIssued(profiles: Profiles, requestFile: string, credential: Credential) {
  const file = requestFile.replace(/\.json$/, '.issued.json');
  await createPrivateFile(file, toText(credential)).catch((error: unknown) => rescue(profiles, credential, error));
  return await makeCurrent(profiles, file, credential, () => true).catch((error: unknown) => {
    throw new HintedError(error, `The credential is stored in ${file}. Repair the folder; the next command uses it.`);
  });
}

// The server returns a token only once, so if it cannot be saved in its folder, it is saved in another one.
async function rescue(profiles: Profiles, credential: Credential, error: unknown): Promise<never> {
  for (const folder of [profiles.folder, profiles.homeFolder]) {
    const file = join(folder, `rescued-${randomUUID()}.json`);
    const isSaved = await createPrivateFile(file, toText(credential)).then(
      () => true,
      () => false,
    );
    const hint = `The credential is stored in ${file}. Repair the folder, then move the file to its profile.`;
    if (isSaved) throw new HintedError(error, hint);
  }
  throw error;
}

// Two processes may call this function for the same file or the same profile. A link never replaces a file, and an
// existing file is moved instead of removed, so every credential remains in a file.
async function makeCurrent(
  profiles: Profiles,
  file: string,
  credential: Credential,
  replaces: (current: Credential, credential: Credential) => boolean,
) {
  const name = profileNameOf(file, credential);
  const target = profiles.fileOf(name);
  makeFolder(dirname(target));
  // If the profile contains the credential of another agent, that credential is moved to this file.
  let previousFile: string | undefined;
  let isNewProfile = false;
  for (let attempt = 1; ; attempt += 1) {
    const current = await loadIfWhole(target);
    const isSameAgent = current?.bot_id === credential.bot_id;
    if (isSameAgent && !replaces(current, credential)) break;
    if (!isSameAgent && attempt > 1) previousFile = (await setAside(target, credential.bot_id)) ?? previousFile;
    try {
      await (isSameAgent ? rename(file, target) : link(file, target));
      isNewProfile = !isSameAgent;
      break;
    } catch (error) {
      // Another process has already moved this file into place.
      if (hasSystemErrorCode(error, 'ENOENT')) break;
      if (!hasSystemErrorCode(error, 'EEXIST') || attempt === linkAttemptsMax) throw error;
    }
  }
  // The new name must be on disk before the old one is removed, in case of a power failure.
  await syncFolder(dirname(target));
  await removeFile(file.replace(/\.json\.[^./]+\.tmp$|\.issued\.json$/, '.json'));
  await removeFile(file);
  if (isNewProfile) await profiles.useIfFirst(name);
  return { name, previousFile };
}

// Whether `credential` replaces `current`: a revocation is final, and the server only accepts the later of two tokens.
function isNewer(current: Credential, credential: Credential): boolean {
  if (current.token === null) return false;
  return credential.token === null || (credential.token_expires_at ?? '') > (current.token_expires_at ?? '');
}

function profileNameOf(file: string, credential: Credential): string {
  const [named = ''] = basename(file).split('.');
  if (isProfileName(named)) return named;
  if (isProfileName(credential.handle)) return credential.handle;
  // A handle may begin with "_", and the file name must be safe for any handle that the server returns.
  return `agent-${createHash('sha256').update(credential.bot_id).digest('hex').slice(0, 12)}`;
}

// Moves another agent's credential out of a profile, to the first free `NAME.previous-N.json`.
async function setAside(target: string, botId: string): Promise<string | undefined> {
  const previous = await reserve((n) => target.replace(/\.json$/, `.previous-${n}.json`));
  try {
    await rename(target, previous);
  } catch (error) {
    await removeFile(previous);
    if (hasSystemErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if ((await loadIfWhole(previous))?.bot_id !== botId) return previous;
  // Another process has already put this agent's credential into the profile, so it is moved back.
  await link(previous, target).then(
    () => removeFile(previous),
    () => undefined,
  );
  return undefined;
}

// Reserves the first free name with an empty file, because a rename replaces an existing file.
async function reserve(nameOf: (n: number) => string): Promise<string> {
  for (let n = 1; ; n += 1) {
    try {
      await (await open(nameOf(n), 'wx', 0o600)).close();
      return nameOf(n);
    } catch (error) {
      if (!hasSystemErrorCode(error, 'EEXIST')) throw error;
    }
  }
}
