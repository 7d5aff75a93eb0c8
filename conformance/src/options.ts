import { parseArgs } from 'node:util';

/** A report to be written. */
export interface ReportTarget {
  readonly kind: 'json' | 'junit';
  readonly file: string;
}

/** What the command line asks for. */
export type Options = { readonly ask: 'help' } | ({ readonly ask: 'run' } & RunOptions);

/** A run against one server. */
export interface RunOptions {
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly grantCommand: string | undefined;
  readonly invitation: string | undefined;
  readonly agentsFile: string | undefined;
  /** Requirements by id or by the beginning of it; empty: all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly reports: readonly ReportTarget[];
  readonly strict: boolean;
  /** Changes that one agent may send in a minute; 0: as fast as the server answers. */
  readonly writesPerMinute: number;
}

/** The options of a run with what is left out as the command line would have it. */
export function runOptions(baseUrl: string, chosen: Partial<RunOptions> = {}): RunOptions {
  return {
    baseUrl,
    wsUrl: undefined,
    grantCommand: undefined,
    invitation: undefined,
    agentsFile: undefined,
    only: [],
    skip: [],
    reports: [],
    strict: false,
    writesPerMinute: writesPerMinuteDefault,
    ...chosen,
  };
}

// Stated: 120 changes in a minute for one identity; some room for clocks that differ.
const writesPerMinuteDefault = 100;

/** A command line that cannot be followed. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** The help text. */
export const usage = `Usage: agent-platform-conformance --base-url URL [--ws-url URL] [options]

Judges a server of the Agent Platform API by the sentences of its specification.

  --base-url URL          where the HTTP API is, for example http://127.0.0.1:8080
  --ws-url URL            where the event stream is, for example ws://127.0.0.1:8080
  --agents FILE           keys, tokens and past registrations; made when it is missing (mode 0600)
  --invitation CODE       for a server that registers by invitation
  --grant-command CMD     how credits are granted: 'CMD {bot_id} {amount_minor}'
  --only ID[,ID…]         judge these requirements alone, by id or by the beginning of it
  --skip ID[,ID…]         leave these out
  --report KIND=FILE      json or junit; may be repeated
  --strict                judge what only the decisions of this project settle as well
  --writes-per-minute N   pace of changes, for servers with another limit than 120; 0: none
  --help                  this text

Exit codes: 0 everything in scope passed, 1 something failed, 2 the suite could not run,
3 nothing failed but something was not tested.
`;

/** Reads the command line. */
export function readOptions(args: readonly string[]): Options {
  const values = parse(args);
  if (values.help) return { ask: 'help' };
  if (values['base-url'] === undefined) throw new OptionsError('--base-url is missing.');
  return {
    ask: 'run',
    baseUrl: readUrl('--base-url', values['base-url'], ['http:', 'https:']),
    wsUrl: values['ws-url'] === undefined ? undefined : readUrl('--ws-url', values['ws-url'], ['ws:', 'wss:']),
    grantCommand: readGrantCommand(values['grant-command']),
    invitation: values.invitation,
    agentsFile: values.agents,
    only: readIds(values.only),
    skip: readIds(values.skip),
    reports: (values.report ?? []).map(readReport),
    strict: values.strict,
    writesPerMinute: readCount('--writes-per-minute', values['writes-per-minute'], writesPerMinuteDefault),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'base-url': { type: 'string' },
        'ws-url': { type: 'string' },
        'grant-command': { type: 'string' },
        invitation: { type: 'string' },
        agents: { type: 'string' },
        only: { type: 'string', multiple: true },
        skip: { type: 'string', multiple: true },
        report: { type: 'string', multiple: true },
        'writes-per-minute': { type: 'string' },
        strict: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function readUrl(option: string, text: string, protocols: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocols.includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new OptionsError(
      `${option} takes an address that begins with ${protocols.join('// or ')}// and has no query.`,
    );
  if (url.username !== '' || url.password !== '') throw new OptionsError(`${option} takes no name and no password.`);
  return text.replace(/\/+$/, '');
}

function readGrantCommand(text: string | undefined): string | undefined {
  if (text === undefined || (text.includes('{bot_id}') && text.includes('{amount_minor}'))) return text;
  throw new OptionsError('--grant-command must name {bot_id} and {amount_minor}.');
}

function readCount(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,6}$/.test(text)) throw new OptionsError(`${option} takes a whole number.`);
  return Number(text);
}

function readIds(texts: readonly string[] = []): readonly string[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function readReport(text: string): ReportTarget {
  const at = text.indexOf('=');
  const kind = text.slice(0, at);
  const file = text.slice(at + 1);
  if (at > 0 && file !== '' && (kind === 'json' || kind === 'junit')) return { kind, file };
  if (kind === 'html' || kind === 'markdown') throw new OptionsError(`A report as ${kind} is not written yet.`);
  throw new OptionsError('--report takes json=FILE or junit=FILE.');
}
