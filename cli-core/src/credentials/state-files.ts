import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credential, folderState } from '@agent-platform/sdk';
import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError } from '../errors/failure.ts';
import { createPrivateFile, listFolder } from './files.ts';
import type { StateFile } from './profile-file.ts';
import type { Profiles } from './profiles.ts';

/**
 * Reads the files of a state that no other process uses.
 *
 * @throws CommandError `profile_in_use`
 * @throws StateError the state belongs to another agent, or a later version wrote it
 */
export async function readStateFiles(profiles: Profiles, { origin, bot_id }: Credential): Promise<StateFile[]> {
  const folder = profiles.stateFolderOf(bot_id);
  if ((await listFolder(folder)).length === 0) return [];
  // The last process that closes the database writes all changes into one file and removes the journal. If there is
  // still a journal, another process is using the state.
  const state = folderState(folder);
  await state.open({ origin, bot_id });
  await state.close();
  const files: StateFile[] = [];
  for (const name of await listFolder(folder)) {
    if (!(await stat(join(folder, name))).isFile()) continue;
    files.push({ name, content: (await readFile(join(folder, name))).toString('base64') });
  }
  if ((await listFolder(folder)).some((name) => name.endsWith('-wal'))) throw inUse();
  return files;
}

/** A state that is written to a temporary folder and then moved into place. */
export interface StagedState {
  moveIntoPlace(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Writes the files of a state to a folder next to the final one, and checks that the state can be opened.
 *
 * @throws StateError the state belongs to another agent, or a later version wrote it
 */
export async function stageState(
  profiles: Profiles,
  { origin, bot_id }: Credential,
  files: readonly StateFile[],
): Promise<StagedState> {
  const folder = profiles.stateFolderOf(bot_id);
  const staged = `${folder}.import`;
  const discard = () => rm(staged, { recursive: true, force: true });
  // A killed import may have left a partial state.
  await discard();
  try {
    for (const { name, content } of files) {
      if (!/^\w[\w.-]*$/.test(name)) throw new Error(`"${name}" is not the name of a state file.`);
      await createPrivateFile(join(staged, name), Buffer.from(content, 'base64'));
    }
    const state = folderState(staged);
    await state.open({ origin, bot_id });
    await state.close();
  } catch (error) {
    await discard();
    throw error;
  }
  return { moveIntoPlace: () => rename(staged, folder), discard };
}

function inUse(): CommandError {
  const message = 'Another process uses the state of this profile.';
  const hint =
    'Stop every program that uses this profile, for example: agentp events listen, agentp chat HANDLE; then try again.';
  return new CommandError(exitCodes.conflict, 'profile_in_use', message, hint);
}
