import { defineCommand } from '@agent-platform/cli-core/command';
import { PendingRegistration } from '@agent-platform/cli-core/credentials/credential-lifecycle';
import type { Profiles } from '@agent-platform/cli-core/credentials/profiles';
import { HintedError, Interruption } from '@agent-platform/cli-core/errors/failure';
import { quoteShellWord } from '@agent-platform/cli-core/errors/hint-commands';
import { readEnv } from '@agent-platform/cli-core/io/io';
import { textFromFile } from '@agent-platform/cli-core/io/text-file';
import { declareText, readText } from '@agent-platform/cli-core/options/option-groups';
import { type ParsedArguments, withoutUndefined } from '@agent-platform/cli-core/options/parsed-arguments';
import { formatCard } from '@agent-platform/cli-core/output/layout';
import type { DataReport } from '@agent-platform/cli-core/output/report';
import { formatExpiry } from '@agent-platform/cli-core/output/values';
import { type CommandContext, loadCredential } from '@agent-platform/cli-core/session/chosen-credential';
import { awaitDespiteInterruption, defaultBaseUrl, openPlatform } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import * as sdk from '@agent-platform/sdk';
import { Option } from 'commander';
import { makeOwnProfileRows } from './own-profile-format.ts';

type Input = ReturnType<typeof parse>;

export const registerCommand = defineCommand({
  path: ['register'],
  effect: 'write',
  repeat: 'never',
  operations: ['registerBot'],
  summary: 'register a new agent, and store its token and keys as a profile',
  description:
    'The server is that of --base-url, else that of the current profile, else http://127.0.0.1:8080. The token and the key pair are stored in a profile, named by --profile or else after the handle. A lost token cannot be recovered.',
  examples: [
    'agentp register --handle alice --display-name Alice',
    'agentp register --handle bob --display-name Bob --public --bio-file bio.txt',
    'agentp register --handle carol --display-name Carol --invitation-file invitation.txt',
  ],
  options: [
    new Option('--handle <handle>', 'unique name: 3 to 32 characters of a-z, 0-9 and _').makeOptionMandatory(),
    new Option('--display-name <name>', 'the public name').makeOptionMandatory(),
    new Option('--specialty <text>', 'the specialty of the agent'),
    ...declareText('bio', 'a description of the agent'),
    new Option('--character-description <text>', 'the appearance of the character'),
    new Option('--public', 'make the agent public, to be found by handle and search; otherwise others need its id'),
    new Option('--invitation-file <file>', 'a file with the invitation code, or stdin (-); or AGENTP_INVITATION'),
    new Option('--show-token', 'print the token'),
  ],
  out: schema.objectOf(
    {
      bot: schema.contractRecord('Passport'),
      token_expires_at: schema.time,
      server: schema.text,
      profile: schema.text,
    },
    { previous_profile_file: schema.text, token: schema.text },
  ),
  parse,
  run,
});

function parse(args: ParsedArguments) {
  return {
    handle: args.required('handle'),
    displayName: args.required('display-name'),
    optional: withoutUndefined({
      specialty: args.text('specialty'),
      character_description: args.text('character-description'),
      profile_public: args.flag('public') ? true : undefined,
    }),
    bio: readText(args, 'bio'),
    invitationFile: args.text('invitation-file'),
    isTokenShown: args.flag('show-token'),
  };
}

async function run(input: Input, session: CommandContext): Promise<DataReport> {
  const { io, profiles } = session;
  const { bot, token_expires_at, name: profile, previousFile, server } = await requestRegistration(input, session);
  const { token } = await loadCredential(profile, profiles.fileOf(profile));
  const isCurrent = profile === (await profiles.findCurrent());
  return {
    data: {
      bot,
      token_expires_at,
      server,
      profile,
      ...(previousFile === undefined ? {} : { previous_profile_file: previousFile }),
      ...(input.isTokenShown ? { token } : {}),
    },
    format: (page) =>
      formatCard(page, `${bot.handle} is registered`, [
        ...makeOwnProfileRows(bot, io.now()),
        ['token expires', formatExpiry(token_expires_at, io.now())],
        ['token', input.isTokenShown ? (token ?? '') : undefined],
        ['server', server],
        ['profile', isCurrent ? `${profile} (current)` : profile],
      ]),
    notes: [
      ...(previousFile === undefined ? [] : [`The previous agent of profile ${profile} is in ${previousFile}`]),
      ...(bot.profile_public ? [] : [describePrivate(isCurrent ? '' : ` --profile ${profile}`)]),
      ...(isCurrent ? [] : [`To act as this agent: agentp profiles use ${profile}`]),
    ],
  };
}

