import { createHash } from 'node:crypto';
import { openLiveWorld } from '../world/live-world.ts';
import { type Random, seededRandom } from '../world/random.ts';
import { openClock, type RunWorld } from '../world/world.ts';
import { type Agent, type ApiClient, openClient } from './agent.ts';
import { type Budget, type BudgetClock, openBudget } from './budget/budget.ts';
import { openEventStream } from './events/event-stream.ts';
import { SkippedError, Violation } from './expectations.ts';
import { openExtraAgents } from './extra-agents.ts';
import { makeHooks } from './hooks/hooks.ts';
import type { Exchange, HttpClient } from './http/http-client.ts';
import { parseBearerToken } from './http/http-client.ts';
import { openJournal } from './journal.ts';
import type { RunOptions } from './options.ts';
import { openUsageObserver } from './pool/agent-usage.ts';
import { type Pool, type PoolAgent, type PoolRole, poolRoles } from './pool/pool.ts';
import { countRegistrations, openRegistrar, type Registration } from './pool/registrar.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import { openTokenRegister } from './pool/token-register.ts';
import { openRedaction } from './redaction.ts';
import { openRestrictions } from './restrictions.ts';
import { openRetryPolicy } from './retry-policy.ts';
import { openSender } from './send.ts';
import { openServerTime } from './server-time.ts';

/** The state and clients that the checks of a run share. */
export type RunSession = ReturnType<typeof openRun>;

export interface RunDependencies {
  readonly http: HttpClient;
  readonly pool: Pool;
  /** Called before each wait for a rate limit, with its duration in milliseconds. */
  readonly noteWait?: (ms: number) => void;
  readonly world?: RunWorld;
  /** Replaces the clock of the world. */
  readonly clock?: BudgetClock;
  readonly signal?: AbortSignal;
}

export function openRun(options: RunOptions, parts: RunDependencies) {
  const {
    http,
    pool,
    noteWait = () => undefined,
    world = openLiveWorld(),
    signal = new AbortController().signal,
  } = parts;
  const { clock = openClock(world) } = parts;
  const seed = options.seed ?? world.randomBytes(4).readUInt32LE() >>> 1;
  const { randomOf, randomOfRegistration } = openChoices(seed, pool, world);
  const { redaction, tokens, learn } = openSecrets(options, pool, world);
  const budget = openRunBudget(options, pool, noteWait, clock);
  const retryPolicy = openRetryPolicy({ minutes: options.limits.minutes * options.timeScale, ...clock });
  const journal = openJournal(clock.now, (token) => tokens.agents.has(token));
  const hooks = makeHooks(options.hooks, options.invitation, redaction, world, journal.noteHook);
  const time = openServerTime(clock.now);
  const usage = openUsageObserver(pool.usage, pool.noteUsage, (id) => extraAgents.has(id));
  const { trail, takeTrail } = openTrail();
  const restrictions = openRestrictions(options.readOnly, signal);
  const note = (exchange: Exchange) => {
    trail.exchanges.push(exchange);
    journal.noteExchange(exchange);
  };
  const send = openSender({
    ...{ refuse: restrictions.refuse, random: randomOf('forms') },
    ...{ budget, http, retryPolicy, redaction, agentIdOf: tokens.agentIdOf },
    note: (exchange) => {
      note(exchange);
      time.observe(exchange);
      usage.observe(exchange, tokens.agentIdOf(parseBearerToken(exchange.request.headers['authorization'])));
    },
  });
  const { wsUrl, timeScale } = options;
  const stream = openEventStream({
    ...{ world, budget, retryPolicy, redaction, wsUrl, timeScale, refuse: restrictions.refuse, note },
    ...{ noteFrame: journal.noteFrame, eventTimeoutMs: options.eventSeconds * timeScale * 1_000 },
  });
  const registrarParts = {
    ...{ world, send, pool, budget, redaction, tokens, hooks, time, options },
    randomOf: randomOfRegistration,
  };
  const extraAgents = openExtraAgents(registrarParts);
  const register = openRegistrar(registrarParts, async () => (await agents.primaryAgent()).handle);
  const registration = async (name: RegistrationCase): Promise<Registration> => {
    if (pool.recording(name) === undefined) restrictions.refuseToCreate();
    const found = await register(name);
    trail.registrations.push({ name, recordedAt: found.recordedAt });
    return found;
  };
  /** The token need not be valid. */
  const clientWith = (token: string): ApiClient => openClient(send, token);
  const agents = openAgents(pool, registration, clientWith, restrictions.refuseToCreate);
  return {
    /** Rejects when the user interrupts the run. */
    interruption: restrictions.interruption,
    ...{ budget, redaction, tokens, hooks, journal, time, stream, registration, clientWith, extraAgents, ...agents },
    ...{ world, clock, seed, walkSteps: options.walkSteps, isPaced: options.limits.writesPerMinute > 0, randomOf },
    anonymous: openClient(send),
    /** The request path in a URL that the server returned, which may be absolute or only a path. */
    pathOf: (address: unknown) => pathBehind(options.baseUrl.replace(/(?<!\/)\/+$/, ''), address),
    /** How much the agents have been used, updated by every answer. */
    usage: pool.usage,
    keepToken: (token: string, role: PoolRole = 'primary'): void => {
      const agent = pool.agent(role);
      if (agent === undefined) return;
      pool.keep({ ...agent, token }, role);
      learn({ ...agent, token });
    },
    /** Called when the server's clock has moved by an hour or more, so that the registration limit starts again. */
    hourPassed: (): void => {
      budget.hourPassed();
      pool.forgetAttempts();
    },
    /** Returns the requests and registrations since the last call. */
    takeTrail,
  };
}

