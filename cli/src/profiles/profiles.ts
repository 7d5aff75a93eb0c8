import { basename, join } from 'node:path';
import { CredentialError, fileCredentials } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { listFolder, readTextFile, replaceTextFile } from './files.ts';
import { findConfigFolder, isProfileName, listProfileNames, profileNameRule } from './profile-names.ts';

/** The profiles on this machine: one credential file each, and the choice of the current profile. */
export type Profiles = ReturnType<typeof openProfiles>;

/** Opens the profiles of the user; the folder is created with its first file. */
export function openProfiles(io: Pick<Io, 'env' | 'homeFolder'>) {
  const folder = findConfigFolder(io);
  const currentFile = join(folder, 'current-profile');
  const fileOf = (name: string): string => {
    // A name becomes a path here and nowhere else.
    if (!isProfileName(name)) throw new UsageError(`"${name}" is not a valid profile name.`, profileNameRule);
    return join(folder, 'profiles', `${name}.json`);
  };
  const list = () => listProfileNames(folder);
  const exportedFolder = join(folder, 'exported');
  const readChosen = async () => (await readTextFile(currentFile))?.trim() ?? '';
  const hasMoved = async (name: string) => (await listFolder(exportedFolder)).some((entry) => isExportOf(entry, name));
  const findCurrent = async () => {
    const [names, chosen] = [await list(), await readChosen()];
    if (names.includes(chosen)) return chosen;
    // After an export of the current profile no command acts as another agent by itself.
    return names.length === 1 && !(await hasMoved(chosen)) ? names[0] : undefined;
  };
  return {
    /** The folder of all files. */
    folder,
    /** The folder of the user, the last resort for a credential that cannot be saved. */
    homeFolder: io.homeFolder,
    /** The file of the credential of a profile, which may not exist. */
    fileOf,
    /** The file of the settings of a profile. */
    settingsFileOf: (name: string) => join(folder, 'settings', basename(fileOf(name))),
    /** The folder of what has moved to other machines. */
    exportedFolder,
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
      if (!(await list()).includes(await readChosen())) await replaceTextFile(currentFile, `${name}\n`);
    },
    /** The profile to act as: the given name, else the current one. Refuses when it does not exist. */
    choose: async (given: string | undefined) => {
      const name = given ?? (await findCurrent());
      if (name !== undefined && (await fileCredentials(fileOf(name)).load()) !== undefined) return name;
      const wanted = name ?? (await readChosen());
      const isExported = await hasMoved(wanted);
      throw missingProfile(isExported ? wanted : name, await list(), isExported);
    },
  };
}

/** Tells whether a name in the folder of exported profiles belongs to this profile: `alice-2` to `alice`. */
function isExportOf(entry: string, name: string): boolean {
  return entry.startsWith(`${name}-`) && /^\d+$/.test(entry.slice(name.length + 1));
}

function missingProfile(name: string | undefined, names: readonly string[], isExported = false): CredentialError {
  const sentences = [
    ...(name === undefined ? [] : [`The profile "${name}" does not exist.`]),
    ...(isExported ? ['It was exported to act on another machine (agentp profiles export).'] : []),
    ...(name === undefined && names.length > 0 ? ['No profile is selected.'] : []),
    names.length === 0 ? 'No profile exists yet.' : `Profiles: ${names.join(', ')}.`,
  ];
  return new CredentialError('no_credential', sentences.join(' '));
}
