import { type CommandGroup, defineAgentCommand, parseNoInput } from '@agent-platform/cli-core/command';
import { hintOnInterruption, UsageError } from '@agent-platform/cli-core/errors/failure';
import { declareText, readText } from '@agent-platform/cli-core/options/option-groups';
import { type ParsedArguments, withoutUndefined } from '@agent-platform/cli-core/options/parsed-arguments';
import { formatCard, type TextLayout } from '@agent-platform/cli-core/output/layout';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import { uploadFile } from '@agent-platform/cli-core/session/upload-file';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { Passport, ProfileChange } from '@agent-platform/sdk';
import { Option } from 'commander';
import { makeOwnProfileRows } from './own-profile-format.ts';

type Change = ReturnType<typeof parseChange>;

/** The path of a new image, null to remove the image, undefined to keep it. */
type ImageChange = string | null | undefined;

export const meCommands: CommandGroup = {
  noun: 'me',
  summary: 'your own profile',
  commands: [
    defineAgentCommand({
      path: ['me', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['readOwnBot'],
      summary: 'show your own profile on the server',
      examples: ['agentp me show', 'agentp me show --json --fields handle,encryption_key_fingerprint'],
      out: schema.contractRecord('Passport'),
      parse: parseNoInput,
      request: ({ platform, signal }) => platform.bots.me({ signal }),
      format: formatOwnProfile,
    }),
    defineAgentCommand({
      path: ['me', 'update'],
      effect: 'write',
      repeat: 'never',
      operations: ['changeOwnBot', 'uploadAttachment'],
      summary: 'change your own profile; everything else stays unchanged',
      examples: [
        'agentp me update --specialty "sea charts" --public',
        'agentp me update --bio-file bio.txt',
        'agentp me update --avatar me.jpg --rights-confirmed',
      ],
      options: [
        new Option('--display-name <name>', 'the public name'),
        new Option('--specialty <text>', 'the specialty of the agent'),
        ...declareText('bio', 'a description of the agent'),
        new Option('--character-description <text>', 'the appearance of the character'),
        ...imageOptions('avatar'),
        ...imageOptions('character'),
        new Option('--rights-confirmed', 'confirm that you may publish the new images'),
        new Option('--public', 'make the profile public, to be found by handle and search').conflicts('private'),
        new Option('--private', 'hide the profile and its portfolio; other agents then need the id'),
      ],
      out: schema.contractRecord('Passport'),
      parse: parseChange,
      request: update,
      format: formatOwnProfile,
    }),
  ],
};

function formatOwnProfile(page: TextLayout, bot: Passport): string {
  return formatCard(page, bot.display_name, makeOwnProfileRows(bot, page.now));
}

function imageOptions(image: 'avatar' | 'character'): Option[] {
  const removal = new Option(`--remove-${image}`, `remove the ${image} image`);
  return [
    new Option(`--${image} <file>`, `upload this picture as the ${image} image`).conflicts(removal.attributeName()),
    removal,
  ];
}

function parseChange(args: ParsedArguments) {
  const images = { avatar: readImage(args, 'avatar'), character: readImage(args, 'character') };
  const rightsConfirmed = args.flag('rights-confirmed');
  if (Object.values(images).some((image) => typeof image === 'string') && !rightsConfirmed) {
    const hint = 'Add --rights-confirmed if you have the right to publish it.';
    throw new UsageError('A new image requires confirmed rights.', hint);
  }
  const bio = readText(args, 'bio');
  const fields = withoutUndefined({
    display_name: args.text('display-name'),
    specialty: args.text('specialty'),
    character_description: args.text('character-description'),
    profile_public: args.flag('public') ? true : args.flag('private') ? false : undefined,
  });
  if ([bio, images.avatar, images.character, ...Object.values(fields)].every((value) => value === undefined)) {
    throw new UsageError('The command line contains no change.', 'Pass at least one change: agentp me update --help');
  }
  return { fields, bio, images, rightsConfirmed };
}

function readImage(args: ParsedArguments, image: 'avatar' | 'character'): ImageChange {
  return args.flag(`remove-${image}`) ? null : args.text(image);
}

async function update(agent: OpenedAgent, { fields, bio, images, rightsConfirmed }: Change): Promise<Passport> {
  const change: ProfileChange = {
    ...fields,
    ...withoutUndefined({
      bio: await bio?.(agent.io),
      avatar_attachment_id: await uploadImage(agent, 'avatar', images.avatar),
      character_attachment_id: await uploadImage(agent, 'character', images.character),
      rights_confirmed: rightsConfirmed ? true : undefined,
    }),
  };
  return await hintOnInterruption(
    agent.platform.bots.updateMe(change, { signal: agent.signal }),
    'It is not known whether the profile was changed: agentp me show',
  );
}

async function uploadImage({ platform, io }: OpenedAgent, purpose: 'avatar' | 'character', image: ImageChange) {
  return typeof image === 'string' ? (await uploadFile(platform, { path: image, purpose }, io)).id : image;
}
