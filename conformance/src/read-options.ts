import { parseArgs } from 'node:util';
import { readConfig } from './config-file.ts';
import { defaultLimits, type Limits, unpacedLimits } from './context/budget/limits.ts';
import { OptionsError, rethrowAsCannotRun } from './context/cannot-run.ts';
import { placeholdersOf, splitCommand } from './context/hooks/command-line.ts';
import { noHooks } from './context/hooks/hooks.ts';
import { apiPartNames, defaultWalkSteps, type ReportTarget, type RunOptions, runOptions } from './context/options.ts';

/** What the command line requests, with the options for it. */
export type CommandLine =
  | { readonly ask: 'help' }
  | ({ readonly ask: 'list' } & Pick<RunOptions, 'only' | 'skip' | 'without' | 'profiles'>)
  | ({ readonly ask: 'init'; readonly file: string } & RunOptions)
  | ({ readonly ask: 'plan' | 'run' } & RunOptions);

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean', default: false } as const;

/** The type of each command line option; the help text explains them. */
export const optionTypes = {
  'base-url': text,
  'ws-url': text,
  agents: text,
  baseline: text,
  profile: texts,
  only: texts,
  skip: texts,
  without: texts,
  'grant-command': text,
  invitation: text,
  'invitation-command': text,
  'clock-command': text,
  'suspend-command': text,
  'hook-seconds': text,
  'event-seconds': text,
  'time-scale': text,
  'max-minutes': text,
  'max-credits': text,
  'writes-per-minute': text,
  'contact-requests-per-minute': text,
  'messages-per-minute': text,
  'requests-per-minute': text,
  'registrations-per-hour': text,
  'no-pace': flag,
  report: texts,
  strict: flag,
  plan: flag,
  list: flag,
  shuffle: flag,
  'read-only': flag,
  seed: text,
  'walk-steps': text,
  config: text,
  init: text,
  help: { ...flag, short: 'h' },
} as const;

type Values = ReturnType<typeof parse>;
type TextOption = { [name in keyof Values]-?: Values[name] extends string | undefined ? name : never }[keyof Values];

