import type { KeyPair } from '@agent-platform/sdk';
import type { Random } from '../../world/random.ts';
import type { RunWorld } from '../../world/world.ts';
import type { Budget } from '../budget/budget.ts';
import { errorCodeOf, isUuid, NotJudgedError, SkippedError } from '../expectations.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Exchange } from '../http/http-client.ts';
import { isObject, parseJson } from '../json.ts';
import type { RunOptions } from '../options.ts';
import { registerPath } from '../paths.ts';
import type { Redaction } from '../redaction.ts';
import type { RequestSender } from '../send.ts';
import type { ServerTime } from '../server-time.ts';
import { makeKeyPair } from './key-pair.ts';
import type { Pool, PoolAgent, RecordedRegistration } from './pool.ts';
import { deferredCases, type RegistrationCase, registrationCases, singleRunCases } from './registration-bodies.ts';
import type { TokenRegister } from './token-register.ts';

/** A registration and its answer; `recordedAt` is the time if an earlier run sent it. */
export interface Registration {
  readonly exchange: Exchange;
  /** The registered agent, if this run registered it. */
  readonly agent: PoolAgent | undefined;
  readonly recordedAt: string | undefined;
}

export interface RegistrarDependencies {
  readonly world: RunWorld;
  randomOf(name: RegistrationCase): Random;
  readonly send: RequestSender;
  readonly pool: Pool;
  readonly budget: Budget;
  readonly redaction: Redaction;
  readonly tokens: TokenRegister;
  readonly hooks: Hooks;
  readonly time: ServerTime;
  readonly options: RunOptions;
}

/** Messages for the error codes of refusals that do not depend on the body. */
const obstacles: Readonly<Record<string, string>> = {
  registration_limited:
    'this address has no registration attempt left in this hour (registration_limited): run the suite again later',
  registration_unavailable: 'registration is closed (registration_unavailable)',
  invalid_invitation: 'the server requires an invitation: use --invitation or --invitation-command',
};

/** How many registrations a run may send: those that no earlier run has sent, and one for the new agent. */
export function countRegistrations(pool: Pool, options: RunOptions): number {
  const due = listDueRegistrations(pool, options);
  const later = deferredCases.filter((name) => pool.recording(name) === undefined).length;
  const isFirst = pool.recording('minimal') === undefined;
  return due.length + (options.limits.registrationsPerHour === 0 ? later : Math.min(later, isFirst ? 0 : 1));
}

/** The registrations that a run needs, without those that may be deferred to later runs. */
export function listDueRegistrations(pool: Pool, { profiles, hooks }: RunOptions): readonly RegistrationCase[] {
  // The cast is safe, because the keys of this object are the case names.
  const names = Object.keys(registrationCases) as RegistrationCase[];
  const isMissing = (name: RegistrationCase) =>
    (isCompanion(name) ? pool.agent(name) : pool.recording(name)) === undefined;
  return names.filter((name) => {
    if (name === 'minimal') return true;
    if (name === 'suspended') return hooks.suspend !== undefined;
    if (['expiring', 'member'].includes(name) || deferredCases.includes(name)) return false;
    return isMissing(name) && (name !== 'limited' || profiles.includes('limits'));
  });
}

// The pool stores only the agent of a companion, because no check judges how it was registered.
function isCompanion(name: RegistrationCase): name is 'partner' | 'limited' {
  return name === 'partner' || name === 'limited';
}

/** Returns a function that sends a registration once per run, or returns it from an earlier run's recording. */
export function openRegistrar(parts: RegistrarDependencies, loadTakenHandle: () => Promise<string>) {
  const { pool, budget } = parts;
  const due = listDueRegistrations(pool, parts.options);
  const made = new Map<RegistrationCase, Promise<Registration>>();
  const make = async (name: RegistrationCase): Promise<Registration> => {
    const recording = isCompanion(name) ? undefined : pool.recording(name);
    if (recording !== undefined && (name !== 'minimal' || budget.registrationsLeft() <= 0)) {
      return { exchange: playBack(recording), agent: undefined, recordedAt: recording.at };
    }
    const waiting = due.filter((one) => !made.has(one)).length;
    if (deferredCases.includes(name) && budget.registrationsLeft() <= waiting)
      throw new NotJudgedError('it needs a separate registration, and each later run makes one of these');
    if (budget.registrationsLeft() <= 0)
      throw new SkippedError('no registration attempt is left in this hour: run the suite again later');
    return await attempt(parts, name, name === 'taken' ? await loadTakenHandle() : '');
  };
  return (name: RegistrationCase): Promise<Registration> => {
    const promise = made.get(name) ?? make(name);
    made.set(name, promise);
    return promise;
  };
}

