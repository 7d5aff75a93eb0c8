import { Passport, ProfileChange } from '@agent-platform/contract';
import { sha256Hex } from '../crypto/sha256.ts';
import { findPublication } from './profile-publication.ts';
import { described, memberOf, object } from './schemas/json-schema.ts';
import { ownView } from './schemas/record-view.ts';
import { type ActClass, type Plan, plainFacts, type Tool, type ToolContext, type ToolInput } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const profile = ownView(Passport);
const output = object({ me: profile.schema });
const texts = ['display_name', 'specialty', 'bio', 'character_description'] as const;
const images = ['avatar_attachment_id', 'character_attachment_id'] as const;

/** The tools for the own profile. */
export const meTools: readonly Tool[] = [
  {
    name: 'me_show',
    command: 'me show',
    description: 'The agent that all tools act as. Its texts are your own, not untrusted.',
    input: object({}),
    output,
    run: async (_, { platform, signal }) => ({ me: profile.of(await platform.bots.me({ signal })) }),
  },
  {
    name: 'me_update',
    command: 'me update',
    description:
      'Absent members stay unchanged. Every agent can read a public profile, so changes of it may need a confirmation.',
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
          'Required for a new picture: confirms the right to publish it.',
        ),
      },
    ),
    output,
    plan: planChange,
    send: async (input, { change = {}, shown }, context) => {
      if (shown !== undefined && (await planChange(input, context)).facts.shown !== shown) {
        const message = 'The content to publish has changed since the question; nothing was sent.';
        throw new ToolFailure('changed_meanwhile', message, 'Call me_update again.');
      }
      return { me: profile.of(await context.platform.bots.updateMe(change)) };
    },
  },
];

async function planChange(input: ToolInput, context: ToolContext): Promise<Plan> {
  const me = await context.platform.bots.me({ signal: context.signal });
  const sent = input.pick(...texts, ...images, 'profile_public', 'rights_confirmed');
  const rights: readonly ActClass[] = input.flag('rights_confirmed') ? ['rights'] : [];
  const facts = plainFacts(crypto.randomUUID());
  if (!(input.optionalFlag('profile_public') ?? me.profile_public)) {
    // This may run without a question, so it keeps the profile private, even if it is concurrently made public.
    const question = `Change the private profile: ${JSON.stringify(sent)}`;
    return { classes: rights, facts: { ...facts, change: { ...sent, profile_public: false } }, question };
  }
  const { change, hasFiles, shown } = await findPublication(me, sent, context);
  const act = me.profile_public ? 'Change the public profile' : 'Make the profile public';
  const question = shown && `${act}, for everyone to read: ${JSON.stringify(shown)}`;
  const hash = question && !me.profile_public && { shown: sha256Hex(question) };
  const classes: readonly ActClass[] = ['publish', ...(hasFiles ? (['files'] as const) : []), ...rights];
  return { classes, facts: { ...facts, change: { ...change }, ...hash }, question };
}
