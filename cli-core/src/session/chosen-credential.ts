import type { Credential } from '@agent-platform/sdk';
import type { Profiles } from '../credentials/profiles.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError, HintedError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { GlobalOptions } from '../options/global-options.ts';

// Separate from session.ts, because loading the SDK's client takes most of the time of a short command.

export interface CommandContext {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly profiles: Profiles;
}

/** Finds the profile that `--profile` names, or else the current profile, with its credential. */
export async function chooseCredential({ profiles, options }: Pick<CommandContext, 'profiles' | 'options'>) {
  const profile = await profiles.choose(options.profile);
  const file = profiles.fileOf(profile);
  return { profile, file, credential: await loadCredential(profile, file) };
}

/**
 * Throws unless the agent of the profile has the expected handle or id.
 *
 * @throws CommandError `identity_mismatch`
 */
export async function requireIdentity(session: CommandContext, expected: string): Promise<void> {
  const { profile, credential } = await chooseCredential(session);
  const { handle, bot_id } = credential;
  if ([handle, bot_id].includes(expected.toLowerCase())) return;
  throw new CommandError(
    exitCodes.usage,
    'identity_mismatch',
    `The profile "${profile}" acts as "${handle}", not as "${expected}"; nothing was sent.`,
    'Name the profile of that agent with --profile: agentp profiles list',
  );
}

/** Throws if the profile has been removed since it was found. */
export async function loadCredential(profile: string, file: string): Promise<Credential> {
  const { fileCredentials } = await import('@agent-platform/sdk');
  const credential = await fileCredentials(file).load();
  if (credential !== undefined) return credential;
  throw new HintedError(new Error(`The profile "${profile}" was just removed.`), 'See agentp profiles list');
}
