import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findUnansweredRegistrations } from '@agent-platform/cli-core/credentials/credential-lifecycle';
import { hasSystemErrorCode, listFolder } from '@agent-platform/cli-core/credentials/files';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import { messageOf } from '@agent-platform/cli-core/errors/failure';
import { toFailure } from '@agent-platform/cli-core/errors/to-failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { daysUntil, expiryWarningDays, formatMinute } from '@agent-platform/cli-core/output/values';
import * as sdk from '@agent-platform/sdk';

export interface CheckResult {
  /** A stable name for programs. */
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The next step; absent if the check passed. */
  readonly hint?: string;
}

const ok = (name: string, message: string): CheckResult => ({ name, outcome: 'ok', message });

/** A problem that does not affect the agent yet. */
const warn = (name: string, message: string, hint: string): CheckResult => ({ name, outcome: 'warn', message, hint });

/** A problem that prevents the agent from acting. */
const fail = (name: string, message: string, hint: string): CheckResult => ({ name, outcome: 'fail', message, hint });

const nodeMinimum: readonly [major: number, minor: number] = [22, 19];
const groupAndOthers = 0o077;

export function checkNodeVersion(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > nodeMinimum[0] || (major === nodeMinimum[0] && minor >= nodeMinimum[1]);
  if (isEnough) return ok('node', `Node.js ${version}`);
  return fail('node', `Node.js ${version} is too old`, `Install Node.js ${nodeMinimum.join('.')} or later.`);
}

/** Checks that the folders with secrets are private. */
export async function checkConfigFolders(profiles: Profiles): Promise<CheckResult[]> {
  const folders = [profiles.folder, join(profiles.folder, 'profiles'), join(profiles.folder, 'pending')];
  const checks = await Promise.all(folders.map(checkFolder));
  return checks.flat().length > 0 ? checks.flat() : [ok('config_folder', `${profiles.folder} does not exist yet`)];
}

async function checkFolder(folder: string): Promise<CheckResult[]> {
  try {
    const { mode } = await stat(folder);
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    if ((mode & groupAndOthers) === 0) return [ok('config_folder', `${folder} is private (${shown})`)];
    return [warn('config_folder', `${folder} is accessible to other users (${shown})`, `Run: chmod 700 '${folder}'`)];
  } catch (error) {
    if (hasSystemErrorCode(error, 'ENOENT')) return [];
    return [fail('config_folder', `${folder} cannot be read`, 'Make it readable, or set AGENTP_HOME.')];
  }
}

/** Reports interrupted registrations, and files with secrets that a killed command left behind. */
export async function checkLeftovers(profiles: Profiles, failed: readonly string[]): Promise<CheckResult[]> {
  const requested = (await findUnansweredRegistrations(profiles)).map(({ file, credential }) =>
    warn(
      'pending_registration',
      `the registration of "${credential.handle}" at ${credential.origin} has no response yet`,
      `Unless a registration is still running, the handle may be taken permanently. Remove ${file}`,
    ),
  );
  const unusable = failed.map((file) =>
    fail('pending_registration', `the credential in ${file} cannot be used`, 'Repair the folder of profiles.'),
  );
  const parts = (await listFolder(join(profiles.folder, 'profiles')))
    .filter((file) => file.endsWith('.tmp'))
    .map((file) =>
      warn('leftover', `${basename(file)} was left by an interrupted command`, `Remove it from ${profiles.folder}`),
    );
  return [...requested, ...unusable, ...parts];
}

export async function checkSelectedProfile(
  profiles: Profiles,
  given: string | undefined,
): Promise<{ readonly check: CheckResult; readonly credential?: sdk.Credential }> {
  const name = given ?? (await profiles.findCurrent());
  if (name === undefined) return { check: await explainMissing(profiles, name) };
  const file = profiles.fileOf(name);
  try {
    const credential = await sdk.fileCredentials(file).load();
    if (credential !== undefined)
      return { check: ok('profile', `${name} is readable and private: ${file}`), credential };
    return { check: await explainMissing(profiles, name) };
  } catch (error) {
    return { check: fail('profile', messageOf(error), `Repair ${file}, or choose another profile.`) };
  }
}

async function explainMissing(profiles: Profiles, name: string | undefined): Promise<CheckResult> {
  const { message, hint } = await profiles.explainMissing(name);
  return fail('profile', message, hint);
}

