import type { Profiles } from '../credentials/profiles.ts';
import { type ProfileSettings, readSettings } from '../credentials/settings.ts';
import { UsageError } from '../errors/failure.ts';
import { type GlobalOptions, parseTimeout } from './global-options.ts';

/** A setting of a profile, which a global option overrides. */
export interface SettingDescription {
  readonly name: 'base-url' | 'output' | 'timeout' | 'color';
  readonly meaning: string;
  /** The value that applies if the setting is not set. */
  readonly otherwise: string;
  /** Throws if a value is invalid. */
  readonly check: (value: string) => void;
}

/** All settings, in the order of `agentp config list`. */
export const settingDescriptions: readonly SettingDescription[] = [
  {
    name: 'base-url',
    meaning: 'the server address; must have the origin of the profile',
    otherwise: 'the origin of the profile',
    check: (value) => {
      if (!URL.canParse(value)) throw new UsageError(`"${value}" is not an address.`, 'For example: https://host/path');
    },
  },
  {
    name: 'output',
    meaning: 'the output format: auto, json or text',
    otherwise: 'auto',
    check: oneOf('output', ['auto', 'json', 'text']),
  },
  {
    name: 'timeout',
    meaning: 'the time limit for one response, in seconds',
    otherwise: 'the default of the SDK',
    check: (value) => void parseTimeout(value, 'timeout'),
  },
  {
    name: 'color',
    meaning: 'colours on a terminal: auto or never',
    otherwise: 'auto',
    check: oneOf('color', ['auto', 'never']),
  },
];

/** The command line and the environment take precedence over the settings of the profile. */
export async function applySettings(options: GlobalOptions, profiles: Profiles): Promise<GlobalOptions> {
  // Ignores an unreadable folder here, because the command itself reports it.
  const name = options.profile ?? (await profiles.findCurrent().catch(() => undefined));
  return name === undefined ? options : complete(options, await readSettings(profiles, name));
}

function complete(options: GlobalOptions, settings: ProfileSettings): GlobalOptions {
  const { output, timeout } = settings;
  const form = output === 'json' || output === 'text' ? output : 'auto';
  return {
    ...options,
    form: options.form === 'auto' ? form : options.form,
    color: options.color && settings['color'] !== 'never',
    baseUrl: options.baseUrl ?? settings['base-url'],
    timeoutMs: options.timeoutMs ?? (timeout === undefined ? undefined : parseTimeout(timeout, 'timeout')),
  };
}

function oneOf(name: string, values: readonly string[]): (value: string) => void {
  return (value) => {
    if (!values.includes(value)) throw new UsageError(`${name} "${value}" is not one of ${values.join(', ')}.`);
  };
}
