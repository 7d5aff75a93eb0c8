import { type AgentPlatform, type Credential, fingerprint, publicKeyOf } from '@agent-platform/sdk';
import { toFailure } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { type Check, fail, ok, warn } from './check.ts';

const skewMaxSeconds = 30;

/** Checks that the server responds and is ready, and that the two clocks agree. */
export async function checkServer(platform: AgentPlatform, io: Io): Promise<Check[]> {
  const options = { signal: io.signal, maxRetries: 0 };
  try {
    const { response } = await platform.health.live(options).withResponse();
    const skew = checkClock(response.headers.get('date'), io.now());
    const readiness = await checkReadiness(platform, io);
    return [ok('server_live', `${platform.baseUrl} responds`), readiness, ...skew];
  } catch (error) {
    io.signal.throwIfAborted();
    return [failed('server_live', error)];
  }
}

async function checkReadiness(platform: AgentPlatform, io: Io): Promise<Check> {
  try {
    const { status } = await platform.health.ready({ signal: io.signal, maxRetries: 0 });
    if (status === 'ok') return ok('server_ready', 'the server is ready');
    return fail('server_ready', 'the server is not ready', 'Wait; if it continues, ask the operator of the server.');
  } catch (error) {
    io.signal.throwIfAborted();
    return failed('server_ready', error);
  }
}

function checkClock(date: string | null, now: Date): Check[] {
  const serverTime = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverTime)) return [];
  const seconds = Math.round((now.getTime() - serverTime) / 1000);
  if (Math.abs(seconds) <= skewMaxSeconds) return [ok('clock', 'the clocks of this machine and the server agree')];
  const direction = seconds > 0 ? 'ahead of' : 'behind';
  return [
    warn(
      'clock',
      `the clock of this machine is ${Math.abs(seconds)} s ${direction} the server's`,
      'Set the clock: expiry dates and deadlines are wrong by this difference.',
    ),
  ];
}

/** Checks that the server accepts the token and has the same public key. */
export async function checkAccess(platform: AgentPlatform, credential: Credential, io: Io): Promise<Check[]> {
  if (credential.token === null) return [checkKeyPair(credential)];
  try {
    const bot = await platform.bots.me({ signal: io.signal, maxRetries: 0 });
    return [ok('token', `the token is accepted, as "${bot.handle}"`), checkKeys(credential, bot)];
  } catch (error) {
    io.signal.throwIfAborted();
    return [failed('token', error), checkKeyPair(credential)];
  }
}

function checkKeys(
  credential: Credential,
  bot: { encryption_public_key: string; encryption_key_fingerprint: string },
): Check {
  const own = checkKeyPair(credential);
  if (own.outcome !== 'ok') return own;
  const isSame =
    bot.encryption_public_key === credential.encryption_public_key &&
    bot.encryption_key_fingerprint === fingerprint(credential.encryption_public_key);
  if (isSame) return ok('keys', 'the key pair is valid, and the server has the same public key');
  return fail(
    'keys',
    'the server has another public key for this agent than the profile',
    'Do not send messages. Restore the profile from a backup; a key cannot be changed.',
  );
}

function checkKeyPair(credential: Credential): Check {
  if (publicKeyOf(credential.encryption_secret_key) === credential.encryption_public_key) {
    return ok('keys', 'the key pair is valid');
  }
  return fail('keys', 'the secret key does not match the public key', 'Restore the profile from a backup.');
}

function failed(name: string, error: unknown): Check {
  const { report } = toFailure(error);
  return fail(name, report.message, report.hint ?? 'Ask the operator of the server.');
}
