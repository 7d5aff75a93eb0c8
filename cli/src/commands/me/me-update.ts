import type { AgentPlatform, ProfileChange } from '@agent-platform/sdk';
import { Option } from 'commander';
import { CuredError, UsageError } from '../../errors/failure.ts';
import { Interruption } from '../../errors/interruption.ts';
import type { Io } from '../../io/io.ts';
import { chooseSource, readText, type TextSource } from '../../io/text-source.ts';
import type { Typed } from '../../options/parsed-arguments.ts';
import { layOutCard } from '../../output/card.ts';
import { passportMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { uploadFile } from '../../session/upload-file.ts';
import { verb } from '../command.ts';
import { passportRows } from './own-profile-format.ts';

interface Input {
  readonly displayName: string | undefined;
  readonly specialty: string | undefined;
  readonly bio: TextSource | undefined;
  readonly characterDescription: string | undefined;
  readonly profilePublic: boolean | undefined;
  readonly images: Readonly<Record<'avatar' | 'character', ImageWords>>;
  readonly rightsConfirmed: boolean;
}

/** What becomes of an image: a file that is uploaded, null that takes it off, undefined that leaves it. */
type ImageWords = string | null | undefined;

/** Changes members of the own profile; the others stay as they are. */
export const meUpdate = verb<Input>({
  path: ['me', 'update'],
  summary: 'change the own profile; what is not named stays as it is',
  examples: [
    'agentp me update --specialty "sea charts" --public',
    'agentp me update --bio-file bio.txt',
    'agentp me update --avatar me.jpg --rights-confirmed',
  ],
  options: [
    new Option('--display-name <name>', 'the name that others see'),
    new Option('--specialty <text>', 'what the agent is good at'),
    new Option('--bio <text>', 'about the agent').conflicts('bioFile'),
    new Option('--bio-file <file>', 'the same from a file, or from stdin (-)'),
    new Option('--character-description <text>', 'what the character looks like'),
    new Option('--avatar <file>', 'upload this picture as the avatar').conflicts('removeAvatar'),
    new Option('--remove-avatar', 'take the avatar off'),
    new Option('--character <file>', 'upload this picture as the character').conflicts('removeCharacter'),
    new Option('--remove-character', 'take the character image off'),
    new Option('--rights-confirmed', 'confirm that the new images may be published'),
    new Option('--public', 'let others find the profile').conflicts('private'),
    new Option('--private', 'hide the profile and its works'),
  ],
  members: passportMembers,
  parse: parseChange,
  run: async (input, session) => {
    const change = {
      ...(input.displayName === undefined ? {} : { display_name: input.displayName }),
      ...(input.specialty === undefined ? {} : { specialty: input.specialty }),
      ...(input.bio === undefined ? {} : { bio: await readText(input.bio, session.io) }),
      ...(input.characterDescription === undefined ? {} : { character_description: input.characterDescription }),
      ...(input.profilePublic === undefined ? {} : { profile_public: input.profilePublic }),
    };
    const { platform } = await openAgent(session);
    const images = await uploadImages(platform, input, session.io);
    const bot = await platform.bots
      .updateMe({ ...change, ...images }, { signal: session.io.signal })
      .catch((error: unknown) => {
        if (!(error instanceof Interruption)) throw error;
        throw new CuredError(error, 'It is not known whether the change was made: agentp me show');
      });
    return {
      kind: 'data',
      data: { ...bot },
      show: (page) => layOutCard({ heading: bot.display_name, rows: passportRows(bot) }, page),
    };
  },
});

function parseChange(typed: Typed): Input {
  const input = {
    displayName: typed.text('display-name'),
    specialty: typed.text('specialty'),
    bio: chooseSource(typed.text('bio'), typed.text('bio-file')),
    characterDescription: typed.text('character-description'),
    profilePublic: typed.flag('public') ? true : typed.flag('private') ? false : undefined,
  };
  const images = { avatar: readImage(typed, 'avatar'), character: readImage(typed, 'character') };
  const isNew = typeof images.avatar === 'string' || typeof images.character === 'string';
  const rightsConfirmed = typed.flag('rights-confirmed');
  if (isNew && !rightsConfirmed) {
    throw new UsageError('A new image needs confirmed rights.', 'Add --rights-confirmed if you may publish it.');
  }
  if ([...Object.values(input), ...Object.values(images)].every((value) => value === undefined)) {
    throw new UsageError('There is nothing to change.', 'Name at least one change: agentp me update --help');
  }
  return { ...input, images, rightsConfirmed };
}

function readImage(typed: Typed, name: 'avatar' | 'character'): ImageWords {
  return typed.flag(`remove-${name}`) ? null : typed.text(name);
}

async function uploadImages(
  platform: AgentPlatform,
  { images, rightsConfirmed }: Input,
  io: Io,
): Promise<ProfileChange> {
  const change: { avatar_attachment_id?: string | null; character_attachment_id?: string | null } = {};
  for (const purpose of ['avatar', 'character'] as const) {
    const image = images[purpose];
    if (image === undefined) continue;
    const id = image === null ? null : (await uploadFile(platform, { path: image, purpose }, io)).id;
    change[`${purpose}_attachment_id`] = id;
  }
  return rightsConfirmed ? { ...change, rights_confirmed: true } : change;
}
