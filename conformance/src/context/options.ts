import { parseArgs } from 'node:util';
import { placeholdersOf, splitCommand } from './hooks/command-line.ts';
import { type HookCommands, noHooks } from './hooks/hooks.ts';
import { defaultLimits, type Limits, withoutPace } from './limits.ts';

/** A report to be written. */
export interface ReportTarget {
  readonly kind: 'html' | 'json' | 'junit' | 'markdown';
  readonly file: string;
}

/** What the command line asks for. */
export type Options =
  | { readonly ask: 'help' }
  | ({ readonly ask: 'plan' } & RunOptions)
  | ({ readonly ask: 'run' } & RunOptions);

/** An optional part of the specification that a server declares. */
export type Profile = 'limits';

/** A run against one server. */
export interface RunOptions {
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly hooks: HookCommands;
  readonly invitation: string | undefined;
  readonly agentsFile: string | undefined;
  readonly baselineFile: string | undefined;
  /** Requirements by id or by the beginning of it; empty: all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly profiles: readonly Profile[];
  readonly reports: readonly ReportTarget[];
  readonly strict: boolean;
  /** How long an event, or the end of a connection, may take. */
  readonly eventSeconds: number;
  readonly limits: Limits;
}

/** The options of a run with what is left out as the command line would have it. */
export function runOptions(baseUrl: string, chosen: Partial<RunOptions> = {}): RunOptions {
  return {
    baseUrl,
    wsUrl: undefined,
    hooks: noHooks,
    invitation: undefined,
    agentsFile: undefined,
    baselineFile: undefined,
    only: [],
    skip: [],
    profiles: [],
    reports: [],
    strict: false,
    eventSeconds: 10,
    limits: defaultLimits,
    ...chosen,
  };
}

/** A command line that cannot be followed. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** Reads the command line. */
export function readOptions(args: readonly string[]): Options {
  const values = parse(args);
  if (values.help) return { ask: 'help' };
  if (values['base-url'] === undefined) throw new OptionsError('--base-url is missing.');
  if (values.invitation !== undefined && values['invitation-command'] !== undefined)
    throw new OptionsError('--invitation and --invitation-command exclude each other.');
  return {
    ask: values.plan ? 'plan' : 'run',
    baseUrl: readUrl('--base-url', values['base-url'], ['http:', 'https:']),
    wsUrl: values['ws-url'] === undefined ? undefined : readUrl('--ws-url', values['ws-url'], ['ws:', 'wss:']),
    hooks: {
      grant: readCommand('--grant-command', values['grant-command'], ['bot_id', 'amount_minor']),
      invitation: readCommand('--invitation-command', values['invitation-command'], []),
      clock: readCommand('--clock-command', values['clock-command'], ['seconds']),
      seconds: readCount('--hook-seconds', values['hook-seconds'], noHooks.seconds),
    },
    invitation: values.invitation,
    agentsFile: values.agents,
    baselineFile: values.baseline,
    only: readIds(values.only),
    skip: readIds(values.skip),
    profiles: (values.profile ?? []).map(readProfile),
    reports: (values.report ?? []).map(readReport),
    strict: values.strict,
    eventSeconds: readCount('--event-seconds', values['event-seconds'], runOptions('').eventSeconds),
    limits: readLimits(values),
  };
}

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean', default: false } as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ 'base-url': text, 'ws-url': text, agents: text, baseline: text, profile: texts },
        ...{ 'grant-command': text, invitation: text, 'invitation-command': text, 'clock-command': text },
        ...{
          'hook-seconds': text,
          'event-seconds': text,
          only: texts,
          skip: texts,
          report: texts,
          strict: flag,
          plan: flag,
        },
        ...{ 'writes-per-minute': text, 'contact-requests-per-minute': text, 'messages-per-minute': text },
        ...{ 'requests-per-minute': text, 'no-pace': flag, 'max-minutes': text, 'max-credits': text },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function readLimits(values: ReturnType<typeof parse>): Limits {
  const otherwise = values['no-pace'] ? withoutPace : defaultLimits;
  const read = (option: 'writes-per-minute' | 'contact-requests-per-minute' | 'messages-per-minute', count: number) =>
    readCount(`--${option}`, values[option], count);
  return {
    writesPerMinute: read('writes-per-minute', otherwise.writesPerMinute),
    contactRequestsPerMinute: read('contact-requests-per-minute', otherwise.contactRequestsPerMinute),
    messagesPerMinute: read('messages-per-minute', otherwise.messagesPerMinute),
    requestsPerMinute: readCount('--requests-per-minute', values['requests-per-minute'], otherwise.requestsPerMinute),
    minutes: readCount('--max-minutes', values['max-minutes'], otherwise.minutes),
    creditsMinor: readCount('--max-credits', values['max-credits'], otherwise.creditsMinor),
  };
}

function readUrl(option: string, given: string, protocols: readonly string[]): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !protocols.includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new OptionsError(`${option} takes a URL that starts with ${protocols.join('// or ')}// and has no query.`);
  if (url.username !== '' || url.password !== '')
    throw new OptionsError(`${option} takes no user name and no password.`);
  return given.replace(/\/+$/, '');
}

function readCommand(option: string, given: string | undefined, names: readonly string[]): string | undefined {
  if (given === undefined) return undefined;
  const words = splitCommand(given);
  if (words === undefined) throw new OptionsError(`${option} has an unclosed quote.`);
  if (words.length === 0) throw new OptionsError(`${option} names no program.`);
  const missing = names.filter((name) => !placeholdersOf(words).includes(name));
  if (missing.length > 0)
    throw new OptionsError(`${option} must name ${missing.map((name) => `{${name}}`).join(' and ')}.`);
  const unknown = placeholdersOf(words).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new OptionsError(`${option} cannot fill in ${unknown.map((name) => `{${name}}`).join(' and ')}.`);
  return given;
}

function readCount(option: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (!/^\d{1,7}$/.test(given)) throw new OptionsError(`${option} takes an integer.`);
  return Number(given);
}

function readIds(given: readonly string[] = []): readonly string[] {
  return given
    .flatMap((ids) => ids.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function readProfile(given: string): Profile {
  if (given === 'limits') return given;
  throw new OptionsError('--profile takes limits.');
}

const reportKinds: readonly ReportTarget['kind'][] = ['html', 'markdown', 'json', 'junit'];

function readReport(given: string): ReportTarget {
  const at = given.indexOf('=');
  const file = given.slice(at + 1);
  const kind = reportKinds.find((known) => at > 0 && known === given.slice(0, at));
  if (kind === undefined || file === '')
    throw new OptionsError('--report takes html=FILE, markdown=FILE, json=FILE or junit=FILE.');
  return { kind, file };
}
