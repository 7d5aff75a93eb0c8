import type { Check, Need, Observation } from './check.ts';
import { type Cost, costNames, totalCost } from './cost.ts';
import { ceilings, type Limits } from './limits.ts';
import type { RunOptions } from './options.ts';

/** What a run is going to do and to ask for, known before the first request. */
export interface Plan {
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
  /** The checks and looks that cannot be made, by what is missing. */
  readonly missing: readonly MissingNeed[];
  readonly cost: Cost;
  readonly registrations: number;
  /** How long it takes at most, as far as waiting decides it. */
  readonly minutes: number;
  readonly limits: Limits;
}

/** A need that this run cannot meet. */
export interface MissingNeed {
  readonly need: Need;
  /** The option that would meet it. */
  readonly option: string;
  readonly ids: readonly string[];
}

const optionOf: Readonly<Record<Need, string>> = {
  credits: '--grant-command',
  clock: '--clock-command',
  stream: '--ws-url',
};

/** Tells whether a run has what a check needs. */
export function meets({ hooks, wsUrl }: RunOptions, need: Need): boolean {
  const given = { credits: hooks.grant, clock: hooks.clock, stream: wsUrl };
  return given[need] !== undefined;
}

/** What a check or a look is not made for, if anything. */
export function missingNeedOf(options: RunOptions, { needs = [] }: Check | Observation): string | undefined {
  const lacking = needs.find((need) => !meets(options, need));
  return lacking === undefined ? undefined : `no ${optionOf[lacking]} was given`;
}

/** Makes the plan of a run out of the checks and looks that are in its scope. */
export function makePlan(
  checks: readonly Check[],
  observations: readonly Observation[],
  options: RunOptions,
  registrations: number,
): Plan {
  const all = [...checks, ...observations];
  const made = all.filter((one) => missingNeedOf(options, one) === undefined);
  const cost = totalCost(made.map((one) => one.cost ?? {}));
  const missing = (Object.keys(optionOf) as Need[])
    .map((need) => ({
      need,
      option: optionOf[need],
      ids: all.filter((one) => one.needs?.includes(need) && !meets(options, need)).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
  return {
    checks,
    observations,
    missing,
    cost,
    registrations,
    minutes: minutesOf(cost, options.limits),
    limits: options.limits,
  };
}

/** Everything in which a plan goes beyond what may be asked of a server. */
export function excessesOf({ cost, minutes, limits }: Plan): readonly string[] {
  const excesses: string[] = [];
  if (minutes > limits.minutes)
    excesses.push(`it takes up to ${minutes} minutes, over the limit of ${limits.minutes} (--max-minutes)`);
  if (cost.creditsMinor > limits.creditsMinor)
    excesses.push(
      `it needs ${cost.creditsMinor} minor units, over the limit of ${limits.creditsMinor} (--max-credits)`,
    );
  for (const name of ['uploads', 'sockets'] as const) {
    if (cost[name] > ceilings[name])
      excesses.push(`it needs ${cost[name]} ${name}, over the limit of ${ceilings[name]}`);
  }
  return excesses;
}

// As if one agent did everything, and everything one after the other: never too little.
function minutesOf(cost: Cost, limits: Limits): number {
  const paced: readonly (readonly [count: number, perMinute: number])[] = [
    [cost.writes, limits.writesPerMinute],
    [cost.contactRequests, limits.contactRequestsPerMinute],
    [cost.messages, limits.messagesPerMinute],
  ];
  const waits = paced.map(([count, perMinute]) => (perMinute > 0 ? Math.floor(count / perMinute) : 0));
  return Math.ceil(waits.reduce((sum, minutes) => sum + minutes, 0) + cost.seconds / 60);
}

const words: Readonly<Record<keyof Cost, string>> = {
  writes: 'changes',
  contactRequests: 'contact requests',
  messages: 'messages',
  uploads: 'uploads',
  creditsMinor: 'minor units of credit',
  sockets: 'event connections at a time',
  seconds: 'seconds of waiting',
};

/** The plan for people, line by line. */
export function formatPlan(plan: Plan): readonly string[] {
  const { checks, observations, cost, registrations, minutes, limits } = plan;
  const costs = costNames.filter((name) => cost[name] > 0).map((name) => `${cost[name]} ${words[name]}`);
  const pace = [
    `${limits.writesPerMinute || 'any number of'} changes of one agent`,
    `${limits.contactRequestsPerMinute || 'any number of'} contact requests`,
    `${limits.messagesPerMinute || 'any number of'} messages`,
    `${limits.requestsPerMinute || 'any number of'} requests`,
  ];
  return [
    `plan: ${checks.length} checks and ${observations.length} observations`,
    `  at most ${[`${registrations} registrations`, ...costs].join(', ')}`,
    `  in a minute at most ${pace.join(', ')}`,
    `  ${minutes === 0 ? 'without waiting for limits' : `up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of waiting`}`,
    ...plan.missing.map(({ option, ids }) => `  skipped without ${option}: ${ids.join(', ')}`),
  ];
}
