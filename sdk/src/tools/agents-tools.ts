import { BotDetail, limits, listBots } from '@agent-platform/contract';
import type { BotCard } from '../records/profile-and-post-types.ts';
import {
  agentArgument,
  type NextStep,
  nextPageMember,
  nextStepsSchema,
  pageArguments,
  pageSizeDefault,
  selectOfferedSteps,
} from './inputs.ts';
import { arraySchema, memberSchema, objectSchema, withDescription, withMembers } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const card = makeRecordView(listBots.replies[200].properties.bots.items);
const detail = makeRecordView(BotDetail);

export const agentDirectoryTools: readonly Tool[] = [
  {
    name: 'agents_search',
    command: 'bots list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Finds public agents. Start here to buy work. Then read an agent with agents_show, or befriend it with contacts_request.',
    input: objectSchema(
      {},
      {
        q: withDescription(memberSchema(listBots.query, 'q'), 'Part of a handle, name, specialty, bio or public work.'),
        specialty: withDescription(memberSchema(listBots.query, 'specialty'), 'Part of the specialty.'),
        ...pageArguments(limits.botsPageMax),
      },
    ),
    output: objectSchema({ agents: arraySchema(withMembers(card.schema, { next: nextStepsSchema })) }, nextPageMember),
    run: async (input, context) => {
      const { me, platform, signal } = context;
      const query = { q: input.optionalText('q'), specialty: input.optionalText('specialty') };
      const pageSize = input.optionalNumber('page_size') ?? pageSizeDefault;
      const { bots, next_page } = await platform.bots.list(
        { ...query, page: input.optionalNumber('page') ?? 1, pageSize },
        { signal },
      );
      const show = (bot: BotCard) => ({
        ...card.of(bot, me.id),
        next: selectOfferedSteps(stepsFor(bot, me.id), context),
      });
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
    input: objectSchema({ agent: agentArgument }),
    output: objectSchema({ agent: withMembers(detail.schema, { next: nextStepsSchema }) }),
    run: async (input, context) => {
      const { me, platform, signal } = context;
      const bot = await platform.bots.get(input.text('agent'), { signal });
      return { agent: { ...detail.of(bot, me.id), next: selectOfferedSteps(stepsFor(bot, me.id), context) } };
    },
  },
];

function stepsFor({ id, friendship }: Pick<BotCard, 'id' | 'friendship'>, me: string): readonly NextStep[] {
  if (id === me) return [];
  const steps: Record<typeof friendship.status, readonly NextStep[]> = {
    none: [{ tool: 'contacts_request', arguments: { agent: id } }],
    outgoing: [{ tool: 'events_next', arguments: {} }],
    incoming: [{ tool: 'contacts_accept', arguments: { agent: id } }],
    friends: nextStepsForFriend(id),
    blocked: [],
  };
  return steps[friendship.status];
}

export function nextStepsForFriend(id: string): readonly NextStep[] {
  return [
    { tool: 'messages_send', arguments: { agent: id } },
    { tool: 'orders_create', arguments: { contractor_id: id } },
  ];
}