/** Checks the token's expiry against this machine's clock, which is wrong if the server accepts an expired token. */
export function checkTokenExpiry(credential: sdk.Credential, io: Pick<Io, 'now'>, isAccepted: boolean): CheckResult {
  if (credential.token === null) {
    return fail('token_expiry', 'the token is revoked', 'It cannot be recovered. Register a new agent.');
  }
  const days = daysUntil(credential.token_expires_at, io.now());
  if (credential.token_expires_at === null || days === null) {
    return warn('token_expiry', 'the expiry of the token is unknown', 'Rotate it: agentp tokens rotate');
  }
  const time = formatMinute(credential.token_expires_at);
  if (days < 0 && isAccepted) {
    return warn('token_expiry', `the token expired ${time} by the clock of this machine`, 'Set the clock.');
  }
  if (days < 0)
    return fail('token_expiry', `the token expired ${time}`, 'It cannot be recovered. Register a new agent.');
  if (days < expiryWarningDays) {
    return warn('token_expiry', `the token expires ${time}`, 'Rotate it before then: agentp tokens rotate');
  }
  return ok('token_expiry', `the token expires ${time}, in ${days} days`);
}

/** Checks that the state of the agent, if it exists, can be opened. */
export async function checkState(profiles: Profiles, { origin, bot_id }: sdk.Credential): Promise<CheckResult[]> {
  const folder = profiles.stateFolderOf(bot_id);
  const state = sdk.folderState(folder);
  try {
    if ((await listFolder(folder)).length === 0) return [];
    await state.open({ origin, bot_id });
    return [ok('state', `the state can be used: ${folder}`)];
  } catch (error) {
    const hint = 'Free space on its disk and make the folder writable; restore a damaged file from a backup.';
    return [fail('state', `the state in ${folder} cannot be used: ${messageOf(error)}`, hint)];
  } finally {
    await state.close();
  }
}

const skewMaxSeconds = 30;

/** Checks that the server responds and is ready, and that the two clocks agree. */
export async function checkServer(platform: sdk.AgentPlatform, io: Io): Promise<CheckResult[]> {
  const options = { signal: io.signal, maxRetries: 0 };
  let skew: CheckResult[] = [];
  const live = await request('server_live', io, async () => {
    const { response } = await platform.health.live(options).withResponse();
    skew = checkClock(response.headers.get('date'), io.now());
    return ok('server_live', `${platform.baseUrl} responds`);
  });
  if (live.outcome === 'fail') return [live];
  const ready = await request('server_ready', io, async () => {
    const { status } = await platform.health.ready(options);
    if (status === 'ok') return ok('server_ready', 'the server is ready');
    return fail(
      'server_ready',
      'the server is not ready',
      'Wait; if the problem persists, ask the operator of the server.',
    );
  });
  return [live, ready, ...skew];
}

function checkClock(date: string | null, now: Date): CheckResult[] {
  // Dates in headers are in UTC, even in the format without a time zone.
  const serverTime = Date.parse(`${date?.trim().replace(/(?:GMT|UTC)$/i, '')} GMT`);
  if (Number.isNaN(serverTime)) return [];
  const seconds = Math.round((now.getTime() - serverTime) / 1000);
  if (Math.abs(seconds) <= skewMaxSeconds) return [ok('clock', 'the clocks of this machine and the server agree')];
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  const hint = 'Set the clock: expiry dates and deadlines are wrong by this difference.';
  return [warn('clock', `the clock of this machine is ${difference} the server's`, hint)];
}

/** Checks that the server accepts the token and has the same public key. */
export async function checkAccess(
  platform: sdk.AgentPlatform,
  credential: sdk.Credential,
  io: Io,
): Promise<CheckResult[]> {
  if (credential.token === null) return [checkKeys(credential)];
  let bot: sdk.Passport | undefined;
  const token = await request('token', io, async () => {
    bot = await platform.bots.me({ signal: io.signal, maxRetries: 0 });
    return ok('token', `the token is accepted, as "${bot.handle}"`);
  });
  return [token, checkKeys(credential, bot)];
}

function checkKeys({ encryption_public_key, encryption_secret_key }: sdk.Credential, bot?: sdk.Passport): CheckResult {
  if (sdk.publicKeyOf(encryption_secret_key) !== encryption_public_key) {
    return fail('keys', 'the secret key does not match the public key', 'Restore the profile from a backup.');
  }
  if (bot === undefined) return ok('keys', 'the key pair is valid');
  const isSame =
    bot.encryption_public_key === encryption_public_key &&
    bot.encryption_key_fingerprint === sdk.fingerprint(encryption_public_key);
  if (isSame) return ok('keys', 'the key pair is valid, and the server has the same public key');
  return fail(
    'keys',
    'the public key on the server differs from that of the profile',
    'Do not send messages. Restore the profile from a backup; the key of an agent cannot be changed.',
  );
}

/** Runs a check that sends a request; if the request fails, so does the check. */
async function request(name: string, io: Io, check: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await check();
  } catch (error) {
    io.signal.throwIfAborted();
    const { report } = toFailure(error);
    return fail(name, report.message, report.hint);
  }
}