async function attempt(
  parts: RegistrarDependencies,
  name: RegistrationCase,
  takenHandle: string,
): Promise<Registration> {
  const { pool, budget, redaction, time } = parts;
  budget.takeRegistration();
  pool.noteAttempt();
  const { exchange, agent, body } = await sendRegistration(parts, name, takenHandle);
  // The agent is stored first, because the server returns its token only once.
  if (name === 'full' && agent !== undefined) pool.keep(agent);
  if (isCompanion(name)) {
    if (agent !== undefined) pool.keep(agent, name);
  } else if (!singleRunCases.includes(name)) {
    pool.record(name, {
      at: new Date(time.now()).toISOString(),
      body,
      status: exchange.status,
      content_type: exchange.headers['content-type'] ?? '',
      text: redaction.apply(exchange.text),
    });
  }
  return { exchange, agent, recordedAt: undefined };
}

/** Sends a registration. In the returned body, the invitation is removed. */
export async function sendRegistration(parts: RegistrarDependencies, name: RegistrationCase, takenHandle = '') {
  const keys = makeKeyPair(parts.world);
  parts.redaction.hide(keys.secretKey);
  const invitation = await parts.hooks.invitation();
  const body = registrationCases[name]({ random: parts.randomOf(name), keys, takenHandle, invitation });
  const exchange = await parts.send({ method: 'POST', path: registerPath, json: body });
  parts.redaction.hideTokensOf(exchange);
  const obstacle = obstacleOf(name, exchange, parts.options);
  if (obstacle !== undefined) throw new SkippedError(obstacle);
  const agent = agentOf(exchange, keys);
  if (agent !== undefined) parts.tokens.add(agent);
  return { exchange, agent, body: invitation === undefined ? body : { ...body, invitation: '[secret]' } };
}

function obstacleOf(
  name: RegistrationCase,
  exchange: Exchange,
  { seed, invitation, hooks }: RunOptions,
): string | undefined {
  const code = errorCodeOf(exchange) ?? '';
  // The case `taken` sends a registered handle on purpose.
  if (seed !== undefined && code === 'handle_unavailable' && name !== 'taken')
    return `an earlier run has registered the handles of seed ${seed}: use another seed, or --agents`;
  if (name.endsWith('-invitation')) return undefined;
  if (code === 'invalid_invitation' && (invitation ?? hooks.invitation) !== undefined)
    return 'the server refused the invitation (invalid_invitation): use a code that is valid for all registrations, or --invitation-command';
  return obstacles[code];
}

function agentOf(exchange: Exchange, keys: KeyPair): PoolAgent | undefined {
  const { status, json, request } = exchange;
  if (status !== 201 || !isObject(json) || !isObject(json['bot'])) return undefined;
  type Bot = { readonly id?: unknown; readonly handle?: unknown };
  const { bot, token } = json as { readonly bot: Bot; readonly token?: unknown };
  const sent = parseJson(request.body) as { readonly handle?: string };
  if (!isUuid(bot.id) || typeof token !== 'string') return undefined;
  return {
    id: bot.id,
    // A server may accept a registration without a handle and choose one.
    handle: sent.handle ?? String(bot.handle),
    encryption_public_key: keys.publicKey,
    encryption_private_key: keys.secretKey,
    token,
  };
}

function playBack(recording: RecordedRegistration): Exchange {
  return {
    request: { method: 'POST', path: registerPath, headers: {}, body: JSON.stringify(recording.body) },
    status: recording.status,
    headers: { 'content-type': recording.content_type },
    text: recording.text,
    bytes: Buffer.from(recording.text),
    json: parseJson(recording.text),
  };
}
