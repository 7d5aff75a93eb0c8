import { setTimeout as sleep } from 'node:timers/promises';
import { type Budget, openBudget, type Pace } from './budget.ts';
import { openStream, type Stream } from './events/event-stream.ts';
import { Unmet } from './expectations.ts';
import { type Hooks, openHooks } from './hooks/hooks.ts';
import type { Exchange, Wire } from './http/http-client.ts';
import type { RunOptions } from './options.ts';
import { observeWear, type Wear } from './pool/agent-usage.ts';
import { type Meetings, openMeetings } from './pool/contacts-made.ts';
import type { Pool, PoolAgent } from './pool/pool.ts';
import { countRegistrations, openRegistrar, type Registration } from './pool/registrar.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';
import { type Owners, openOwners } from './pool/token-register.ts';
import { openRedaction, type Redaction } from './redaction.ts';
import { type Ask, askWithin } from './send.ts';

/** What the checks of one run share. */
export interface Run {
  readonly budget: Budget;
  readonly redaction: Redaction;
  readonly owners: Owners;
  readonly hooks: Hooks;
  readonly ask: Ask;
  readonly stream: Stream;
  /** The registration of this name: made now, or in an earlier run, or refused with what is missing. */
  registration(name: RegistrationCase): Promise<Registration>;
  /** The agent that stays: registered with everything, and with a token that works. */
  kept(): Promise<PoolAgent>;
  /** An agent of this run, registered with nothing but what is required; it may be used up. */
  newcomer(): Promise<PoolAgent>;
  /** Another agent that stays, for whatever takes two. */
  partner(): Promise<PoolAgent>;
  /** The agent that stays for the profile `limits`: nobody else does anything with it. */
  limited(): Promise<PoolAgent>;
  /** Who met whom in this run. */
  readonly meetings: Meetings;
  /** How far the agents are used up; it learns from every answer. */
  wear(): Wear;
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
  readonly registrations: readonly AskedRegistration[];
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
export interface AskedRegistration {
  readonly name: RegistrationCase;
  readonly recordedAt: string | undefined;
}

const realTime: Pace = { now: () => Date.now(), sleep: (ms) => sleep(ms) };

/** Opens a run; `say` hears why it waits. */
export function openRun(
  options: RunOptions,
  wire: Wire,
  pool: Pool,
  say: (line: string) => void,
  pace: Pace = realTime,
): Run {
  const redaction = openRedaction();
  const owners = openOwners();
  for (const agent of pool.agents()) {
    owners.add(agent);
    redaction.hide(agent.token);
    redaction.hide(agent.encryption_private_key);
  }
  redaction.hide(options.invitation);
  const budget = openRunBudget(options, pool, say, pace);
  const hooks = openHooks(options.hooks, options.invitation, redaction);
  const wear = observeWear(pool.wear, pool.noteWear);
  let trail = emptyTrail();
  const ask = askWithin({
    ...{ budget, wire, redaction, ownerOf: owners.ownerOf },
    note: (exchange) => {
      trail.exchanges.push(exchange);
      wear.observe(exchange, owners.ownerOf(tokenOf(exchange)));
    },
  });
  const stream = openStream({
    ...{ wsUrl: options.wsUrl, patienceMs: options.eventSeconds * 1_000, budget, redaction },
    ownerOf: owners.ownerOf,
    note: (exchange) => trail.exchanges.push(exchange),
  });
  const register = openRegistrar({ ask, pool, budget, redaction, owners, hooks }, async () => (await kept()).handle);
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
    ...{ budget, redaction, owners, hooks, ask, stream, registration, kept },
    newcomer: async () => {
      const { agent, recordedAt } = await registration('minimal');
      if (recordedAt !== undefined) throw new Unmet('no registration is left in this hour: run it again later');
      return agent ?? refuseAgent();
    },
    partner: () => companion('partner'),
    limited: () => companion('limited'),
    meetings: openMeetings(),
    wear: pool.wear,
    keepToken: (token) => {
      redaction.hide(token);
      const agent = pool.agent();
      if (agent === undefined) return;
      pool.keep({ ...agent, token });
      owners.add({ ...agent, token });
    },
    takeTrail: () => {
      const taken = trail;
      trail = emptyTrail();
      return taken;
    },
    ...openMemory(),
  };
}

function tokenOf({ asked }: Exchange): string | undefined {
  return /^Bearer (.*)$/.exec(asked.headers['authorization'] ?? '')?.[1];
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

function emptyTrail(): { readonly registrations: AskedRegistration[]; readonly exchanges: Exchange[] } {
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
      if (exchange === undefined) throw new Unmet(`there was no ${name} in this run`);
      return exchange;
    },
  };
}

function refuseAgent(): never {
  throw new Unmet('no agent could be registered');
}