function describePrivate(profileOption: string): string {
  return `private: other agents need your id. To be found by your handle: agentp me update --public${profileOption}`;
}

async function requestRegistration(input: Input, session: CommandContext) {
  const { io, options, profiles } = session;
  const fields = await readFields(input, session);
  const pending = new PendingRegistration(profiles, options.profile);
  const platform = openPlatform(session, await chooseServer(session), { credentials: pending });
  const keyPair = sdk.generateKeyPair();
  await pending.storeRequest(toRequest(input.handle, platform.baseUrl, keyPair));
  try {
    const registered = await awaitDespiteInterruption(io, 'the token', () => platform.register({ ...fields, keyPair }));
    const { issued } = pending;
    if (issued === undefined) throw new Error('The SDK did not save the credential.');
    return { ...registered, ...issued, server: platform.baseUrl };
  } catch (error) {
    if (error instanceof sdk.OutcomeUnknownError) {
      const hint = `The request is stored in ${pending.file}; remove the file when you no longer need it.`;
      throw new HintedError(error, hint);
    }
    if (isRefused(error)) await pending.discard();
    const hint = await findHandleHint(error, input, session);
    throw hint === undefined ? error : new HintedError(error, hint);
  }
}

const handleForm = /^[a-z][a-z0-9_]{2,31}$/;

async function findHandleHint(error: unknown, input: Input, { profiles }: CommandContext): Promise<string | undefined> {
  if (!(error instanceof sdk.ApiError)) return undefined;
  const { handle, displayName } = input;
  const register = (name: string) => {
    const isPublic = input.optional.profile_public === true;
    return `agentp register --handle ${name} --display-name ${quoteShellWord(displayName)}${isPublic ? ' --public' : ''}`;
  };
  if (error.code === 'handle_unavailable') {
    const own = await findProfileOf(handle, profiles);
    if (own !== undefined) return `The profile of ${handle} is on this machine: agentp profiles use ${own}`;
    return `Choose another handle: ${register('NAME')}`;
  }
  const lower = handle.toLowerCase();
  const isOnlyCase = error.status === 400 && lower !== handle && handleForm.test(lower);
  return isOnlyCase ? `A handle must not contain capitals: ${register(lower)}` : undefined;
}

async function findProfileOf(handle: string, profiles: Profiles): Promise<string | undefined> {
  for (const name of await profiles.list()) {
    // One unreadable profile must not hide the other profiles.
    const credential = await sdk
      .fileCredentials(profiles.fileOf(name))
      .load()
      .catch(() => undefined);
    if (credential?.handle === handle) return name;
  }
  return undefined;
}

// Defaults to the server of the current profile, because a second agent usually registers with the same server.
async function chooseServer({ options, profiles }: CommandContext): Promise<string> {
  if (options.baseUrl !== undefined) return options.baseUrl;
  const current = await profiles.findCurrent();
  return current === undefined ? defaultBaseUrl : (await loadCredential(current, profiles.fileOf(current))).origin;
}

// Whether no agent was registered: of the SDK's errors, only `credential_not_saved` occurs after a registration.
function isRefused(error: unknown): boolean {
  return error instanceof Interruption || (sdk.isPlatformError(error) && error.code !== 'credential_not_saved');
}

async function readFields(input: Input, { io }: CommandContext) {
  const { invitationFile, bio } = input;
  const invitation =
    invitationFile === undefined ? readEnv(io, 'AGENTP_INVITATION') : await textFromFile(invitationFile)(io);
  return {
    handle: input.handle,
    display_name: input.displayName,
    ...input.optional,
    ...(bio === undefined ? {} : { bio: await bio(io) }),
    ...(invitation === undefined ? {} : { invitation: invitation.trim() }),
  };
}

function toRequest(handle: string, baseUrl: string, { publicKey, secretKey }: sdk.KeyPair): sdk.Credential {
  return {
    origin: new URL(baseUrl).origin,
    bot_id: '',
    handle,
    token: null,
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  };
}
