import { join, resolve } from 'node:path';
import { CredentialError, fileCredentials } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';
import { type Io, readEnv } from '../io/io.ts';
import { listFolder, readTextFile, replaceTextFile } from './files.ts';

/** The rule for profile names. */
export const profileNameRule = 'Use 1 to 64 of a-z, 0-9, "_" and "-", starting with a letter or a digit.';

/**
 * Tells whether a text is a valid profile name. The name becomes a file name:
 * without dots it stays in its folder and apart from the files beside a profile,
 * and without capitals it is the same file on every system.
 */
export function isProfileName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}

/** The profiles on this machine: one credential file each, and the choice of the current profile. */
export type Profiles = ReturnType<typeof openProfiles>;

/** The folder of all files of `agentp`: `AGENTP_HOME`, or `agentp` in the folder for settings of the system. */
export function findConfigFolder(io: Pick<Io, 'env' | 'homeFolder'>): string {
  const own = readEnv(io, 'AGENTP_HOME');
  if (own !== undefined) return resolve(own);
  return resolve(readEnv(io, 'XDG_CONFIG_HOME') ?? join(io.homeFolder, '.config'), 'agentp');
}

/** Opens the profiles of the user; the folder is created with its first file. */
export function openProfiles(io: Pick<Io, 'env' | 'homeFolder'>) {
  const folder = findConfigFolder(io);
  const currentFile = join(folder, 'current-profile');
  const fileOf = (name: string): string => {
    // A name becomes a path here and nowhere else.
    if (!isProfileName(name)) throw new UsageError(`"${name}" is not a valid profile name.`, profileNameRule);
    return join(folder, 'profiles', `${name}.json`);
  };
  const list = async () => {
    const files = await listFolder(join(folder, 'profiles'));
    const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
    return names.filter(isProfileName);
  };
  const findChosen = async (names: readonly string[]) => {
    const chosen = (await readTextFile(currentFile))?.trim();
    return names.find((name) => name === chosen);
  };
  const findCurrent = async () => {
    const names = await list();
    return (await findChosen(names)) ?? (names.length === 1 ? names[0] : undefined);
  };
  return {
    /** The folder of all files. */
    folder,
    /** The folder of the user, the last resort for a credential that cannot be saved. */
    homeFolder: io.homeFolder,
    /** The file of the credential of a profile, which may not exist. */
    fileOf,
    /** The folder for the outbox, the inbox and the keys of friends. It belongs to the agent, not to the profile name. */
    stateFolderOf: (botId: string) => join(folder, 'state', botId.replaceAll(/[^0-9a-zA-Z-]/g, '_')),
    /** The names of all profiles, sorted. */
    list,
    /** The current profile: the chosen one, or the only one. */
    findCurrent,
    /** Makes a profile the current one; refuses a name without a file. */
    use: async (name: string) => {
      const names = await list();
      if (!names.includes(name)) throw missingProfile(name, names);
      await replaceTextFile(currentFile, `${name}\n`);
    },
    /** Makes a profile the current one where no current profile exists. */
    useIfFirst: async (name: string) => {
      // Unlike `use` it needs no file: another process may be replacing it right now.
      if ((await findChosen(await list())) === undefined) await replaceTextFile(currentFile, `${name}\n`);
    },
    /** The profile to act as: the given name, else the current one. Refuses when it does not exist. */
    choose: async (given: string | undefined) => {
      const name = given ?? (await findCurrent());
      if (name !== undefined && (await fileCredentials(fileOf(name)).load()) !== undefined) return name;
      throw missingProfile(name, await list());
    },
  };
}

function missingProfile(name: string | undefined, names: readonly string[]): CredentialError {
  const sentences = [
    ...(name === undefined ? [] : [`The profile "${name}" does not exist.`]),
    ...(name === undefined && names.length > 0 ? ['No profile is selected.'] : []),
    names.length === 0 ? 'No profile exists yet.' : `Profiles: ${names.join(', ')}.`,
  ];
  return new CredentialError('no_credential', sentences.join(' '));
}
