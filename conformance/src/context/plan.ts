import type { Random } from '../world/random.ts';
import { type Cost, costNames, noCost } from './budget/cost.ts';
import { hardRunLimits, type Limits } from './budget/limits.ts';
import { type Check, costOf, type Observation, type Prerequisite, type Step } from './check.ts';
import { NotJudgedError, SkippedError } from './expectations.ts';
import { apiParts, type RunOptions } from './options.ts';
import type { RegistrationCase } from './pool/registration-bodies.ts';

/** The steps of a run and upper bounds of what it sends, computed before the first request. */
export interface Plan extends StepLists {
  /** For each option that was not given, the ids of the checks and observations that require it. */
  readonly missing: readonly {
    readonly need: Prerequisite;
    readonly option: string;
    readonly ids: readonly string[];
  }[];
  readonly cost: Cost;
  readonly registrations: number;
  /** What cannot be tested because too few registrations are left in this hour: requirement ids and descriptions. */
  readonly untested: readonly string[];
  /** An upper bound of the waiting time in minutes. */
  readonly minutes: number;
  readonly limits: Limits;
}

const optionOf: Readonly<Record<Prerequisite, string>> = {
  credits: '--grant-command',
  clock: '--clock-command',
  stream: '--ws-url',
  suspension: '--suspend-command',
  crowd: '--registrations-per-hour 0',
};

/** The part of the API that each of these preconditions uses. */
const partOfNeeds = [
  ['stream', 'events'],
  ['credits', 'wallet'],
] as const;

const optionalNeeds: readonly Prerequisite[] = ['clock', 'suspension', 'crowd'];

// Why requirements with this need are not judged unless the run selects them by id; an option's name is appended.
const reasonOf: Partial<Record<Prerequisite, string>> = {
  clock: 'it needs a clock command, and no',
  suspension: 'it needs a suspension command, and no',
  crowd: 'it needs more agents than an address may register in an hour, and no',
};

function needsOf({ needs = [], extraAgents, areExtraAgentsOptional = false }: Step): readonly Prerequisite[] {
  return extraAgents === undefined || areExtraAgentsOptional ? needs : [...needs, 'crowd'];
}

function meets({ hooks, wsUrl, limits }: RunOptions, need: Prerequisite): boolean {
  if (need === 'crowd') return limits.registrationsPerHour === 0;
  const given = { credits: hooks.grant, clock: hooks.clock, stream: wsUrl, suspension: hooks.suspend };
  return given[need] !== undefined;
}

/** Returns undefined if the step is not skipped. */
export function findSkipReason(options: RunOptions, step: Step): SkippedError | NotJudgedError | undefined {
  const needs = needsOf(step);
  for (const [need, part] of partOfNeeds)
    if (needs.includes(need) && options.without.includes(part))
      return new NotJudgedError(`without ${part}`, apiParts[part]);
  // All needs except `stream` require changes on the server, which a read-only run must not make.
  if (options.readOnly && needs.some((need) => need !== 'stream'))
    return new NotJudgedError('it needs a hook that changes the server, and the run is read-only');
  // Few servers support these options. A run without them is incomplete only if it selects such a requirement by id.
  const isNamed = options.only.some((id) => step.covers.includes(id));
  const optional = optionalNeeds.find((need) => needs.includes(need) && !meets(options, need));
  if (optional !== undefined && !isNamed)
    return new NotJudgedError(`${reasonOf[optional]} ${optionOf[optional]} was given`);
  const lacking = needs.find((need) => !meets(options, need));
  return lacking === undefined ? undefined : new SkippedError(`no ${optionOf[lacking]} was given`);
}

/** The registrations that earlier runs have left for this run. */
export interface PoolStatus {
  /** How many registrations the run may send for the pool; `due` lists those that it needs. */
  readonly registrations: number;
  readonly due: readonly RegistrationCase[];
  /** How many registration attempts are left in this hour. */
  readonly left: number;
}

export const emptyPoolStatus: PoolStatus = { registrations: 0, due: [], left: 0 };

