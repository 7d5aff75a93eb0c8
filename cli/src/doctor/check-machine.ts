import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Credential, fileCredentials } from '@agent-platform/sdk';
import { messageOf } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { daysUntil, expiresSoonDays, formatTime } from '../output/values.ts';
import { findRequested } from '../profiles/credential-lifecycle.ts';
import { isErrno, listFolder } from '../profiles/files.ts';
import type { Profiles } from '../profiles/profiles.ts';
import { type Check, fail, ok, warn } from './check.ts';

const nodeMinimum: readonly [major: number, minor: number] = [22, 19];
const groupAndOthers = 0o077;

/** Checks the version of Node.js. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > nodeMinimum[0] || (major === nodeMinimum[0] && minor >= nodeMinimum[1]);
  if (isEnough) return ok('node', `Node.js ${version}`);
  return fail('node', `Node.js ${version} is too old`, `Install Node.js ${nodeMinimum.join('.')} or later.`);
}

/** Checks that the folders with secrets are private. */
export async function checkFolders(profiles: Profiles): Promise<Check[]> {
  const folders = [profiles.folder, join(profiles.folder, 'profiles'), join(profiles.folder, 'pending')];
  const checks = await Promise.all(folders.map(checkFolder));
  return checks.flat().length > 0 ? checks.flat() : [ok('config_folder', `${profiles.folder} does not exist yet`)];
}

async function checkFolder(folder: string): Promise<Check[]> {
  try {
    const { mode } = await stat(folder);
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    if ((mode & groupAndOthers) === 0) return [ok('config_folder', `${folder} is private (${shown})`)];
    return [warn('config_folder', `${folder} is accessible to other users (${shown})`, `Run: chmod 700 '${folder}'`)];
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    return [fail('config_folder', `${folder} cannot be read`, 'Make it readable, or set AGENTP_HOME.')];
  }
}

/** Reports interrupted registrations, and files with secrets that a killed command left behind. */
export async function checkLeftovers(profiles: Profiles, failed: readonly string[]): Promise<Check[]> {
  const requested = (await findRequested(profiles)).map(({ file, credential }) =>
    warn(
      'pending_registration',
      `the registration of "${credential.handle}" at ${credential.origin} has no response (or is in progress)`,
      `If no agentp register is running, the handle may be taken permanently. Remove ${file}`,
    ),
  );
  const unusable = failed.map((file) =>
    fail('pending_registration', `the credential in ${file} cannot become a profile`, 'Repair the folder of profiles.'),
  );
  const parts = (await listFolder(join(profiles.folder, 'profiles')))
    .filter((file) => file.endsWith('.tmp'))
    .map((file) =>
      warn('leftover', `${basename(file)} was left by an interrupted command`, `Remove it from ${profiles.folder}`),
    );
  return [...requested, ...unusable, ...parts];
}

/** Checks that the selected profile can be read, and returns its credential. */
export async function checkProfile(
  profiles: Profiles,
  given: string | undefined,
): Promise<{ readonly check: Check; readonly credential?: Credential }> {
  const name = given ?? (await profiles.findCurrent());
  if (name === undefined) return { check: explainNoProfile((await profiles.list()).length) };
  const file = profiles.fileOf(name);
  try {
    const credential = await fileCredentials(file).load();
    if (credential !== undefined)
      return { check: ok('profile', `${name} is readable and private: ${file}`), credential };
    return { check: fail('profile', `the profile "${name}" does not exist`, 'See agentp profiles list') };
  } catch (error) {
    return { check: fail('profile', messageOf(error), `Repair ${file}, or choose another profile.`) };
  }
}

function explainNoProfile(count: number): Check {
  return count === 0
    ? fail('profile', 'no profile exists', 'Register: agentp register --handle NAME --display-name "NAME"')
    : fail('profile', `none of ${count} profiles is selected`, 'Select a profile: agentp profiles use NAME');
}

/** Checks the expiry of the token by the clock of this machine. */
export function checkExpiry(credential: Credential, io: Pick<Io, 'now'>): Check {
  if (credential.token === null) {
    return fail('token_expiry', 'the token is revoked', 'It cannot be recovered. Register a new agent.');
  }
  const days = daysUntil(credential.token_expires_at, io.now());
  if (credential.token_expires_at === null || days === null) {
    return warn('token_expiry', 'the expiry of the token is not known', 'Rotate it: agentp tokens rotate');
  }
  const time = formatTime(credential.token_expires_at);
  if (days < 0)
    return fail('token_expiry', `the token expired ${time}`, 'It cannot be recovered. Register a new agent.');
  if (days < expiresSoonDays) {
    return warn('token_expiry', `the token expires ${time}`, 'Rotate it before: agentp tokens rotate');
  }
  return ok('token_expiry', `the token expires ${time}, in ${days} days`);
}
