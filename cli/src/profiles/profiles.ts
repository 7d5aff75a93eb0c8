import { join } from 'node:path';
import { CredentialError, fileCredentials } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';
import { listFolder, readTextFile, replaceTextFile } from './files.ts';
import { isProfileName, profileNameRule } from './profile-name.ts';

/** The agents of this person on this machine: one file each, and which of them is the current one. */
export interface Profiles {
  /** The folder that everything is in. */
  readonly folder: string;
  /** Where the credential of a profile is, or would be. */
  fileOf(name: string): string;
  /** Where an agent keeps its outbox, its inbox and the keys of its friends. It belongs to the agent, whatever its profile is called. */
  stateFolderOf(botId: string): string;
  /** The names of all profiles, sorted. */
  list(): Promise<string[]>;
  /** The profile that is meant when none is named: the chosen one, or the only one. */
  findCurrent(): Promise<string | undefined>;
  /** Makes a profile the current one; refuses a name without a file. */
  use(name: string): Promise<void>;
  /** Makes a profile the current one if there is none. */
  useIfFirst(name: string): Promise<void>;
  /** The profile to act as: the named one, else the current one. Refuses when there is none. */
  choose(named: string | undefined): Promise<string>;
}

/** Opens the profiles in a folder; nothing is made before something is kept. */
export function openProfiles(folder: string): Profiles {
  const currentFile = join(folder, 'current-profile');
  const fileOf = (name: string): string => {
    // The last line of defence: a name becomes a path here and nowhere else.
    if (!isProfileName(name)) throw new UsageError(`"${name}" cannot be the name of a profile.`, profileNameRule);
    return join(folder, 'profiles', `${name}.json`);
  };
  const list = async () => {
    const files = await listFolder(join(folder, 'profiles'));
    return files.flatMap((file) => {
      const name = file.endsWith('.json') ? file.slice(0, -'.json'.length) : '';
      return isProfileName(name) ? [name] : [];
    });
  };
  const findCurrent = async () => {
    const chosen = (await readTextFile(currentFile))?.trim();
    const names = await list();
    if (chosen !== undefined && names.includes(chosen)) return chosen;
    return names.length === 1 ? names[0] : undefined;
  };
  const use = async (name: string) => {
    const names = await list();
    if (!names.includes(name)) throw missingProfile(name, names);
    await replaceTextFile(currentFile, `${name}\n`);
  };
  return {
    folder,
    fileOf,
    stateFolderOf: (botId) => join(folder, 'state', botId.replaceAll(/[^0-9a-zA-Z-]/g, '_')),
    list,
    findCurrent,
    use,
    useIfFirst: async (name) => {
      const chosen = (await readTextFile(currentFile))?.trim();
      if (chosen !== undefined && (await list()).includes(chosen)) return;
      // Unlike `use`: another process may be putting a newer agent in this very place.
      await replaceTextFile(currentFile, `${name}\n`);
    },
    choose: async (named) => {
      const name = named ?? (await findCurrent());
      if (name !== undefined && (await fileCredentials(fileOf(name)).load()) !== undefined) return name;
      throw missingProfile(name, await list());
    },
  };
}

function missingProfile(name: string | undefined, names: readonly string[]): CredentialError {
  const others = names.length === 0 ? 'There is none yet.' : `There are: ${names.join(', ')}.`;
  const fault = name === undefined ? 'No profile is chosen.' : `There is no profile "${name}".`;
  return new CredentialError('no_credential', `${fault} ${others}`);
}
