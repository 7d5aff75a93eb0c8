import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, askWithin } from './ask.ts';
import { type Budget, openBudget } from './budget.ts';
import { Unmet } from './judge.ts';
import type { RunOptions } from './options.ts';
import type { Pool, PoolAgent } from './pool.ts';
import { openRedaction, type Redaction } from './redaction.ts';
import { countRegistrations, openRegistrar, type Registration } from './registrar.ts';
import type { RegistrationCase } from './registrations.ts';
import type { Exchange, Wire } from './wire.ts';

/** What the checks of one run share. */
export interface Run {
  readonly budget: Budget;
  readonly redaction: Redaction;
  readonly ask: Ask;
  /** The registration of this name: made now, or in an earlier run, or refused with what is missing. */
  registration(name: RegistrationCase): Promise<Registration>;
  /** The agent that stays: registered with everything, and with a token that works. */
  kept(): Promise<PoolAgent>;
  /** An agent of this run, registered with nothing but what is required; it may be used up. */
  newcomer(): Promise<PoolAgent>;
  /** Keeps the new token of the agent that stays. */
  keepToken(token: string): void;
  /** Keeps an answer that cannot be asked for twice, for whoever looks at it later. */
  remember(name: 'rotation' | 'revocation', exchange: Exchange): void;
  recall(name: 'rotation' | 'revocation'): Exchange;
  /** The registrations that were asked for since the last call. */
  takeAsked(): readonly AskedRegistration[];
}

/** A registration that a check asked for. */
export interface AskedRegistration {
  readonly name: RegistrationCase;
  readonly recordedAt: string | undefined;
}

/** Opens a run; `say` hears why it waits. */
export function openRun(options: RunOptions, wire: Wire, pool: Pool, say: (line: string) => void): Run {
  const redaction = openRedaction();
  for (const secret of [options.invitation, pool.agent()?.token, pool.agent()?.encryption_private_key])
    redaction.hide(secret);
  const before = { registrationsInThisHour: pool.attempts().length, writesInThisMinute: pool.writes() };
  const allowance = { registrations: countRegistrations(pool), writesPerMinute: options.writesPerMinute };
  const budget = openBudget(allowance, before, {
    now: () => Date.now(),
    sleep: (ms) => {
      say(`waiting ${Math.ceil(ms / 1_000)} s to stay within a limit of the server`);
      return sleep(ms);
    },
  });
  const ask = askWithin(budget, wire);
  const parts = { ask, pool, budget, redaction, invitation: options.invitation };
  const register = openRegistrar(parts, async () => (await kept()).handle);
  let asked: AskedRegistration[] = [];
  const registration = async (name: RegistrationCase) => {
    const found = await register(name);
    asked.push({ name, recordedAt: found.recordedAt });
    return found;
  };
  const kept = async () => {
    if (pool.agent() === undefined) await registration('full');
    return pool.agent() ?? refuseAgent();
  };
  return {
    budget,
    redaction,
    ask,
    registration,
    kept,
    newcomer: async () => {
      const { agent, recordedAt } = await registration('minimal');
      if (recordedAt !== undefined) throw new Unmet('no registration is left in this hour: run it again later');
      return agent ?? refuseAgent();
    },
    keepToken: (token) => {
      const agent = pool.agent();
      if (agent !== undefined) pool.keep({ ...agent, token });
      redaction.hide(token);
    },
    takeAsked: () => {
      const taken = asked;
      asked = [];
      return taken;
    },
    ...openMemory(),
  };
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
