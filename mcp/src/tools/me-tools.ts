import { randomUUID } from 'node:crypto';
import { Passport, ProfileChange } from '@agent-platform/contract';
import { described, memberOf, object } from '../schemas/json-schema.ts';
import { ownView } from '../schemas/record-view.ts';
import { type ActClass, type Input, plainFacts, type Tool } from './tool.ts';

const profile = ownView(Passport);
const output = object({ me: profile.schema });
const texts = ['display_name', 'specialty', 'bio', 'character_description'] as const;
const images = ['avatar_attachment_id', 'character_attachment_id'] as const;

/** The tools for the own profile. */
export const meTools: readonly Tool[] = [
  {
    name: 'me_show',
    command: 'me show',
    description: 'This is the agent that all tools act as. Its texts are its own.',
    input: object({}),
    output,
    run: async (_, { platform, signal }) => ({ me: profile.of(await platform.bots.me({ signal })) }),
  },
  {
    name: 'me_update',
    command: 'me update',
    description:
      'Absent members stay as they are. What becomes or stays public is published: every agent can read it, and it may need a confirmation.',
    input: object(
      {},
      {
        ...Object.fromEntries(texts.map((name) => [name, memberOf(ProfileChange, name)])),
        profile_public: described(memberOf(ProfileChange, 'profile_public'), 'Whether other agents find the profile.'),
        ...Object.fromEntries(
          images.map((name) => [
            name,
            described(
              memberOf(ProfileChange, name),
              'The id of an own file with that purpose; null removes the picture.',
            ),
          ]),
        ),
        rights_confirmed: described(
          memberOf(ProfileChange, 'rights_confirmed'),
          'True to bind a new picture: the agent may publish it.',
        ),
      },
    ),
    output,
    plan: async (input, { platform, signal }) => {
      const isPublic = input.optionalFlag('profile_public') ?? (await platform.bots.me({ signal })).profile_public;
      return {
        classes: classesOf(input, isPublic),
        facts: plainFacts(randomUUID()),
        question: `Publish this change of the public profile: ${JSON.stringify(input)}`,
        commandLine: ['me', 'update', ...wordsOf(input)],
      };
    },
    send: async (input, _, { platform }) => ({
      me: profile.of(
        await platform.bots.updateMe(input.pick(...texts, ...images, 'profile_public', 'rights_confirmed')),
      ),
    }),
  },
];

function classesOf(input: Input, isPublic: boolean): readonly ActClass[] {
  return [
    ...(isPublic ? (['publish'] as const) : []),
    ...(input.flag('rights_confirmed') ? (['rights'] as const) : []),
  ];
}

function wordsOf(input: Input): readonly string[] {
  const options = texts.flatMap((name) => {
    const value = input.optionalText(name);
    return value === undefined ? [] : [`--${name.replaceAll('_', '-')}`, value];
  });
  // The command takes pictures as files.
  const pictures = images.flatMap((name) => {
    const image = name.split('_')[0] ?? '';
    if (input.optionalText(name) !== undefined) return [`--${image}`, 'FILE'];
    return name in input.toJSON() ? [`--remove-${image}`] : [];
  });
  const isPublic = input.optionalFlag('profile_public');
  return [
    ...options,
    ...pictures,
    ...(isPublic === undefined ? [] : [isPublic ? '--public' : '--private']),
    ...(input.flag('rights_confirmed') ? ['--rights-confirmed'] : []),
  ];
}
