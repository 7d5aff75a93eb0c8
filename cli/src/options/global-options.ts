import { Option } from 'commander';
import { UsageError } from '../errors/failure.ts';
import { type Io, readEnv } from '../io/io.ts';
import type { OutputOptions } from '../output/report.ts';
import { isProfileName, profileNameRule } from '../profiles/profile-name.ts';
import type { Typed } from './parsed-arguments.ts';

/** The options that every verb takes, with the environment already looked at. */
export interface GlobalOptions extends OutputOptions {
  /** Undefined when neither the command line nor the environment names one. */
  readonly baseUrl: string | undefined;
  /** Undefined when neither the command line nor the environment names one. */
  readonly profile: string | undefined;
  /** Undefined leaves it to the SDK. */
  readonly timeoutMs: number | undefined;
  readonly verbose: boolean;
}

const timeoutMaxSeconds = 600;

/** The declarations of the global options, for the parser, the help and the completion. */
export function declareGlobalOptions(): Option[] {
  return [
    new Option('--base-url <url>', 'the server (AGENTP_BASE_URL; else the one of the profile)'),
    new Option('--profile <name>', 'which agent to be (AGENTP_PROFILE; else the current one)'),
    new Option('--json', 'one JSON envelope on stdout; the default when stdout is not a terminal'),
    new Option('--text', 'text for people, also into a pipe').conflicts('json'),
    new Option('--fields <names>', 'only these members of the data, e.g. handle,visuals.avatar'),
    new Option('--timeout <seconds>', 'the longest wait for one answer'),
    new Option('--no-color', 'no colours (NO_COLOR does the same)'),
    new Option('--verbose', 'show each request with its id on stderr, never a secret'),
  ];
}

/** Reads the global options; the command line comes before the environment. */
export function readGlobalOptions(typed: Typed, io: Pick<Io, 'env'>): GlobalOptions {
  const fields = typed.text('fields');
  const timeout = typed.text('timeout');
  const profile = typed.text('profile') ?? readEnv(io, 'AGENTP_PROFILE');
  if (profile !== undefined && !isProfileName(profile)) {
    throw new UsageError(`"${profile}" cannot be the name of a profile.`, profileNameRule);
  }
  return {
    baseUrl: typed.text('base-url') ?? readEnv(io, 'AGENTP_BASE_URL'),
    profile,
    form: typed.flag('json') ? 'json' : typed.flag('text') ? 'text' : 'auto',
    fields: fields === undefined ? undefined : parseFields(fields),
    timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
    color: !typed.flag('no-color'),
    verbose: typed.flag('verbose'),
  };
}

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => !/^[^.]+(\.[^.]+)*$/.test(field))) {
    throw new UsageError(`--fields "${text}" is not a list of names.`, 'For example: --fields handle,visuals.avatar');
  }
  return fields;
}

function parseTimeout(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0 || seconds > timeoutMaxSeconds) {
    throw new UsageError(`--timeout "${text}" is not a number of seconds above 0 and up to ${timeoutMaxSeconds}.`);
  }
  return Math.max(1, Math.round(seconds * 1000));
}
