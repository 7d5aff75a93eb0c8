import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Credential, fileCredentials } from '@agent-platform/sdk';
import type { Io } from '../io/io.ts';
import { daysUntil, showTime } from '../output/values.ts';
import { isErrno, listFolder } from '../profiles/files.ts';
import { findLost } from '../profiles/pending-registration.ts';
import type { Profiles } from '../profiles/profiles.ts';
import { type Check, fail, ok, warn } from './check.ts';

const nodeMinimum: readonly [major: number, minor: number] = [22, 19];
const groupAndOthers = 0o077;
const expiresSoonDays = 5;

/** Whether this Node.js can run the program. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > nodeMinimum[0] || (major === nodeMinimum[0] && minor >= nodeMinimum[1]);
  if (isEnough) return ok('node', `Node.js ${version}`);
  return fail('node', `Node.js ${version} is too old`, `Install Node.js ${nodeMinimum.join('.')} or later.`);
}

/** Whether the folders that hold secrets are there and private. */
export async function checkFolders(profiles: Profiles): Promise<Check[]> {
  const folders = [profiles.folder, join(profiles.folder, 'profiles'), join(profiles.folder, 'pending')];
  const checks = await Promise.all(folders.map(checkFolder));
  return checks.flat().length > 0 ? checks.flat() : [ok('config_folder', `${profiles.folder} is not made yet`)];
}

async function checkFolder(folder: string): Promise<Check[]> {
  try {
    const { mode } = await stat(folder);
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    if ((mode & groupAndOthers) === 0) return [ok('config_folder', `${folder} is private (${shown})`)];
    return [warn('config_folder', `${folder} is open to others (${shown})`, `Run: chmod 700 '${folder}'`)];
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    return [fail('config_folder', `${folder} cannot be read`, 'Make it readable, or set AGENTP_HOME.')];
  }
}

/** Whether registrations were broken off, and whether secrets lie where nobody looks for them. */
export async function checkLeftovers(profiles: Profiles, failedAdoptions: readonly string[]): Promise<Check[]> {
  const lost = (await findLost(profiles)).map(({ file, attempt }) =>
    warn(
      'pending_registration',
      `the answer to the registration of "${attempt.handle}" at ${attempt.origin} never came (or is awaited right now)`,
      `If no agentp register is running: the handle may be taken for good. Remove ${file}`,
    ),
  );
  const unnamed = failedAdoptions.map((file) =>
    fail(
      'pending_registration',
      `${file} holds an agent that cannot be made a profile`,
      'Mend the folder of profiles.',
    ),
  );
  const parts = (await listFolder(join(profiles.folder, 'profiles')))
    .filter((file) => file.endsWith('.tmp'))
    .map((file) =>
      warn('leftover', `${basename(file)} was left by a killed command`, `Remove it from ${profiles.folder}`),
    );
  return [...lost, ...unnamed, ...parts];
}

/** Whether the chosen profile can be read; the credential when it can. */
export async function checkProfile(
  profiles: Profiles,
  named: string | undefined,
): Promise<{ readonly check: Check; readonly credential: Credential | undefined }> {
  const name = named ?? (await profiles.findCurrent());
  if (name === undefined) {
    const count = (await profiles.list()).length;
    const check =
      count === 0
        ? fail('profile', 'there is no profile', 'Register: agentp register --handle NAME --display-name "NAME"')
        : fail('profile', `none of ${count} profiles is chosen`, 'Choose one: agentp profiles use NAME');
    return { check, credential: undefined };
  }
  try {
    const credential = await fileCredentials(profiles.fileOf(name)).load();
    if (credential !== undefined) {
      return { check: ok('profile', `${name} is readable and private: ${profiles.fileOf(name)}`), credential };
    }
    const check = fail('profile', `there is no profile "${name}"`, 'See agentp profiles list');
    return { check, credential: undefined };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const check = fail('profile', message, `Mend ${profiles.fileOf(name)}, or choose another profile.`);
    return { check, credential: undefined };
  }
}

/** How long the token lasts, by the clock of this machine. */
export function checkExpiry(credential: Credential, io: Pick<Io, 'now'>): Check {
  if (credential.token === null) {
    return fail('token_expiry', 'the token is revoked', 'There is no recovery. Register a new agent.');
  }
  const days = daysUntil(credential.token_expires_at, io.now());
  if (credential.token_expires_at === null || days === null) {
    return warn('token_expiry', 'it is not known when the token expires', 'Rotate it: agentp tokens rotate');
  }
  const time = showTime(credential.token_expires_at);
  if (days < 0) return fail('token_expiry', `the token expired ${time}`, 'There is no recovery. Register a new agent.');
  if (days < expiresSoonDays) {
    return warn('token_expiry', `the token expires ${time}`, 'Rotate it in time: agentp tokens rotate');
  }
  return ok('token_expiry', `the token expires ${time}, in ${days} days`);
}
