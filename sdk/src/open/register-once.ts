import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { makeFolder } from '../credentials/make-folder.ts';
import { ignoreMissingFile, replaceFile } from '../credentials/replace-file.ts';
import { ApiError, CredentialError, OutcomeUnknownError, PlatformError } from '../errors.ts';
import { withFileLock } from '../file-lock.ts';
import { isRecord, parseJson } from '../json.ts';

// The entries of an agent's folder. The first two names must not change, because existing folders use them.
export const credentialFileName = 'credential.json';
export const stateFolderName = 'state';
// This file exists while the outcome of a registration is unknown.
const requestName = 'registration.json';
const lockName = 'registration.lock';

// Longer than a registration takes with all its retries.
const lockWaitMs = 300_000;
const attemptsMax = 3;
const pauseMs = 500;

/** The agent that a folder belongs to. */
export interface FolderAgent {
  readonly folder: string;
  readonly handle: string;
  readonly origin: string;
  readonly credentials: CredentialStore;
}

/**
 * Registers the agent of a folder unless the folder already contains it. The server registers a handle only once, so
 * a registration without a response can safely be sent again. If the repeat reports that the handle is taken, the
 * agent's token was in the lost response.
 *
 * @throws CredentialError `wrong_handle`, `wrong_origin`, `no_credential`, `registration_lost`
 */
export async function registerOnce(agent: FolderAgent, register: () => PromiseLike<unknown>): Promise<void> {
  if (await holdsAgent(agent)) return;
  makeFolder(agent.folder);
  await withFileLock(join(agent.folder, lockName), lockWaitMs, async () => {
    // Another process may have registered the agent while this one waited.
    if (await holdsAgent(agent)) return;
    await removeTemporaryFiles(agent);
    await refuseStateAlone(agent);
    const file = join(agent.folder, requestName);
    const isRepeat = await readRequest(agent, file);
    if (!isRepeat) await replaceFile(file, `${JSON.stringify({ origin: agent.origin, handle: agent.handle })}\n`);
    await sendRegistration(agent, file, register, isRepeat);
    await rm(file, { force: true });
  });
}

async function holdsAgent({ folder, handle, origin, credentials }: FolderAgent): Promise<boolean> {
  const stored = await credentials.load();
  if (stored === undefined) return false;
  if (stored.origin !== origin) {
    throw new CredentialError(
      'wrong_origin',
      `The folder ${folder} contains the agent "${stored.handle}" of ${stored.origin}, not an agent of ${origin}. Use another folder for this server, or open it with the baseUrl ${stored.origin}.`,
    );
  }
  if (stored.handle !== handle) {
    throw new CredentialError(
      'wrong_handle',
      `The folder ${folder} contains the agent "${stored.handle}", not "${handle}". Use another folder for "${handle}", or open this one with the handle "${stored.handle}".`,
    );
  }
  if (stored.token === null) {
    throw new CredentialError(
      'no_credential',
      `The token of "${handle}" was revoked and cannot be recovered. Open another folder with another handle.`,
    );
  }
  return true;
}

// Such a file remains if a process was killed while writing. Because of the lock, no process is writing one now.
async function removeTemporaryFiles({ folder }: FolderAgent): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${requestName}.`) && name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
  }
}

// The state is created after the credential, so the credential must have been removed.
async function refuseStateAlone({ folder }: FolderAgent): Promise<void> {
  const names = (await readdir(join(folder, stateFolderName)).catch(ignoreMissingFile)) ?? [];
  if (names.length === 0) return;
  throw new CredentialError(
    'no_credential',
    `The folder ${folder} contains the state of an agent but not its ${credentialFileName}. Restore that file from a backup; without it the agent is lost. Use an empty folder for a new agent.`,
  );
}

/** Whether an earlier start sent this registration without receiving its outcome. */
async function readRequest({ handle, origin }: FolderAgent, file: string): Promise<boolean> {
  const request = parseJson((await readFile(file, 'utf8').catch(ignoreMissingFile)) ?? '');
  return isRecord(request) && request['handle'] === handle && request['origin'] === origin;
}

async function sendRegistration(
  agent: FolderAgent,
  file: string,
  register: () => PromiseLike<unknown>,
  isRepeat: boolean,
): Promise<void> {
  let mayExist = isRepeat;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await register();
      return;
    } catch (error) {
      if (mayExist && isLost(error)) throw registrationLost(agent, error);
      if (!(error instanceof OutcomeUnknownError)) {
        if (!mayExist && hadNoEffect(error)) await rm(file, { force: true });
        throw error;
      }
      if (attempt === attemptsMax) throw stillUnknown(agent, error);
      mayExist = true;
      await delay(pauseMs * attempt);
    }
  }
}

// After a registration that took effect, its handle is taken, and an invitation for one agent is used up.
function isLost(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'handle_unavailable' || error.code === 'invalid_invitation');
}

function hadNoEffect(error: unknown): boolean {
  return error instanceof PlatformError && error.code !== 'credential_not_saved';
}

function registrationLost({ handle, origin }: FolderAgent, cause: ApiError): CredentialError {
  return new CredentialError(
    'registration_lost',
    `An earlier attempt to register "${handle}" at ${origin} got no response, and now the server rejects it (${cause.message}). ` +
      'That agent probably exists, but its token was in the lost response and cannot be recovered. Open the folder with another handle.',
    { cause },
  );
}

function stillUnknown({ handle }: FolderAgent, { operationId, cause }: OutcomeUnknownError): OutcomeUnknownError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OutcomeUnknownError(
    operationId,
    `The server did not respond to the registration of "${handle}" (${why}). Start the program again: it registers the agent or reports that its token is lost.`,
    cause,
  );
}
