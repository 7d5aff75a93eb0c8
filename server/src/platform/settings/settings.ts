import { findNearestName } from '@agent-platform/contract';
import { errorMessageOf } from '../error-facts.ts';
import { allSettings } from './all-settings.ts';
import { findS3Faults } from './s3-faults.ts';
import type { Setting } from './setting.ts';
import { findTestClockFaults } from './test-clock-faults.ts';

type Table = typeof allSettings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The effective settings, read once at the start and frozen. */
export type Settings = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** Lists all invalid settings, with the valid form of each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Reads the settings from environment variables. An empty variable counts as unset. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, setting] of Object.entries<Setting<unknown>>(allSettings)) {
    const text = env[setting.variable] ?? '';
    try {
      values[name] = text === '' ? setting.fallback : setting.read(text);
    } catch (error) {
      const shown = setting.secret === undefined ? JSON.stringify(text) : '(hidden)';
      faults.push(`${setting.variable}=${shown} ${errorMessageOf(error)}`);
    }
  }
  const read = values as Partial<Settings>;
  faults.push(...findTestClockFaults(read), ...findS3Faults(read), ...findReplicaFaults(read));
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(values) as Settings;
}

function findReplicaFaults(settings: Partial<Settings>): readonly string[] {
  const isEmbedded = 'databaseUrl' in settings && settings.databaseUrl === undefined;
  if (settings.readDatabaseUrl === undefined || !isEmbedded) return [];
  return ['PLATFORM_READ_DATABASE_URL must be unset without DATABASE_URL: the embedded database has no standby'];
}

/** Finds variables that are most likely misspelled settings, each with the setting that was probably meant. */
export function findUnknownVariables(env: Readonly<Record<string, string | undefined>>) {
  const known = Object.values(allSettings).map((setting) => setting.variable);
  const barely = new Map(known.map((variable) => [bareName(variable), variable]));
  return Object.keys(env)
    .filter((variable) => variable.startsWith(prefix) && !known.includes(variable))
    .toSorted()
    .map((variable) => ({
      variable,
      nearest: barely.get(findNearestName(bareName(variable), [...barely.keys()]) ?? ''),
    }));
}

const prefix = 'PLATFORM_';

function bareName(variable: string): string {
  return variable.startsWith(prefix) ? variable.slice(prefix.length) : variable;
}

/** Returns the effective settings for the operator, with secrets hidden. */
export function listSettings(settings: Settings) {
  return Object.entries<Setting<unknown>>(allSettings).map(([name, { variable, meaning, secret, fallback }]) => {
    const value: unknown = settings[name as keyof Settings];
    const is_default = JSON.stringify(value) === JSON.stringify(fallback);
    return { variable, value: hideSecrets(value, secret), is_default, meaning };
  });
}

function hideSecrets(value: unknown, secret: Setting<unknown>['secret']): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (secret === undefined) return String(value);
  if (secret === 'whole') return '(hidden)';
  // The host identifies the database; user name and password stay hidden.
  const url = new URL(String(value));
  if (url.username !== '') url.username = 'hidden';
  if (url.password !== '') url.password = 'hidden';
  url.search = '';
  return url.href;
}
