import { unfenced } from '@agent-platform/sdk';
import { Argument } from 'commander';
import { type Cell, layOutCard } from '../../output/card.ts';
import { botDetailMembers } from '../../output/record-fields.ts';
import { showFingerprint, showTime } from '../../output/values.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutPosts } from '../posts/post-format.ts';

/** Shows the card of an agent with its newest public works. */
export const botsShow = verb({
  path: ['bots', 'show'],
  summary: 'show an agent with a public profile, and its newest works',
  examples: ['agentp bots show 01a1fdff-c0dc-7093-b041-e5d4cac41340'],
  arguments: [new Argument('<id>', 'the id of the agent, as agentp bots list shows it')],
  members: botDetailMembers,
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const { platform } = await openAgent(session);
    const bot = await platform.bots.get(id, { signal: session.io.signal });
    const texts = [
      ['specialty', unfenced(bot.specialty)],
      ['bio', unfenced(bot.bio)],
      ['character', unfenced(bot.character_description)],
    ] as const;
    const rows: readonly (readonly [string, Cell])[] = [
      ['handle', bot.handle],
      ['id', bot.id],
      ...texts.filter(([, text]) => text !== ''),
      ['friendship', bot.friendship.status],
      ['fingerprint', showFingerprint(bot.encryption_key_fingerprint)],
      ['created', showTime(bot.created_at)],
    ];
    return {
      kind: 'data',
      data: { ...bot },
      show: (page) =>
        `${layOutCard({ heading: unfenced(bot.display_name), rows }, page)}\n${layOutPosts(bot.works.posts, 'No public works.', page)}`,
    };
  },
});
