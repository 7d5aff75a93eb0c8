import { readFile, stat } from 'node:fs/promises';
import { defineCommand, parseFirstArgument } from '@agent-platform/cli-core/command';
import { makeProfileCredentials } from '@agent-platform/cli-core/credentials/credential-lifecycle';
import {
  decryptProfileFile,
  type ProfileContent,
  parseProfileFile,
} from '@agent-platform/cli-core/credentials/profile-file';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import { writeSettings } from '@agent-platform/cli-core/credentials/settings';
import { type StagedState, stageState } from '@agent-platform/cli-core/credentials/state-files';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError, HintedError, messageOf, UsageError } from '@agent-platform/cli-core/errors/failure';
import { formatCard } from '@agent-platform/cli-core/output/layout';
import type { DataReport } from '@agent-platform/cli-core/output/report';
import { formatExpiry } from '@agent-platform/cli-core/output/values';
import type { CommandContext } from '@agent-platform/cli-core/session/chosen-credential';
import { awaitDespiteInterruption, openPlatform } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import * as sdk from '@agent-platform/sdk';
import { Argument } from 'commander';
import { readPassphrase } from './passphrase.ts';

export const importProfileCommand = defineCommand({
  path: ['profiles', 'import'],
  effect: 'write',
  repeat: 'never',
  operations: ['rotateToken'],
  summary: 'import a profile that was exported on another machine',
  description:
    'Reads a file that agentp profiles export wrote, with its passphrase: typed on a terminal, or AGENTP_PASSPHRASE. The profile has the name of --profile, or else its former name; nothing is overwritten. The token is replaced immediately: the other machine can no longer act as the agent, and a file can be imported only once.',
  examples: ['agentp profiles import alice.profile', 'agentp profiles import alice.profile --profile alice2'],
  arguments: [new Argument('<file>', 'the file that agentp profiles export wrote')],
  out: schema.objectOf({
    profile: schema.text,
    handle: schema.text,
    id: schema.id,
    origin: schema.text,
    token_expires_at: schema.orNull(schema.time),
    exported_at: schema.time,
  }),
  parse: parseFirstArgument,
  run,
});

async function run(file: string, session: CommandContext): Promise<DataReport> {
  const { io, options, profiles } = session;
  const sealed = parseProfileFile(await readWhole(file));
  const opened = await decryptProfileFile(sealed, await readPassphrase(io));
  const { profile, credential, settings, state, exported_at } = opened;
  const name = options.profile ?? profile;
  await refuseToOverwrite(profiles, name, credential);
  const staged = await stageState(profiles, credential, state);
  const { token_expires_at } = await takeOver(session, name, opened, staged);
  await writeSettings(profiles, name, settings);
  const { handle, bot_id, origin } = credential;
  const isCurrent = name === (await profiles.findCurrent());
  return {
    data: { profile: name, handle, id: bot_id, origin, token_expires_at, exported_at },
    format: (page) =>
      formatCard(page, `${handle} now acts on this machine`, [
        ['profile', isCurrent ? `${name} (current)` : name],
        ['server', origin],
        ['token expires', formatExpiry(token_expires_at, io.now())],
      ]),
    notes: [
      'The file contained messages and operations without a response. To send them: agentp messages resume, agentp orders resume',
    ],
  };
}

async function readWhole(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`"${file}" cannot be read: ${messageOf(error)}`);
  }
}

async function refuseToOverwrite(profiles: Profiles, name: string, { bot_id, handle }: sdk.Credential): Promise<void> {
  const hint = 'Nothing was changed.';
  for (const other of await profiles.list()) {
    // A profile that cannot be read must not be overwritten either.
    const found = await sdk
      .fileCredentials(profiles.fileOf(other))
      .load()
      .catch(() => undefined);
    const message =
      found?.bot_id === bot_id
        ? `The profile "${other}" on this machine is the same agent.`
        : other === name
          ? `The profile "${name}" already exists.`
          : undefined;
    const nextStep = found?.bot_id === bot_id ? hint : `${hint} Choose another name: --profile NAME`;
    if (message !== undefined) throw new CommandError(exitCodes.conflict, 'profile_exists', message, nextStep);
  }
  const folder = profiles.stateFolderOf(bot_id);
  if (!(await stat(folder).then(Boolean, () => false))) return;
  const message = `This machine already has the state of "${handle}" in ${folder}.`;
  throw new CommandError(exitCodes.conflict, 'profile_exists', message, `${hint} Move that folder elsewhere.`);
}

// The address may have a path below the origin. An address with another origin is meant for another profile.
function chooseAddress({ options }: CommandContext, { credential: { origin }, settings }: ProfileContent): string {
  const addresses = [options.baseUrl, settings['base-url']].filter((address) => address !== undefined);
  return addresses.find((address) => URL.canParse(address) && new URL(address).origin === origin) ?? origin;
}

// The profile is saved only after the rotation of the token, which makes the token in the file invalid.
async function takeOver(session: CommandContext, name: string, opened: ProfileContent, staged: StagedState) {
  const { credential } = opened;
  const stored = makeProfileCredentials(session.profiles, name);
  const save = async (issued: sdk.Credential) => {
    // The server returns the token only once, so the token is saved even if the state cannot be saved.
    try {
      await staged.moveIntoPlace();
    } finally {
      await stored.save(issued);
    }
  };
  const credentials = { load: async () => credential, check: () => stored.check(), save };
  const platform = openPlatform(session, chooseAddress(session, opened), { credentials });
  try {
    return await awaitDespiteInterruption(session.io, 'the new token', () => platform.tokens.rotate());
  } catch (error) {
    if (error instanceof sdk.OutcomeUnknownError) {
      // Saves the credential of the file, because its token may still be valid.
      await save(credential);
      throw new HintedError(
        error,
        `The profile is imported. To check its token: agentp whoami --check --profile ${name}`,
      );
    }
    await staged.discard();
    if (!(error instanceof sdk.ApiError) || error.status !== 401) throw error;
    const message = `The token of "${credential.handle}" in this file is no longer valid: the token was rotated after the export, or the file was already imported.`;
    throw new CommandError(
      exitCodes.notAuthorised,
      'profile_outdated',
      message,
      'Export it again on the machine where the agent now acts.',
    );
  }
}
