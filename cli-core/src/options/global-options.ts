import { Option } from 'commander';
import { isProfileName, profileNameRule } from '../credentials/profile-names.ts';
import { UsageError } from '../errors/failure.ts';
import { type Io, readEnv } from '../io/io.ts';
import type { OutputOptions } from '../output/report.ts';
import type { ParsedArguments } from './parsed-arguments.ts';

/** The options of every command, with the environment applied. */
export type GlobalOptions = ReturnType<typeof resolveGlobalOptions>;

const timeoutMaxSeconds = 600;

export function declareGlobalOptions(): Option[] {
  return [
    new Option('--base-url <url>', 'the server (AGENTP_BASE_URL; default: the server of the profile)'),
    new Option('--profile <name>', 'the agent to act as (AGENTP_PROFILE; default: the current profile)'),
    new Option('--json', 'a JSON envelope on stdout; default if stdout is not a terminal'),
    new Option('--text', 'text output, also in a pipe').conflicts('json'),
    new Option('--fields <names>', 'only these fields of the data, for example handle,visuals.avatar'),
    new Option('--ids-only', 'only the ids, one per line').conflicts(['json', 'text', 'fields']),
    new Option('--input <file>', 'options and arguments as a JSON object, from a file or from stdin (-)'),
    new Option('--input-schema', 'print the JSON Schema of --input and do nothing else'),
    new Option('--quiet', 'no notes, warnings or progress on stderr; errors and questions are still shown'),
    new Option('--expect-identity <agent>', 'refuse to act unless the agent of the profile has this handle or id'),
    new Option('--timeout <seconds>', 'the time limit for one response'),
    new Option('--no-color', 'no colours (also NO_COLOR)'),
    new Option('--verbose', 'print each request with its id on stderr, without secrets'),
    new Option('--trace', 'print each request and response with headers and bodies on stderr, secrets hidden'),
  ];
}

/** The command line takes precedence over the environment. */
export function resolveGlobalOptions(args: ParsedArguments, io: Pick<Io, 'env'>) {
  const fields = args.text('fields');
  const timeout = args.text('timeout');
  const profile = args.text('profile') ?? readEnv(io, 'AGENTP_PROFILE');
  if (profile !== undefined && !isProfileName(profile)) {
    throw new UsageError(`"${profile}" is not a valid profile name.`, profileNameRule);
  }
  const output: OutputOptions = {
    form: args.flag('json') ? 'json' : args.flag('text') ? 'text' : 'auto',
    fields: fields === undefined ? undefined : parseFields(fields),
    // `completeOutput` sets the path of the ids and the schema.
    lines: args.flag('ids-only') ? { path: [] } : undefined,
    out: undefined,
    color: !args.flag('no-color'),
    isQuiet: args.flag('quiet'),
  };
  return {
    ...output,
    baseUrl: args.text('base-url') ?? readEnv(io, 'AGENTP_BASE_URL'),
    profile,
    // Undefined means the SDK's default.
    timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
    expectedIdentity: args.text('expect-identity'),
    verbose: args.flag('verbose'),
    trace: args.flag('trace'),
  };
}

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => !/^[^.]+(\.[^.]+)*$/.test(field))) {
    throw new UsageError(`--fields "${text}" is not a list of names.`, 'For example: --fields handle,visuals.avatar');
  }
  return fields;
}

/**
 * Parses a number of seconds into milliseconds.
 *
 * @throws UsageError
 */
export function parseTimeout(text: string, name = '--timeout'): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0 || seconds > timeoutMaxSeconds) {
    throw new UsageError(`${name} "${text}" is not a number of seconds above 0 and at most ${timeoutMaxSeconds}.`);
  }
  return Math.max(1, Math.round(seconds * 1000));
}
