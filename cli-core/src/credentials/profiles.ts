import { basename, join } from 'node:path';
import { HintedError, UsageError } from '../errors/failure.ts';
import { registrationHint } from '../errors/hints.ts';
import type { Io } from '../io/io.ts';
import { listFolder, readTextFile, replaceTextFile } from './files.ts';
import { findConfigFolder, isProfileName, listProfileNames, profileNameRule } from './profile-names.ts';

/** The profiles on this machine: a credential file for each profile, and the choice of the current one. */
export type Profiles = ReturnType<typeof openProfiles>;

/** The folder is only created when its first file is written. */
export function openProfiles(io: Pick<Io, 'env' | 'homeFolder'>) {
  const folder = findConfigFolder(io);
  const currentFile = join(folder, 'current-profile');
  const fileOf = (name: string): string => {
    // Names are checked here, because only this function converts them to paths.
    if (!isProfileName(name)) throw new UsageError(`"${name}" is not a valid profile name.`, profileNameRule);
    return join(folder, 'profiles', `${name}.json`);
  };
  const list = () => listProfileNames(folder);
  const exportedFolder = join(folder, 'exported');
  const readChosen = async () => (await readTextFile(currentFile))?.trim() ?? '';
  const listExported = async () => [...new Set((await listFolder(exportedFolder)).map(exportedName))].sort();
  const findCurrent = async () => {
    const [names, chosen] = [await list(), await readChosen()];
    if (names.includes(chosen)) return chosen;
    // `none` is stored after an export, so that no command switches to the remaining agent automatically.
    return names.length === 1 && chosen !== none ? names[0] : undefined;
  };
  return {
    folder,
    /** The user's home folder, in which a credential is saved if no other folder is writable. */
    homeFolder: io.homeFolder,
    /** The path of a profile's credential file, which may not exist. */
    fileOf,
    settingsFileOf: (name: string) => join(folder, 'settings', basename(fileOf(name))),
    /** The folder of unfinished registrations and rotations, not yet saved to a profile. */
    pendingFolder: join(folder, 'pending'),
    exportedFolder,
    /** The folder for the outbox, the inbox and the keys of friends. It depends on the agent, not on the profile. */
    stateFolderOf: (botId: string) => join(folder, 'state', botId.replaceAll(/[^0-9a-zA-Z-]/g, '_')),
    /** The names of all profiles, sorted. */
    list,
    /** Returns the current profile: the chosen one, or the only one. */
    findCurrent,
    /** Returns the given profile if it is not the current one, which means that commands in hints need `--profile`. */
    findOther: async (given: string | undefined) => {
      if (given === undefined || !isProfileName(given)) return undefined;
      // An unreadable folder is ignored here, because the command itself reports it.
      return given === (await findCurrent().catch(() => undefined)) ? undefined : given;
    },
    /** Makes a profile the current one; refuses a name without a credential file. */
    use: async (name: string) => {
      const names = await list();
      if (!names.includes(name)) throw await missingProfile(name, names);
      await replaceTextFile(currentFile, `${name}\n`);
    },
    /** Makes a profile the current one if there is none. */
    useIfFirst: async (name: string) => {
      // Unlike `use`, this does not require the file, because another process may be replacing it.
      if (!(await list()).includes(await readChosen())) await replaceTextFile(currentFile, `${name}\n`);
    },
    /** Called after an export. If the current profile was exported, no other profile becomes current. */
    leave: async () => {
      if (!(await list()).includes(await readChosen())) await replaceTextFile(currentFile, `${none}\n`);
    },
    /** Returns the profile to act as: the given one, or else the current one. Throws if it does not exist. */
    choose: async (given: string | undefined) => {
      const name = given ?? (await findCurrent());
      if (name !== undefined && (await readTextFile(fileOf(name))) !== undefined) return name;
      throw await missingProfile(name, await list(), await listExported());
    },
    explainMissing: async (name: string | undefined) => explainMissing(name, await list(), await listExported()),
  };
}

/** Stored instead of a name if no profile is current. It is not a valid profile name. */
const none = '-';

/** Returns the profile name of an entry in the folder of exported profiles: `alice` for `alice-2`. */
function exportedName(entry: string): string {
  return entry.replace(/-\d+$/, '');
}

async function missingProfile(name: string | undefined, names: readonly string[], exported: readonly string[] = []) {
  const { CredentialError } = await import('@agent-platform/sdk');
  const { message, hint } = explainMissing(name, names, exported);
  return new CredentialError('no_credential', message, { cause: new HintedError(message, hint) });
}

function explainMissing(name: string | undefined, names: readonly string[], exported: readonly string[]) {
  const gone = (name === undefined ? exported : exported.filter((entry) => entry === name)).filter(
    (entry) => !names.includes(entry),
  );
  const sentences = [
    name === undefined ? (names.length > 0 ? 'No profile is selected.' : '') : `The profile "${name}" does not exist.`,
    ...gone.map((entry) => `${name === undefined ? `"${entry}"` : 'It'} was exported for use on another machine.`),
    names.length === 0 ? 'This machine has no profile.' : `Profiles: ${names.join(', ')}.`,
  ];
  const steps = [
    ...(names[0] === undefined ? [] : [`Choose a profile: agentp profiles use ${names[0]}`]),
    ...(gone.length === 0 ? [] : ['To use an exported profile here again: agentp profiles import FILE']),
    ...(names.length + gone.length === 0 ? [registrationHint] : []),
  ];
  return { message: sentences.filter((sentence) => sentence !== '').join(' '), hint: steps.join('; ') };
}
