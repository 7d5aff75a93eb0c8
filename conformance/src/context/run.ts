import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type ApiClient, openClient } from './agent.ts';
import { type Budget, openBudget, type Pace } from './budget.ts';
import { type EventStream, openEventStream } from './events/event-stream.ts';
import { Skipped } from './expectations.ts';
import { type Hooks, openHooks } from './hooks/hooks.ts';
import type { Exchange, HttpClient } from './http/http-client.ts';
import type { RunOptions } from './options.ts';
import { type AgentUsage, openUsageObserver } from './pool/agent-usage.ts';
import type { Pool, PoolAgent } from './pool/pool.ts';
import { countRegistrations, openRegistrar, type Registration } from './pool/registrar.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import { openTokenRegister, type TokenRegister } from './pool/token-register.ts';
import { openRedaction, type Redaction } from './redaction.ts';
import { openSender } from './send.ts';

/** What the checks of one run share. */
export interface Run {
  readonly budget: Budget;
  readonly redaction: Redaction;
  readonly tokens: TokenRegister;
  readonly hooks: Hooks;
  readonly stream: EventStream;
  /** Sends requests without a token. */
  readonly anonymous: ApiClient;
  /** Sends requests with any token. */
  clientWith(token: string): ApiClient;
  /** The registration of this name, from this run or from an earlier one. */
  registration(name: RegistrationCase): Promise<Registration>;
  /** The agent of the pool, registered with every field. */
  primaryAgent(): Promise<Agent>;
  /** An agent that this run registered with the required fields alone; no later run uses it. */
  freshAgent(): Promise<Agent>;
  /** The second agent of the pool. */
  partnerAgent(): Promise<Agent>;
  /** The agent of the pool that exhausts limits; no other check uses it. */
  limitedAgent(): Promise<Agent>;
  /** What the agents have used up; every response updates it. */
  usage(): AgentUsage;
  /** Stores the new token of the primary agent. */
  keepToken(token: string): void;
  /** The requests since the last call. */
  takeTrail(): Trail;
}

/** The requests of a check. */
interface Trail {
  readonly registrations: readonly UsedRegistration[];
  readonly exchanges: readonly Exchange[];
}

/** A registration that a check used. */
export interface UsedRegistration {
  readonly name: RegistrationCase;
  readonly recordedAt: string | undefined;
}

const realTime: Pace = { now: () => Date.now(), sleep: (ms) => sleep(ms) };

/** Opens a run; `say` receives the reasons for waiting. */
export function openRun(
  options: RunOptions,
  http: HttpClient,
  pool: Pool,
  say: (line: string) => void,
  pace: Pace = realTime,
): Run {
  const redaction = openRedaction();
  const tokens = openTokenRegister();
  const learn = (agent: PoolAgent) => {
    tokens.add(agent);
    redaction.hide(agent.token);
    redaction.hide(agent.encryption_private_key);
  };
  pool.agents().forEach(learn);
  redaction.hide(options.invitation);
  const budget = openRunBudget(options, pool, say, pace);
  const hooks = openHooks(options.hooks, options.invitation, redaction);
  const usage = openUsageObserver(pool.usage, pool.noteUsage);
  let trail = emptyTrail();
  const send = openSender({
    ...{ budget, http, redaction, agentIdOf: tokens.agentIdOf },
    note: (exchange) => {
      trail.exchanges.push(exchange);
      usage.observe(exchange, tokens.agentIdOf(tokenOf(exchange)));
    },
  });
  const stream = openEventStream({
    ...{ budget, redaction, wsUrl: options.wsUrl, patienceMs: options.eventSeconds * 1_000 },
    note: (exchange) => trail.exchanges.push(exchange),
  });
  const register = openRegistrar({ send, pool, budget, redaction, tokens, hooks }, async () => {
    const { handle } = await agents.primaryAgent();
    return handle;
  });
  const registration = async (name: RegistrationCase) => {
    const found = await register(name);
    trail.registrations.push({ name, recordedAt: found.recordedAt });
    return found;
  };
  const agents = openAgents(pool, registration, (token) => openClient(send, token));
  return {
    ...{ budget, redaction, tokens, hooks, stream, registration, ...agents },
    anonymous: openClient(send),
    clientWith: (token) => openClient(send, token),
    usage: pool.usage,
    keepToken: (token) => {
      const agent = pool.agent();
      if (agent === undefined) return;
      pool.keep({ ...agent, token });
      learn({ ...agent, token });
    },
    takeTrail: () => {
      const taken = trail;
      trail = emptyTrail();
      return taken;
    },
  };
}

function openAgents(pool: Pool, registration: Run['registration'], clientWith: Run['clientWith']) {
  // One object for each token, so that a check can compare agents.
  const agents = new Map<string, Agent>();
  const actAs = (found: PoolAgent | undefined): Agent => {
    if (found === undefined) throw new Skipped('no agent could be registered');
    const agent = agents.get(found.token) ?? { ...found, ...clientWith(found.token) };
    agents.set(found.token, agent);
    return agent;
  };
  const ofPool = async (role: 'primary' | 'partner' | 'limited', name: RegistrationCase) => {
    if (pool.agent(role) === undefined) await registration(name);
    return actAs(pool.agent(role));
  };
  return {
    primaryAgent: () => ofPool('primary', 'full'),
    partnerAgent: () => ofPool('partner', 'partner'),
    limitedAgent: () => ofPool('limited', 'limited'),
    freshAgent: async () => {
      const { agent, recordedAt } = await registration('minimal');
      if (recordedAt !== undefined)
        throw new Skipped('no registration attempt is left in this hour: run the suite again later');
      return actAs(agent);
    },
  };
}

function tokenOf({ request }: Exchange): string | undefined {
  return /^Bearer (.*)$/.exec(request.headers['authorization'] ?? '')?.[1];
}

function openRunBudget({ limits, profiles }: RunOptions, pool: Pool, say: (line: string) => void, pace: Pace): Budget {
  const before = { registrationsInThisHour: pool.attempts().length, recent: pool.recent() };
  return openBudget({ registrations: countRegistrations(pool, profiles), limits }, before, {
    now: pace.now,
    sleep: (ms) => {
      say(`waiting ${Math.ceil(ms / 1_000)} s to stay within a limit of the server`);
      return pace.sleep(ms);
    },
  });
}

function emptyTrail(): { readonly registrations: UsedRegistration[]; readonly exchanges: Exchange[] } {
  return { registrations: [], exchanges: [] };
}
