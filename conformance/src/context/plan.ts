import { type Check, costOf, type Need, type Observation, type Step } from './check.ts';
import { type Cost, costNames, noCost } from './cost.ts';
import { NotJudged, Skipped } from './expectations.ts';
import { ceilings, type Limits } from './limits.ts';
import type { RunOptions } from './options.ts';
import { parts } from './parts.ts';

/** What a run does and sends at most, known before its first request. */
export interface Plan {
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
  /** The checks and observations without an option that they need, by that option. */
  readonly missing: readonly MissingNeed[];
  readonly cost: Cost;
  readonly registrations: number;
  /** An upper bound of the waiting. */
  readonly minutes: number;
  readonly limits: Limits;
}

/** An option that checks need and that this run does not have. */
interface MissingNeed {
  readonly need: Need;
  readonly option: string;
  readonly ids: readonly string[];
}

const optionOf: Readonly<Record<Need, string>> = {
  credits: '--grant-command',
  clock: '--clock-command',
  stream: '--ws-url',
  suspension: '--suspend-command',
  crowd: '--registrations-per-hour 0',
};

/** The parts of the API that needs are about. */
const partOfNeeds = [
  ['stream', 'events'],
  ['credits', 'wallet'],
] as const;

const optionalNeeds: readonly Need[] = ['clock', 'suspension', 'crowd'];

// Why a run that does not name such a requirement leaves it out, before the option that it lacks.
const reasonOf: Partial<Record<Need, string>> = {
  clock: 'it needs a clock command, and no',
  suspension: 'it needs a suspension command, and no',
  crowd: 'it needs more agents than an address may register in an hour, and no',
};

function needsOf({ needs = [], crowd, isCrowdOptional = false }: Step): readonly Need[] {
  return crowd === undefined || isCrowdOptional ? needs : [...needs, 'crowd'];
}

/** Whether a run has what a check needs. */
function meets({ hooks, wsUrl, limits }: RunOptions, need: Need): boolean {
  if (need === 'crowd') return limits.registrationsPerHour === 0;
  const given = { credits: hooks.grant, clock: hooks.clock, stream: wsUrl, suspension: hooks.suspend };
  return given[need] !== undefined;
}

/** Why a check or an observation is skipped, if it is. */
export function missingNeedOf(options: RunOptions, step: Step): Skipped | NotJudged | undefined {
  const needs = needsOf(step);
  for (const [need, part] of partOfNeeds)
    if (needs.includes(need) && options.without.includes(part)) return new NotJudged(`without ${part}`, parts[part]);
  // A grant, a suspension and a clock change the server.
  if (options.readOnly && needs.some((need) => need !== 'stream'))
    return new NotJudged('it takes a hook that changes the server, and the run is read-only');
  // Few servers have a clock that moves: only a run that names such a requirement is incomplete without it.
  const isNamed = options.only.some((id) => step.covers.includes(id));
  const optional = optionalNeeds.find((need) => needs.includes(need) && !meets(options, need));
  if (optional !== undefined && !isNamed) return new NotJudged(`${reasonOf[optional]} ${optionOf[optional]} was given`);
  const lacking = needs.find((need) => !meets(options, need));
  return lacking === undefined ? undefined : new Skipped(`no ${optionOf[lacking]} was given`);
}

/** Plans a run of these checks and observations. */
export function makePlan(
  checks: readonly Check[],
  observations: readonly Observation[],
  options: RunOptions,
  registrations: number,
): Plan {
  const all = [...checks, ...observations];
  const made = all.filter((one) => missingNeedOf(options, one) === undefined);
  const cost = options.readOnly ? noCost : costOf(made, options.walkSteps);
  const missing = (Object.keys(optionOf) as Need[])
    .map((need) => ({
      need,
      option: optionOf[need],
      ids: all.filter((one) => needsOf(one).includes(need) && !meets(options, need)).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
  return {
    checks,
    observations,
    missing,
    cost,
    registrations: options.readOnly ? 0 : registrations + crowdOf(made, options),
    minutes: minutesOf(cost, options.limits),
    limits: options.limits,
  };
}

function crowdOf(steps: readonly Step[], options: RunOptions): number {
  return meets(options, 'crowd') ? Math.max(0, ...steps.map(({ crowd = 0 }) => crowd)) : 0;
}

/** The limits that a plan exceeds. */
export function excessesOf({ checks, observations, cost, minutes, limits }: Plan): readonly string[] {
  const excesses: string[] = [];
  // Those of a crowd are of agents that no other check and no later run uses.
  const usual = costOf([...checks, ...observations].filter(({ crowd }) => crowd === undefined));
  if (minutes > limits.minutes)
    excesses.push(`it takes up to ${minutes} minutes, the limit is ${limits.minutes} (--max-minutes)`);
  if (cost.creditsMinor > limits.creditsMinor)
    excesses.push(`it needs ${cost.creditsMinor} minor units, the limit is ${limits.creditsMinor} (--max-credits)`);
  for (const name of ['uploads', 'sockets'] as const) {
    if (usual[name] > ceilings[name]) excesses.push(`it needs ${usual[name]} ${name}, the limit is ${ceilings[name]}`);
  }
  return excesses;
}

// As if one agent did everything in sequence: an upper bound.
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
  writes: 'writes',
  contactRequests: 'contact requests',
  messages: 'messages',
  uploads: 'uploads',
  creditsMinor: 'minor units of credit',
  sockets: 'concurrent event connections',
  seconds: 'seconds of waiting',
};

/** Formats a plan in lines. */
export function formatPlan(plan: Plan): readonly string[] {
  const { checks, observations, cost, registrations, minutes, limits } = plan;
  const costs = costNames.filter((name) => cost[name] > 0).map((name) => `${cost[name]} ${words[name]}`);
  const pace = [
    `${limits.writesPerMinute || 'any number of'} writes of one agent`,
    `${limits.contactRequestsPerMinute || 'any number of'} contact requests`,
    `${limits.messagesPerMinute || 'any number of'} messages`,
    `${limits.requestsPerMinute || 'any number of'} requests`,
  ];
  return [
    `plan: ${checks.length} checks and ${observations.length} observations`,
    `  at most ${[`${registrations} registrations`, ...costs].join(', ')}`,
    `  per minute at most ${pace.join(', ')}`,
    `  ${minutes === 0 ? 'no waiting for limits' : `up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of waiting`}`,
    ...plan.missing.map(({ option, ids }) => `  skipped without ${option}: ${ids.join(', ')}`),
  ];
}
