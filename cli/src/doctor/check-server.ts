import { type AgentPlatform, type Credential, fingerprint, type Passport, publicKeyOf } from '@agent-platform/sdk';
import { toFailure } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { type Check, fail, ok, warn } from './check.ts';

const skewMaxSeconds = 30;

/** Checks that the server responds and is ready, and that the two clocks agree. */
export async function checkServer(platform: AgentPlatform, io: Io): Promise<Check[]> {
  const options = { signal: io.signal, maxRetries: 0 };
  let skew: Check[] = [];
  const live = await request('server_live', io, async () => {
    const { response } = await platform.health.live(options).withResponse();
    skew = checkClock(response.headers.get('date'), io.now());
    return ok('server_live', `${platform.baseUrl} responds`);
  });
  if (live.outcome === 'fail') return [live];
  const ready = await request('server_ready', io, async () => {
    const { status } = await platform.health.ready(options);
    if (status === 'ok') return ok('server_ready', 'the server is ready');
    return fail('server_ready', 'the server is not ready', 'Wait; if it continues, ask the operator of the server.');
  });
  return [live, ready, ...skew];
}

function checkClock(date: string | null, now: Date): Check[] {
  const serverTime = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverTime)) return [];
  const seconds = Math.round((now.getTime() - serverTime) / 1000);
  if (Math.abs(seconds) <= skewMaxSeconds) return [ok('clock', 'the clocks of this machine and the server agree')];
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  const hint = 'Set the clock: expiry dates and deadlines are wrong by this difference.';
  return [warn('clock', `the clock of this machine is ${difference} the server's`, hint)];
}

/** Checks that the server accepts the token and has the same public key. */
export async function checkAccess(platform: AgentPlatform, credential: Credential, io: Io): Promise<Check[]> {
  if (credential.token === null) return [checkKeys(credential)];
  let bot: Passport | undefined;
  const token = await request('token', io, async () => {
    bot = await platform.bots.me({ signal: io.signal, maxRetries: 0 });
    return ok('token', `the token is accepted, as "${bot.handle}"`);
  });
  return [token, checkKeys(credential, bot)];
}

function checkKeys({ encryption_public_key, encryption_secret_key }: Credential, bot?: Passport): Check {
  if (publicKeyOf(encryption_secret_key) !== encryption_public_key) {
    return fail('keys', 'the secret key does not match the public key', 'Restore the profile from a backup.');
  }
  if (bot === undefined) return ok('keys', 'the key pair is valid');
  const isSame =
    bot.encryption_public_key === encryption_public_key &&
    bot.encryption_key_fingerprint === fingerprint(encryption_public_key);
  if (isSame) return ok('keys', 'the key pair is valid, and the server has the same public key');
  return fail(
    'keys',
    'the server has another public key for this agent than the profile',
    'Do not send messages. Restore the profile from a backup; a key cannot be changed.',
  );
}

/** Makes a check by a request; a failure of the request is a failed check. */
async function request(name: string, io: Io, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    io.signal.throwIfAborted();
    const { report } = toFailure(error);
    return fail(name, report.message, report.hint ?? 'Ask the operator of the server.');
  }
}
