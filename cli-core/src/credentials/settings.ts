import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError } from '../errors/failure.ts';
import { readTextFile, removeFile, replaceTextFile } from './files.ts';
import type { Profiles } from './profiles.ts';

export type ProfileSettings = Readonly<Record<string, string>>;

/**
 * Returns an empty object if there is no file.
 *
 * @throws CommandError `settings_unreadable`
 */
export async function readSettings(profiles: Profiles, name: string): Promise<ProfileSettings> {
  const file = profiles.settingsFileOf(name);
  const text = await readTextFile(file);
  if (text === undefined) return {};
  const settings = parse(text);
  if (settings !== undefined) return settings;
  const hint = `Remove ${file}, and set the settings again: agentp config list`;
  throw new CommandError(exitCodes.unexpected, 'settings_unreadable', `${file} contains no valid settings.`, hint);
}

export async function writeSettings(profiles: Profiles, name: string, settings: ProfileSettings): Promise<void> {
  const file = profiles.settingsFileOf(name);
  if (Object.keys(settings).length === 0) await removeFile(file);
  else await replaceTextFile(file, `${JSON.stringify(settings, null, 2)}\n`);
}

function parse(text: string): ProfileSettings | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const entries = Object.entries(value);
    return entries.every(([, setting]) => typeof setting === 'string') ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}
