import { join, resolve } from 'node:path';
import { CredentialError, fileCredentials } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';
import { type Io, readEnv } from '../io/io.ts';
import { listFolder, readTextFile, replaceTextFile } from './files.ts';
import { isProfileName, profileNameRule } from './profile-name.ts';

/** The profiles on this machine: one credential file each, and the choice of the current profile. */
export interface Profiles {
  /** The folder of all files. */
  readonly folder: string;
  /** The folder of the user, the last resort for a credential that cannot be saved. */
  readonly homeFolder: string;
  /** The file of the credential of a profile, which may not exist. */
  fileOf(name: string): string;
  /** The folder for the outbox, the inbox and the keys of friends. It belongs to the agent, not to the profile name. */
  stateFolderOf(botId: string): string;
  /** The names of all profiles, sorted. */
  list(): Promise<string[]>;
  /** The current profile: the chosen one, or the only one. */
  findCurrent(): Promise<string | undefined>;
  /** Makes a profile the current one; refuses a name without a file. */
  use(name: string): Promise<void>;
  /** Makes a profile the current one where no current profile exists. */
  useIfFirst(name: string): Promise<void>;
  /** The profile to act as: the given name, else the current one. Refuses when it does not exist. */
  choose(name: string | undefined): Promise<string>;
}

/** The folder of all files of `agentp`: `AGENTP_HOME`, or `agentp` in the folder for settings of the system. */
export function findConfigFolder(io: Pick<Io, 'env' | 'homeFolder'>): string {
  const own = readEnv(io, 'AGENTP_HOME');
  if (own !== undefined) return resolve(own);
  return resolve(readEnv(io, 'XDG_CONFIG_HOME') ?? join(io.homeFolder, '.config'), 'agentp');
}

/** Opens the profiles of the user; the folder is created with its first file. */
export function openProfiles(io: Pick<Io, 'env' | 'homeFolder'>): Profiles {
  const folder = findConfigFolder(io);
  const currentFile = join(folder, 'current-profile');
  const fileOf = (name: string): string => {
    // A name becomes a path here and nowhere else.
    if (!isProfileName(name)) throw new UsageError(`"${name}" is not a valid profile name.`, profileNameRule);
    return join(folder, 'profiles', `${name}.json`);
  };
  const list = async () => {
    const files = await listFolder(join(folder, 'profiles'));
    return files.flatMap((file) => {
      const name = file.endsWith('.json') ? file.slice(0, -'.json'.length) : '';
      return isProfileName(name) ? [name] : [];
    });
  };
  const findChosen = async (names: readonly string[]) => {
    const chosen = (await readTextFile(currentFile))?.trim();
    return names.find((name) => name === chosen);
  };
  const findCurrent = async () => {
    const names = await list();
    return (await findChosen(names)) ?? (names.length === 1 ? names[0] : undefined);
  };
  const use = async (name: string) => {
    const names = await list();
    if (!names.includes(name)) throw missingProfile(name, names);
    await replaceTextFile(currentFile, `${name}\n`);
  };
  return {
    folder,
    homeFolder: io.homeFolder,
    fileOf,
    stateFolderOf: (botId) => join(folder, 'state', botId.replaceAll(/[^0-9a-zA-Z-]/g, '_')),
    list,
    findCurrent,
    use,
    useIfFirst: async (name) => {
      // Unlike `use` it needs no file: another process may be replacing it right now.
      if ((await findChosen(await list())) === undefined) await replaceTextFile(currentFile, `${name}\n`);
    },
    choose: async (given) => {
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