/** Makes the random choices of a run, separately for each check, so that they do not depend on earlier checks. */
function openChoices(seed: number, pool: Pool, world: RunWorld) {
  // The pool is included, so that a second run with the same seed chooses other handles. The record of a run contains
  // only this digest of the pool.
  const before = world.value('pool', null, () => createHash('sha256').update(pool.content()).digest('hex'));
  const randomOf = (purpose: string): Random => seededRandom(`${seed} ${before} ${purpose}`);
  const ofRegistrations = new Map<RegistrationCase, Random>();
  return {
    randomOf,
    randomOfRegistration: (name: RegistrationCase): Random => {
      const random = ofRegistrations.get(name) ?? randomOf(`registration ${name}`);
      ofRegistrations.set(name, random);
      return random;
    },
  };
}

function openAgents(
  pool: Pool,
  registration: (name: RegistrationCase) => Promise<Registration>,
  clientWith: (token: string) => ApiClient,
  refuseToCreate: () => void,
) {
  // One object per token, so that checks can compare agents with `===`.
  const agents = new Map<string, Agent>();
  const actAs = (found: PoolAgent | undefined, exchange?: Exchange): Agent => {
    if (found === undefined) {
      if (exchange === undefined || exchange.status === 201) throw new SkippedError('no agent could be registered');
      const message = `no agent could be registered: ${exchange.status} instead of 201`;
      throw new Violation(message, exchange, { requirement: 'AP-REG-001' });
    }
    const agent = agents.get(found.token) ?? { ...found, ...clientWith(found.token) };
    agents.set(found.token, agent);
    return agent;
  };
  const ofPool = async (role: PoolRole, name: RegistrationCase): Promise<Agent> => {
    const made = pool.agent(role) === undefined ? await registration(name) : undefined;
    return actAs(pool.agent(role), made?.exchange);
  };
  return {
    /** The primary agent of the pool, registered with every field. */
    primaryAgent: () => ofPool('primary', 'full'),
    partnerAgent: () => ofPool('partner', 'partner'),
    /** The agent of the pool whose rate limits are exhausted; no other check uses it. */
    limitedAgent: () => ofPool('limited', 'limited'),
    pooledAgents: (): readonly (readonly [PoolRole, Agent])[] =>
      poolRoles.flatMap((role) => {
        const found = pool.agent(role);
        return found === undefined ? [] : [[role, actAs(found)] as const];
      }),
    /** An agent whose token expires in this run; no later run uses it. */
    expiringAgent: async () => {
      const registered = await registration('expiring');
      return { agent: actAs(registered.agent, registered.exchange), exchange: registered.exchange };
    },
    /** An agent that this run suspends; no later run uses it. */
    suspendedAgent: async () => actAs((await registration('suspended')).agent),
    /** An agent that this run registers with only the required fields; no later run uses it. */
    freshAgent: async () => {
      refuseToCreate();
      const { agent, exchange, recordedAt } = await registration('minimal');
      if (recordedAt !== undefined)
        throw new SkippedError('no registration attempt is left in this hour: run the suite again later');
      return actAs(agent, exchange);
    },
  };
}

function pathBehind(base: string, address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address, base)) return undefined;
  const { origin, pathname, search } = new URL(address, base);
  const prefix = new URL(base).pathname.replace(/(?<!\/)\/+$/, '');
  const path = `${pathname}${search}`;
  return origin === new URL(base).origin && path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function openRunBudget(options: RunOptions, pool: Pool, noteWait: (ms: number) => void, pace: BudgetClock): Budget {
  const before = { registrationsInThisHour: pool.attempts().length, recent: pool.recent() };
  const registrations = countRegistrations(pool, options);
  const laterRegistrations = options.hooks.clock === undefined ? 0 : 1;
  return openBudget(
    { registrations, laterRegistrations, limits: options.limits, before },
    {
      now: pace.now,
      sleep: (ms) => {
        noteWait(ms);
        return pace.sleep(ms);
      },
    },
  );
}

function openTrail() {
  const used: { readonly name: RegistrationCase; readonly recordedAt: string | undefined }[] = [];
  const exchanges: Exchange[] = [];
  return {
    trail: { registrations: used, exchanges },
    takeTrail: () => ({ registrations: used.splice(0), exchanges: exchanges.splice(0) }),
  };
}

function openSecrets({ invitation }: RunOptions, pool: Pool, world: RunWorld) {
  const redaction = openRedaction(world);
  const tokens = openTokenRegister();
  const learn = (agent: PoolAgent): void => {
    tokens.add(agent);
    redaction.hide(agent.token);
    redaction.hide(agent.encryption_private_key);
  };
  pool.agents().forEach(learn);
  for (const secret of [invitation, ...world.secrets]) redaction.hide(secret);
  return { redaction, tokens, learn };
}
