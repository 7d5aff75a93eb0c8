import { setTimeout as sleep } from 'node:timers/promises';
import { type Budget, openBudget, type Pace } from './budget.ts';
import { type EventStream, openEventStream } from './events/event-stream.ts';
import { Skipped } from './expectations.ts';
import { type Hooks, openHooks } from './hooks/hooks.ts';
import type { Exchange, HttpClient } from './http/http-client.ts';
import type { RunOptions } from './options.ts';
import { type AgentUsage, openUsageObserver } from './pool/agent-usage.ts';
import { type ContactsMade, openContactsMade } from './pool/contacts-made.ts';
import type { Pool, PoolAgent } from './pool/pool.ts';
import { countRegistrations, openRegistrar, type Registration } from './pool/registrar.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import { openTokenRegister, type TokenRegister } from './pool/token-register.ts';
import { openRedaction, type Redaction } from './redaction.ts';
import { openSender, type Send } from './send.ts';

/** What the checks of one run share. */
export interface Run {
  readonly budget: Budget;
  readonly redaction: Redaction;
  readonly tokens: TokenRegister;
  readonly hooks: Hooks;
  readonly send: Send;
  readonly stream: EventStream;
  /** The registration of this name: made now, or in an earlier run, or refused with what is missing. */
  registration(name: RegistrationCase): Promise<Registration>;
  /** The agent that stays: registered with everything, and with a token that works. */
  primaryAgent(): Promise<PoolAgent>;
  /** An agent of this run, registered with nothing but what is required; it may be used up. */
  freshAgent(): Promise<PoolAgent>;
  /** Another agent that stays, for whatever takes two. */
  partnerAgent(): Promise<PoolAgent>;
  /** The agent that stays for the profile `limits`: nobody else does anything with it. */
  limitedAgent(): Promise<PoolAgent>;
  /** Who met whom in this run. */
  readonly contactsMade: ContactsMade;
  /** How far the agents are used up; it learns from every answer. */
  usage(): AgentUsage;
  /** Keeps the new token of the agent that stays. */
  keepToken(token: string): void;
  /** Keeps an answer that cannot be asked for twice, for whoever looks at it later. */
  remember(name: Remembered, exchange: Exchange): void;
  recall(name: Remembered): Exchange;
  /** What was asked since the last call. */
  takeTrail(): Trail;
}

/** What a check asked for. */
export interface Trail {
  readonly registrations: readonly UsedRegistration[];
  readonly exchanges: readonly Exchange[];
}

/** What happens once in a run and is looked at later. */
export type Remembered =
  | ('rotation' | 'revocation' | 'deletion' | 'plain post' | 'no rights to a work' | 'no rights to a file')
  | ('post under a closed profile' | 'image again')
  | ('large upload' | 'upload' | 'other upload' | 'upload without a file' | 'upload with more' | 'truncated upload')
  | ('large preview' | 'original' | 'file for others' | 'file for nobody')
  | ('contact request' | 'mutual request' | 'request of nobody' | 'acceptance by the requester' | 'blocked request')
  | ('plain text' | 'other encryption' | 'repeat after a block');

/** A registration that a check asked for. */
export interface UsedRegistration {
  readonly name: RegistrationCase;
  readonly recordedAt: string | undefined;
}

const realTime: Pace = { now: () => Date.now(), sleep: (ms) => sleep(ms) };

/** Opens a run; `say` hears why it waits. */
export function openRun(
  options: RunOptions,
  http: HttpClient,
  pool: Pool,
  say: (line: string) => void,
  pace: Pace = realTime,
): Run {
  const redaction = openRedaction();
  const tokens = openTokenRegister();
  for (const agent of pool.agents()) {
    tokens.add(agent);
    redaction.hide(agent.token);
    redaction.hide(agent.encryption_private_key);
  }
  redaction.hide(options.invitation);
  const budget = openRunBudget(options, pool, say, pace);
  const hooks = openHooks(options.hooks, options.invitation, redaction);
  const usage = openUsageObserver(pool.usage, pool.noteUsage);
  let trail = emptyTrail();
  const ask = openSender({
    ...{ budget, http, redaction, agentIdOf: tokens.agentIdOf },
    note: (exchange) => {
      trail.exchanges.push(exchange);
      usage.observe(exchange, tokens.agentIdOf(tokenOf(exchange)));
    },
  });
  const stream = openEventStream({
    ...{ wsUrl: options.wsUrl, patienceMs: options.eventSeconds * 1_000, budget, redaction },
    agentIdOf: tokens.agentIdOf,
    note: (exchange) => trail.exchanges.push(exchange),
  });
  const register = openRegistrar(
    { send: ask, pool, budget, redaction, tokens, hooks },
    async () => (await kept()).handle,
  );
  const registration = async (name: RegistrationCase) => {
    const found = await register(name);
    trail.registrations.push({ name, recordedAt: found.recordedAt });
    return found;
  };
  const kept = async () => {
    if (pool.agent() === undefined) await registration('full');
    return pool.agent() ?? refuseAgent();
  };
  const companion = async (role: 'partner' | 'limited') => {
    if (pool.agent(role) === undefined) await registration(role);
    return pool.agent(role) ?? refuseAgent();
  };
  return {
    ...{ budget, redaction, tokens, hooks, send: ask, stream, registration, primaryAgent: kept },
    freshAgent: async () => {
      const { agent, recordedAt } = await registration('minimal');
      if (recordedAt !== undefined)
        throw new Skipped('no registration attempt is left in this hour: run the suite again later');
      return agent ?? refuseAgent();
    },
    partnerAgent: () => companion('partner'),
    limitedAgent: () => companion('limited'),
    contactsMade: openContactsMade(),
    usage: pool.usage,
    keepToken: (token) => {
      redaction.hide(token);
      const agent = pool.agent();
      if (agent === undefined) return;
      pool.keep({ ...agent, token });
      tokens.add({ ...agent, token });
    },
    takeTrail: () => {
      const taken = trail;
      trail = emptyTrail();
      return taken;
    },
    ...openMemory(),
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

function openMemory(): Pick<Run, 'remember' | 'recall'> {
  const remembered = new Map<string, Exchange>();
  return {
    remember: (name, exchange) => {
      remembered.set(name, exchange);
    },
    recall: (name) => {
      const exchange = remembered.get(name);
      if (exchange === undefined) throw new Skipped(`there was no ${name} in this run`);
      return exchange;
    },
  };
}

function refuseAgent(): never {
  throw new Skipped('no agent could be registered');
}