export function makePlan(
  { checks, observations }: StepLists,
  options: RunOptions,
  { registrations, due, left }: PoolStatus,
): Plan {
  const all = [...checks, ...observations];
  const hasFiles = !options.without.includes('files');
  const made = sortPlanSteps({ checks, observations }).filter((one) => findSkipReason(options, one) === undefined);
  const missing = (Object.keys(optionOf) as Prerequisite[])
    .map((need) => ({
      need,
      option: optionOf[need],
      ids: all.filter((one) => needsOf(one).includes(need) && !meets(options, need)).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
  const isPaced = options.limits.writesPerMinute > 0;
  return {
    checks,
    observations,
    missing,
    limits: options.limits,
    // Without support for files, no uploads are sent.
    cost: options.readOnly
      ? noCost
      : { ...costOf(made, options.walkSteps, isPaced), ...(hasFiles ? {} : { uploads: 0 }) },
    registrations: options.readOnly ? 0 : registrations + extraRegistrations(made, options),
    untested: options.readOnly ? [] : untestedOf(made, due, left),
    minutes: Math.ceil(secondsOf(made, options) / 60),
  };
}

/** The number of registrations in addition to those of the pool. */
function extraRegistrations(steps: readonly Step[], options: RunOptions): number {
  const isUnlimited = meets(options, 'crowd');
  const extraAgents = isUnlimited ? Math.max(0, ...steps.map(({ extraAgents = 0 }) => extraAgents)) : 0;
  return steps.reduce(
    (sum, { attempts }) => sum + (attempts?.[isUnlimited ? 'unlimited' : 'limited'] ?? 0),
    extraAgents,
  );
}

// What cannot be tested without the agents that checks share.
const shared: Partial<Record<RegistrationCase, string>> = {
  full: 'everything',
  minimal: 'checks that need a new agent',
  partner: 'checks that need two agents',
};

/** What cannot be tested because fewer registrations are left than are due; the first ones in `due` have priority. */
function untestedOf(steps: readonly Step[], due: readonly RegistrationCase[], left: number): readonly string[] {
  const own = steps.flatMap(({ registration }) => registration ?? []);
  const lacking = due.filter((name) => name in shared || own.includes(name)).slice(left);
  const ids = steps.flatMap((step) => (step.registration && lacking.includes(step.registration) ? step.covers : []));
  return [...new Set([...lacking.flatMap((name) => shared[name] ?? []), ...ids])];
}

export function findExceededLimits({ checks, observations, cost, minutes, limits }: Plan): readonly string[] {
  const excesses: string[] = [];
  // Steps with extra agents do not count, because no other check and no later run uses these agents.
  const usual = costOf([...checks, ...observations].filter(({ extraAgents }) => extraAgents === undefined));
  if (minutes > limits.minutes)
    excesses.push(`it takes up to ${minutes} minutes, the limit is ${limits.minutes} (--max-minutes)`);
  if (cost.creditsMinor > limits.creditsMinor)
    excesses.push(`it needs ${cost.creditsMinor} minor units, the limit is ${limits.creditsMinor} (--max-credits)`);
  for (const name of ['uploads', 'sockets'] as const) {
    if (usual[name] > hardRunLimits[name])
      excesses.push(`it needs ${usual[name]} ${name}, the limit is ${hardRunLimits[name]}`);
  }
  return excesses;
}

// Upper bounds of the requests that costs do not count (preparation, reads, comparisons): per step, plus per write.
const requestsOfStep = 10;
const requestsOfWrite = 3;

/** The longest time in seconds that these steps can wait, if one agent sends everything and answers take no time. */
function secondsOf(steps: readonly Step[], { limits, walkSteps, readOnly }: RunOptions): number {
  let seconds = 0;
  const openWindow = (perMinute: number) => {
    const sent: number[] = [];
    return () => {
      const oldest = perMinute > 0 ? sent.at(-perMinute) : undefined;
      if (oldest !== undefined) seconds = Math.max(seconds, oldest + 60);
      sent.push(seconds);
    };
  };
  const repeat = (count: number, ...windows: readonly (() => void)[]) => {
    for (let one = 0; one < count; one += 1) for (const send of windows) send();
  };
  const request = openWindow(limits.requestsPerMinute);
  const write = openWindow(limits.writesPerMinute);
  const contact = openWindow(limits.contactRequestsPerMinute);
  const message = openWindow(limits.messagesPerMinute);
  const fixtures = new Set<unknown>();
  for (const step of steps) {
    const fresh = (step.fixtures ?? []).filter((one) => !fixtures.has(one));
    for (const one of fresh) fixtures.add(one);
    const cost = readOnly ? noCost : costOf([{ ...step, fixtures: fresh }], walkSteps);
    // Each contact request and each message is also a write.
    repeat(cost.contactRequests, contact, write);
    repeat(cost.messages, message, write);
    repeat(cost.writes - cost.contactRequests - cost.messages, write);
    repeat(requestsOfStep + requestsOfWrite * cost.writes, request);
    seconds += cost.seconds;
  }
  return seconds;
}

const words: Readonly<Record<keyof Cost, string>> = {
  writes: 'writes',
  contactRequests: 'contact requests',
  messages: 'messages',
  uploads: 'uploads',
  creditsMinor: 'minor units of credit',
  sockets: 'concurrent event connections',
  seconds: 'seconds of waiting for events',
};

export function formatPlan(plan: Plan): readonly string[] {
  const { checks, observations, cost, registrations, minutes, limits } = plan;
  const costs = costNames.filter((name) => cost[name] > 0).map((name) => `${cost[name]} ${words[name]}`);
  const pace = [
    [limits.writesPerMinute, 'writes of one agent'],
    [limits.contactRequestsPerMinute, 'contact requests'],
    [limits.messagesPerMinute, 'messages'],
    [limits.requestsPerMinute, 'requests'],
  ].map(([limit, what]) => `${limit || 'any number of'} ${what}`);
  return [
    `plan: ${checks.length} checks and ${observations.length} observations`,
    `  at most ${[`${registrations} registrations`, ...costs].join(', ')}`,
    `  per minute at most ${pace.join(', ')}`,
    `  ${minutes === 0 ? 'no waiting for rate limits' : `up to ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of waiting for rate limits`}`,
    ...(plan.untested.length === 0
      ? []
      : [`  not tested, for lack of registrations in this hour: ${plan.untested.join(', ')}`]),
    ...plan.missing.map(({ option, ids }) => `  skipped without ${option}: ${ids.join(', ')}`),
  ];
}

/** The checks and observations that a run selects. */
export interface StepLists {
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
}

/** The steps of a plan in the order of the run; `random` shuffles them where the order does not matter. */
export function sortPlanSteps({ checks, observations }: StepLists, random?: Random): readonly (Check | Observation)[] {
  const isLast = ({ needs = [] }: Check) => needs.includes('clock');
  const first = checks.filter((check) => !isLast(check));
  const ordinary = first.filter(({ profile }) => profile === undefined);
  return [
    ...(random === undefined ? ordinary : shuffleChecks(ordinary, random)),
    ...observations,
    // Checks that exhaust a rate limit run late, because the checks after them must wait.
    ...first.filter(({ profile }) => profile !== undefined),
    // Checks that move the server's clock run last, because tokens, offers and files then expire.
    ...checks.filter(isLast),
  ];
}

// Checks that block a contact, close a profile, or end a token or agent that other checks use run last in their group.
const endings =
  /^(visibility\.closing|orders\.after-a-block|contacts\.(block-.*|no-way-back)|messages\.blocked|events\.(suppressed|orders-stay|rotated|revoked)|tokens\..*|files\.ended-bearer|suspension\..*)$/;

// Shuffles only within groups: checks depend on what earlier groups left, such as unchanged profiles.
function shuffleChecks(checks: readonly Check[], random: Random): readonly Check[] {
  const groups: Check[][] = [];
  for (const check of checks) {
    const group = groups.at(-1);
    if (group?.[0] !== undefined && groupOf(group[0]) === groupOf(check)) group.push(check);
    else groups.push([check]);
  }
  return groups.flatMap((group) => {
    const [endingOnes = [], others = []] = [true, false].map((wanted) =>
      group.filter(({ id }) => endings.test(id) === wanted),
    );
    return [...random.shuffled(others), ...endingOnes];
  });
}

const groupOf = ({ id }: Check) => id.split('.', 1)[0];
