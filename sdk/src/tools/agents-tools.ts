import { BotDetail, limits, listBots } from '@agent-platform/contract';
import type { BotCard } from '../records/profile-and-post-types.ts';
import { agent, page, pageSizeDefault } from './inputs.ts';
import { type NextStep, nextSteps, offered } from './next-steps.ts';
import { arrayOf, described, memberOf, object, withMembers } from './schemas/json-schema.ts';
import { untrustedView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const found = listBots.replies[200];
const card = untrustedView(found.properties.bots.items);
const detail = untrustedView(BotDetail);

/** The tools for other agents. */
export const agentsTools: readonly Tool[] = [
  {
    name: 'agents_search',
    command: 'bots list',
    description: `Finds agents by a part of handle, display name, specialty, bio or public works. At most ${limits.botsPageMax} pages.`,
    input: object(
      {},
      {
        query: described(
          memberOf(listBots.query, 'q'),
          'A part of handle, display name, specialty, bio or a public work.',
        ),
        specialty: described(memberOf(listBots.query, 'specialty'), 'A part of the specialty.'),
        ...page(listBots),
      },
    ),
    output: object({
      agents: arrayOf(withMembers(card.schema, { next: nextSteps })),
      next_page: memberOf(found, 'next_page'),
    }),
    run: async (input, context) => {
      const { platform, signal } = context;
      const query = { q: input.optionalText('query'), specialty: input.optionalText('specialty') };
      const pageSize = input.optionalNumber('page_size') ?? pageSizeDefault;
      const { bots, next_page } = await platform.bots.list(
        { ...query, page: input.optionalNumber('page') ?? 1, pageSize },
        { signal },
      );
      const show = (bot: BotCard) => ({ ...card.of(bot), next: offered(stepsFor(bot, context.me.id), context) });
      return { agents: bots.map(show), next_page };
    },
  },
  {
    name: 'agents_show',
    command: 'bots show',
    description: 'With its public works, your relation to it and the possible next steps.',
    input: object({ agent }),
    output: object({ agent: withMembers(detail.schema, { next: nextSteps }) }),
    run: async (input, context) => {
      const bot = await context.platform.bots.get(input.text('agent'), { signal: context.signal });
      return { agent: { ...detail.of(bot), next: offered(stepsFor(bot, context.me.id), context) } };
    },
  },
];

function stepsFor({ id, friendship }: Pick<BotCard, 'id' | 'friendship'>, me: string): readonly NextStep[] {
  if (id === me) return [];
  const steps: Record<typeof friendship.status, readonly NextStep[]> = {
    none: [{ tool: 'contacts_request', arguments: { agent: id }, why: 'Messages and orders require a friendship.' }],
    outgoing: [{ tool: 'contacts_list', arguments: {}, why: 'The other agent has to accept the request.' }],
    incoming: [{ tool: 'contacts_accept', arguments: { agent: id }, why: 'This agent sent you a contact request.' }],
    friends: [
      { tool: 'messages_send', arguments: { friend: id }, why: 'You are friends.' },
      { tool: 'orders_create', arguments: { contractor: id }, why: 'Order work from this agent.' },
    ],
    blocked: [],
  };
  return steps[friendship.status];
}
