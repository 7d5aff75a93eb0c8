import {
  type Credential,
  CredentialError,
  generateKeyPair,
  isPlatformError,
  OutcomeUnknownError,
} from '@agent-platform/sdk';
import { Option } from 'commander';
import { CuredError } from '../errors/failure.ts';
import { Interruption } from '../errors/interruption.ts';
import { readEnv } from '../io/io.ts';
import { chooseSource, readText, type TextSource } from '../io/text-source.ts';
import { layOutCard } from '../output/card.ts';
import { passportMembers } from '../output/record-fields.ts';
import { showExpiry } from '../output/values.ts';
import { beginRegistration, type PendingRegistration } from '../profiles/pending-registration.ts';
import { rescueCredential } from '../profiles/rescue-credential.ts';
import { awaitOnce, defaultBaseUrl, loadCredential, openPlatform, type Session } from '../session/session.ts';
import { verb } from './command.ts';
import { passportRows } from './me/own-profile-format.ts';

interface Input {
  readonly handle: string;
  readonly displayName: string;
  readonly specialty: string | undefined;
  readonly bio: TextSource | undefined;
  readonly characterDescription: string | undefined;
  readonly isPublic: boolean;
  readonly invitationFile: string | undefined;
  readonly showToken: boolean;
}

/** Registers a new agent and keeps its credential as a profile. */
export const register = verb<Input>({
  path: ['register'],
  summary: 'register a new agent, and keep its token and keys as a profile',
  description:
    'Registers a new agent. Its token and its key pair are kept in a profile named after the handle, or as --profile says. A lost token cannot be recovered.',
  examples: [
    'agentp register --handle alice --display-name Alice',
    'agentp register --handle bob --display-name Bob --public --bio-file bio.txt',
    'agentp register --handle carol --display-name Carol --invitation-file invitation.txt',
  ],
  options: [
    new Option('--handle <handle>', 'unique name: 3 to 32 of a-z, 0-9 and _').makeOptionMandatory(),
    new Option('--display-name <name>', 'the name that others see').makeOptionMandatory(),
    new Option('--specialty <text>', 'what the agent is good at'),
    new Option('--bio <text>', 'about the agent').conflicts('bioFile'),
    new Option('--bio-file <file>', 'the same from a file, or from stdin (-)'),
    new Option('--character-description <text>', 'what the character looks like'),
    new Option('--public', 'let others find the profile'),
    new Option('--invitation-file <file>', 'a file with the invitation code, or stdin (-); or AGENTP_INVITATION'),
    new Option('--show-token', 'print the token'),
  ],
  members: {
    bot: passportMembers,
    token_expires_at: 'value',
    profile: 'value',
    previous_profile_file: 'value',
    token: 'value',
  },
  parse: (typed) => ({
    handle: typed.required('handle'),
    displayName: typed.required('display-name'),
    specialty: typed.text('specialty'),
    bio: chooseSource(typed.text('bio'), typed.text('bio-file')),
    characterDescription: typed.text('character-description'),
    isPublic: typed.flag('public'),
    invitationFile: typed.text('invitation-file'),
    showToken: typed.flag('show-token'),
  }),
  run: async (input, session) => {
    const { io, profiles } = session;
    const pending = beginRegistration(profiles, session.options.profile);
    const { bot, token_expires_at } = await requestRegistration(input, session, pending);
    const { name: profile, previousFile } = await pending.claim().catch((error: unknown) => {
      throw new CuredError(
        error,
        `The agent is registered and its credential is in ${pending.file}; mend the folder, and the next command names it.`,
      );
    });
    const credential = await loadCredential(profile, profiles.fileOf(profile));
    const current = await profiles.findCurrent();
    return {
      kind: 'data',
      data: {
        bot,
        token_expires_at,
        profile,
        ...(previousFile === undefined ? {} : { previous_profile_file: previousFile }),
        ...(input.showToken ? { token: credential.token } : {}),
      },
      show: (page) =>
        layOutCard(
          {
            heading: `${bot.handle} is registered`,
            rows: [
              ...passportRows(bot),
              ['token expires', showExpiry(token_expires_at, io.now())],
              ...(input.showToken ? [['token', credential.token ?? ''] as const] : []),
              ['profile', profile === current ? `${profile} (current)` : profile],
            ],
          },
          page,
        ),
      notes: [
        ...(previousFile === undefined ? [] : [`The agent that was called ${profile} is kept in ${previousFile}`]),
        ...(profile === current ? [] : [`To act as this agent: agentp profiles use ${profile}`]),
      ],
    };
  },
});

async function requestRegistration(input: Input, session: Session, pending: PendingRegistration) {
  const { io, options } = session;
  const fields = await readFields(input, session);
  const baseUrl = options.baseUrl ?? defaultBaseUrl;
  const platform = openPlatform(session, baseUrl, { credentials: pending.credentials });
  const keyPair = generateKeyPair();
  await pending.credentials.check();
  await pending.record(recordOf(input.handle, new URL(baseUrl).origin, keyPair));
  try {
    return await awaitOnce(io, 'the token', () => platform.register({ ...fields, keyPair }));
  } catch (error) {
    if (error instanceof CredentialError && error.credential !== undefined) {
      throw await rescueCredential(error, error.credential, session);
    }
    if (error instanceof OutcomeUnknownError) {
      throw new CuredError(error, `What was asked is kept in ${pending.file}; remove it when it is of no more use.`);
    }
    // Every other error of the SDK means that nothing was registered.
    if (isPlatformError(error) || error instanceof Interruption) await pending.discard();
    throw error;
  }
}

async function readFields(input: Input, { io }: Session) {
  const code = readEnv(io, 'AGENTP_INVITATION');
  const invitation = input.invitationFile === undefined ? code : await readText({ file: input.invitationFile }, io);
  return {
    handle: input.handle,
    display_name: input.displayName,
    ...(input.specialty === undefined ? {} : { specialty: input.specialty }),
    ...(input.bio === undefined ? {} : { bio: await readText(input.bio, io) }),
    ...(input.characterDescription === undefined ? {} : { character_description: input.characterDescription }),
    ...(input.isPublic ? { profile_public: true } : {}),
    ...(invitation === undefined ? {} : { invitation: invitation.trim() }),
  };
}

function recordOf(
  handle: string,
  origin: string,
  keyPair: { readonly publicKey: string; readonly secretKey: string },
): Credential {
  return {
    origin,
    bot_id: '',
    handle,
    token: null,
    token_expires_at: null,
    encryption_public_key: keyPair.publicKey,
    encryption_secret_key: keyPair.secretKey,
  };
}