/** Parses the command line and the configuration file that it names. Throws an OptionsError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const given = parse(args);
  if (given.help) return { ask: 'help' };
  // Later values override earlier ones, so the command line comes last.
  const values = given.config === undefined ? given : parse([...readConfig(given.config, optionTypes), ...args]);
  const profiles = (values.profile ?? []).map((given) => readOneOf('--profile', given, ['limits'] as const));
  const without = readIds(values.without).map((given) => readOneOf('--without', given, apiPartNames));
  const selection = { only: readIds(values.only), skip: readIds(values.skip), without, profiles };
  if (values.list) return { ask: 'list', ...selection };
  const options = readRun(values, selection);
  if (values.init !== undefined) return { ask: 'init', file: values.init, ...options };
  return { ask: values.plan ? 'plan' : 'run', ...options };
}

function readRun(values: Values, selection: Omit<Extract<CommandLine, { ask: 'list' }>, 'ask'>): RunOptions {
  const { 'base-url': baseUrl, 'ws-url': wsUrl, invitation } = values;
  if (baseUrl === undefined) throw new OptionsError('--base-url is missing.');
  if (invitation !== undefined && values['invitation-command'] !== undefined)
    throw new OptionsError('--invitation and --invitation-command cannot be combined.');
  const command = (name: TextOption, placeholders: readonly string[]) =>
    readCommand(`--${name}`, values[name], placeholders);
  const count = (name: TextOption, fallback: number) => readCount(`--${name}`, values[name], fallback);
  const countFrom1 = (name: TextOption, fallback: number, most: number) => {
    const given = count(name, fallback);
    if (given >= 1 && given <= most) return given;
    throw new OptionsError(`--${name} takes an integer from 1 to ${most}.`);
  };
  return {
    baseUrl: readUrl('--base-url', baseUrl, ['http:', 'https:']),
    wsUrl: wsUrl === undefined ? undefined : readUrl('--ws-url', wsUrl, ['ws:', 'wss:']),
    hooks: {
      grant: command('grant-command', ['bot_id', 'amount_minor']),
      invitation: command('invitation-command', []),
      clock: command('clock-command', ['seconds']),
      suspend: command('suspend-command', ['bot_id']),
      seconds: count('hook-seconds', noHooks.seconds),
    },
    invitation,
    agentsFile: values.agents,
    baselineFile: values.baseline,
    strict: values.strict,
    ...selection,
    seed: values.seed === undefined ? undefined : readCount('--seed', values.seed, 0, 9),
    walkSteps: countFrom1('walk-steps', defaultWalkSteps, 10_000),
    shuffle: values.shuffle,
    readOnly: values['read-only'],
    reports: (values.report ?? []).map(parseReportTarget),
    eventSeconds: count('event-seconds', runOptions('').eventSeconds),
    timeScale: countFrom1('time-scale', 1, 100),
    limits: readLimits(values['no-pace'] ? unpacedLimits : defaultLimits, count),
  };
}

function parse(args: readonly string[]) {
  return rethrowAsCannotRun('', () => parseArgs({ args: [...args], options: optionTypes }).values, OptionsError);
}

function readLimits(fallback: Limits, count: (name: TextOption, fallback: number) => number): Limits {
  return {
    writesPerMinute: count('writes-per-minute', fallback.writesPerMinute),
    contactRequestsPerMinute: count('contact-requests-per-minute', fallback.contactRequestsPerMinute),
    messagesPerMinute: count('messages-per-minute', fallback.messagesPerMinute),
    registrationsPerHour: count('registrations-per-hour', fallback.registrationsPerHour),
    requestsPerMinute: count('requests-per-minute', fallback.requestsPerMinute),
    minutes: count('max-minutes', fallback.minutes),
    creditsMinor: count('max-credits', fallback.creditsMinor),
  };
}

function readUrl(option: string, given: string, protocols: readonly string[]): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !protocols.includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new OptionsError(`${option} takes a URL that starts with ${protocols.join('// or ')}// and has no query.`);
  if (url.username !== '' || url.password !== '')
    throw new OptionsError(`${option} takes a URL without user name and password.`);
  return given.replace(/(?<!\/)\/+$/, '');
}

function readCommand(option: string, given: string | undefined, names: readonly string[]): string | undefined {
  if (given === undefined) return undefined;
  const words = splitCommand(given);
  if (words === undefined) throw new OptionsError(`${option} has an unclosed quote.`);
  if (words.length === 0) throw new OptionsError(`${option} names no program.`);
  const missing = names.filter((name) => !placeholdersOf(words).includes(name));
  if (missing.length > 0)
    throw new OptionsError(`${option} must contain ${missing.map((name) => `{${name}}`).join(' and ')}.`);
  const unknown = placeholdersOf(words).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new OptionsError(`${option} has no placeholder ${unknown.map((name) => `{${name}}`).join(' or ')}.`);
  return given;
}

function readCount(option: string, given: string | undefined, fallback: number, maxDigits = 7): number {
  if (given === undefined) return fallback;
  if (!/^\d+$/.test(given) || given.length > maxDigits)
    throw new OptionsError(`${option} takes an integer of at most ${maxDigits} digits.`);
  return Number(given);
}

function readIds(given: readonly string[] = []): readonly string[] {
  return given
    .flatMap((ids) => ids.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function readOneOf<T extends string>(option: string, given: string, names: readonly T[]): T {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new OptionsError(`${option} takes ${names.join(', ')}.`);
  return found;
}

const reportKinds: readonly ReportTarget['kind'][] = ['html', 'markdown', 'json', 'junit', 'badge', 'bundle'];

/** Parses `KIND=FILE`. */
export function parseReportTarget(given: string): ReportTarget {
  const at = given.indexOf('=');
  const file = given.slice(at + 1);
  const kind = reportKinds.find((known) => at > 0 && known === given.slice(0, at));
  if (kind === undefined || file === '')
    throw new OptionsError(
      '--report takes html=FILE, markdown=FILE, json=FILE, junit=FILE, badge=FILE or bundle=FILE.',
    );
  return { kind, file };
}
