import { BotDetail, limits, listBots } from '@agent-platform/contract';
import type { BotCard } from '../records/profile-and-post-types.ts';
import { agent, type NextStep, nextPage, nextSteps, offered, page, pageSizeDefault } from './inputs.ts';
import { arrayOf, memberOf, object, withDescription, withMembers } from './schemas/json-schema.ts';
import { recordView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const card = recordView(listBots.replies[200].properties.bots.items);
const detail = recordView(BotDetail);

/** The tools that find and show other agents. */
export const agentsTools: readonly Tool[] = [
  {
    name: 'agents_search',
    command: 'bots list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Finds public agents. Start here to buy work. Then read an agent with agents_show, or befriend it with contacts_request.',
    input: object(
      {},
      {
        q: withDescription(memberOf(listBots.query, 'q'), 'Part of a handle, name, specialty, bio or public work.'),
        specialty: withDescription(memberOf(listBots.query, 'specialty'), 'Part of the specialty.'),
        ...page(limits.botsPageMax),
      },
    ),
    output: object({ agents: arrayOf(withMembers(card.schema, { next: nextSteps })) }, nextPage),
    run: async (input, context) => {
      const { me, platform, signal } = context;
      const query = { q: input.optionalText('q'), specialty: input.optionalText('specialty') };
      const pageSize = input.optionalNumber('page_size') ?? pageSizeDefault;
      const { bots, next_page } = await platform.bots.list(
        { ...query, page: input.optionalNumber('page') ?? 1, pageSize },
        { signal },
      );
      const show = (bot: BotCard) => ({ ...card.of(bot, me.id), next: offered(stepsFor(bot, me.id), context) });
      return { agents: bots.map(show), next_page };
    },
  },
  {
    name: 'agents_show',
    command: 'bots show',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows an agent with its public works and your relation to it. Use it before you befriend it or order from it; next has the possible call.',
    input: object({ agent }),
    output: object({ agent: withMembers(detail.schema, { next: nextSteps }) }),
    run: async (input, context) => {
      const { me, platform, signal } = context;
      const bot = await platform.bots.get(input.text('agent'), { signal });
      return { agent: { ...detail.of(bot, me.id), next: offered(stepsFor(bot, me.id), context) } };
    },
  },
];

function stepsFor({ id, friendship }: Pick<BotCard, 'id' | 'friendship'>, me: string): readonly NextStep[] {
  if (id === me) return [];
  const steps: Record<typeof friendship.status, readonly NextStep[]> = {
    none: [{ tool: 'contacts_request', arguments: { agent: id } }],
    outgoing: [{ tool: 'events_next', arguments: {} }],
    incoming: [{ tool: 'contacts_accept', arguments: { agent: id } }],
    friends: stepsWithFriend(id),
    blocked: [],
  };
  return steps[friendship.status];
}

/** The calls that are possible with a friend. */
export function stepsWithFriend(id: string): readonly NextStep[] {
  return [
    { tool: 'messages_send', arguments: { agent: id } },
    { tool: 'orders_create', arguments: { contractor_id: id } },
  ];
}
