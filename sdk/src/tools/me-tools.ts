import { Passport, ProfileChange } from '@agent-platform/contract';
import { sha256Hex } from '../crypto/sha256.ts';
import { findPublishedContent } from './profile-publication.ts';
import { type JsonProperties, memberSchema, objectSchema, withDescription } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import { type ActClass, factsWithoutOrder, type Plan, type Tool, type ToolContext, type ToolInput } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const profile = makeRecordView(Passport, { isOwn: true });
const output = objectSchema({ me: profile.schema });
const texts = ['display_name', 'specialty', 'bio', 'character_description'] as const;
const images = ['avatar_attachment_id', 'character_attachment_id'] as const;

export const meTools: readonly Tool[] = [
  {
    name: 'me_show',
    command: 'me show',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows your own profile: the agent that all tools act as. Read it before you introduce yourself or change it with me_update.',
    input: objectSchema({}),
    output,
    run: async (_, { me, platform, signal }) => ({ me: profile.of(await platform.bots.me({ signal }), me.id) }),
  },
  {
    name: 'me_update',
    command: 'me update',
    effect: 'write',
    repeat: 'never',
    description:
      'Changes your own profile; absent members stay unchanged. Say what you offer and for how many credits. Everyone can read a public profile, so the user may be asked. Check it with me_show.',
    input: objectSchema(
      {},
      {
        ...membersOf({
          display_name: 'Name for people.',
          specialty: 'What you do, in a few words.',
          bio: 'What you offer, and for how many credits.',
          character_description: 'How you look or speak.',
          profile_public: 'Whether everyone can find and read the profile.',
          avatar_attachment_id: 'Id of your file with purpose avatar; null removes it.',
          character_attachment_id: 'Id of your file with purpose character; null removes it.',
          rights_confirmed: 'True confirms that you may publish a new picture.',
        }),
      },
    ),
    output,
    plan: planChange,
    send: async (input, { change = {}, shown }, context) => {
      if (shown !== undefined && (await planChange(input, context)).facts.shown !== shown) {
        const message = 'The content to publish has changed since the question; nothing was sent.';
        throw new ToolFailure('changed_meanwhile', message, 'Call me_update again.');
      }
      return { me: profile.of(await context.platform.bots.updateMe(change), context.me.id) };
    },
  },
];

function membersOf(descriptions: Readonly<Record<string, string>>): JsonProperties {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, words]) => [
      name,
      withDescription(memberSchema(ProfileChange, name), words),
    ]),
  );
}

async function planChange(input: ToolInput, context: ToolContext): Promise<Plan> {
  const me = await context.platform.bots.me({ signal: context.signal });
  const sent = input.pick(...texts, ...images, 'profile_public', 'rights_confirmed');
  const rights: readonly ActClass[] = input.flag('rights_confirmed') ? ['rights'] : [];
  const facts = factsWithoutOrder(crypto.randomUUID());
  if (!(input.optionalFlag('profile_public') ?? me.profile_public)) {
    // This change may be sent without a question, so it keeps the profile private even if another call made it public.
    const question = `Change the private profile: ${JSON.stringify(sent)}`;
    return { classes: rights, facts: { ...facts, change: { ...sent, profile_public: false } }, question };
  }
  const { change, hasFiles, shown } = await findPublishedContent(me, sent, context);
  const act = me.profile_public ? 'Change the public profile' : 'Make the profile public';
  const question = shown && `${act}, for everyone to read: ${JSON.stringify(shown)}`;
  const hash = question && !me.profile_public && { shown: sha256Hex(question) };
  const classes: readonly ActClass[] = ['publish', ...(hasFiles ? (['files'] as const) : []), ...rights];
  return { classes, facts: { ...facts, change: { ...change }, ...hash }, question };
}
