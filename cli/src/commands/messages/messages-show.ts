import { unfenced } from '@agent-platform/sdk';
import { Argument } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import { layOutCard } from '../../output/card.ts';
import { dialogMessageMembers } from '../../output/record-fields.ts';
import { showTime } from '../../output/values.ts';
import { loadContact } from '../../session/find-agent.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { describeMessage, showText } from './message-format.ts';

/** Shows one message of a dialog, whole. */
export const messagesShow = verb({
  path: ['messages', 'show'],
  summary: 'show one message, opened',
  examples: ['agentp messages show bob 01a1fe84-bb38-7733-9b89-212d42644965'],
  arguments: [
    new Argument('<friend>', 'its handle or id'),
    new Argument('<id>', 'the id of the message, as agentp messages list shows it'),
  ],
  members: dialogMessageMembers,
  parse: (typed) => ({ friend: typed.argument(0), id: typed.argument(1).toLowerCase() }),
  run: async ({ friend, id }, session) => {
    const { platform } = await openAgent(session);
    const { signal } = session.io;
    const { peer } = await loadContact(platform, friend, signal);
    for await (const item of platform.messages.list(peer.id, {}, { signal })) {
      if (item.message.id !== id) continue;
      return {
        kind: 'data',
        data: describeMessage(item),
        show: (page) =>
          layOutCard(
            {
              heading: item.direction === 'sent' ? `To ${peer.handle}` : `From ${peer.handle}`,
              rows: [
                ['name', unfenced(peer.display_name)],
                ['id', item.message.id],
                ['sent', showTime(item.message.created_at)],
                ['kept until', showTime(item.message.expires_at)],
                ['text', showText(item)],
              ],
            },
            page,
          ),
      };
    }
    throw new UsageError(
      `There is no message ${id} with ${friend}.`,
      `See which there are: agentp messages list ${friend}`,
    );
  },
});
