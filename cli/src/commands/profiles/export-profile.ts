import { link, mkdir, rename, rmdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defineCommand } from '@agent-platform/cli-core/command';
import { createPrivateFile, hasSystemErrorCode, removeFile } from '@agent-platform/cli-core/credentials/files';
import { makeFolder } from '@agent-platform/cli-core/credentials/make-folder';
import { encryptProfileFile } from '@agent-platform/cli-core/credentials/profile-file';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import { readSettings } from '@agent-platform/cli-core/credentials/settings';
import { readStateFiles } from '@agent-platform/cli-core/credentials/state-files';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError } from '@agent-platform/cli-core/errors/failure';
import { formatCard } from '@agent-platform/cli-core/output/layout';
import type { DataReport } from '@agent-platform/cli-core/output/report';
import { type CommandContext, loadCredential } from '@agent-platform/cli-core/session/chosen-credential';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { version } from '@agent-platform/cli-core/version';
import type { Credential } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { readNewPassphrase } from './passphrase.ts';

interface Input {
  readonly target: string;
  readonly isKept: boolean;
}

export const exportProfileCommand = defineCommand({
  path: ['profiles', 'export'],
  effect: 'write',
  repeat: 'never',
  operations: [],
  exits: [exitCodes.notAuthorised, exitCodes.conflict],
  summary: 'write a profile to an encrypted file, to move it to another machine',
  description:
    'Writes token, keys, settings and state of the profile that --profile names, or else of the current profile, into a new file that is encrypted with a passphrase: typed twice on a terminal, or AGENTP_PASSPHRASE. The machine that imports the file then acts as the agent. On this machine the profile is set aside, unless --keep makes a copy for a backup. No other process may use the profile during the export.',
  examples: ['agentp profiles export alice.profile --profile alice', 'agentp profiles export backup.profile --keep'],
  arguments: [new Argument('<file>', 'the file to write; it must not exist')],
  options: [new Option('--keep', 'keep using the profile on this machine, as for a backup')],
  out: schema.objectOf(
    { profile: schema.text, handle: schema.text, file: schema.text, kept: schema.flag },
    { previous_folder: schema.text },
  ),
  parse: (args): Input => ({ target: args.argument(0), isKept: args.flag('keep') }),
  run,
});

async function run({ target, isKept }: Input, session: CommandContext): Promise<DataReport> {
  const { io, options, profiles } = session;
  const name = await profiles.choose(options.profile);
  const file = resolve(target);
  if (await stat(file).then(Boolean, () => false)) throw existing(file);
  const passphrase = await readNewPassphrase(io);
  const write = async (credential: Credential) => {
    const content = {
      exported_at: io.now().toISOString(),
      agentp: version,
      profile: name,
      credential,
      settings: await readSettings(profiles, name),
      state: await readStateFiles(profiles, credential),
    };
    const sealed = await encryptProfileFile(content, passphrase);
    await createPrivateFile(file, sealed).catch((error: unknown) => {
      throw hasSystemErrorCode(error, 'EEXIST') ? existing(file) : error;
    });
  };
  const { credential, previousFolder } = isKept
    ? await keepWhile(profiles, name, write)
    : await putAside(profiles, name, write);
  return {
    data: {
      profile: name,
      handle: credential.handle,
      file,
      kept: isKept,
      ...(previousFolder === undefined ? {} : { previous_folder: previousFolder }),
    },
    format: (page) =>
      formatCard(page, `${credential.handle} is exported`, [
        ['profile', isKept ? name : `${name} (no longer in use on this machine)`],
        ['file', file],
        ['put aside', previousFolder],
      ]),
    notes: [
      `On the other machine: agentp profiles import ${target}`,
      ...(isKept
        ? ['Importing the file invalidates the token on this machine. Rotating the token here makes the file useless.']
        : ['Once the agent works on the other machine, remove the profile that was set aside.']),
    ],
  };
}

type Write = (credential: Credential) => Promise<void>;

async function keepWhile(profiles: Profiles, name: string, write: Write) {
  const credential = await loadCredential(name, profiles.fileOf(name));
  await write(credential);
  return { credential, previousFolder: undefined };
}

// Sets the profile aside before the file is written, so that no command of the agent can change it in between.
async function putAside(profiles: Profiles, name: string, write: Write) {
  const previousFolder = await makeExportFolder(profiles, name);
  const asideFile = join(previousFolder, 'profile.json');
  await rename(profiles.fileOf(name), asideFile);
  let credential: Credential;
  try {
    credential = await loadCredential(name, asideFile);
    await write(credential);
  } catch (error) {
    await link(asideFile, profiles.fileOf(name));
    await removeFile(asideFile);
    await rmdir(previousFolder);
    throw error;
  }
  await rename(profiles.stateFolderOf(credential.bot_id), join(previousFolder, 'state')).catch(unlessAbsent);
  await rename(profiles.settingsFileOf(name), join(previousFolder, 'settings.json')).catch(unlessAbsent);
  await profiles.leave();
  return { credential, previousFolder };
}

async function makeExportFolder({ exportedFolder }: Profiles, name: string): Promise<string> {
  makeFolder(exportedFolder);
  for (let n = 1; ; n += 1) {
    const folder = join(exportedFolder, `${name}-${n}`);
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (!hasSystemErrorCode(error, 'EEXIST')) throw error;
    }
  }
}

function unlessAbsent(error: unknown): void {
  if (!hasSystemErrorCode(error, 'ENOENT')) throw error;
}

function existing(file: string): CommandError {
  return new CommandError(exitCodes.conflict, 'file_exists', `${file} already exists.`, 'Name a new file.');
}
