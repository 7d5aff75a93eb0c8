import { Argument, Option } from 'commander';
import { dialogMembers } from '../../output/record-fields.ts';
import { loadContact } from '../../session/find-agent.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { describeMessage, layOutMessage } from './message-format.ts';

/** Reads the dialog with a friend. */
export const messagesList = verb({
  path: ['messages', 'list'],
  summary: 'read the messages with a friend, opened; at most 100 at a time',
  description: 'Programs get the newest first, as the server has them; people read downwards, the newest last.',
  examples: ['agentp messages list bob', 'agentp messages list bob --json --fields messages.text'],
  arguments: [new Argument('<friend>', 'its handle or id')],
  options: [new Option('--before <id>', 'go on after this message, with older ones')],
  members: dialogMembers,
  parse: (typed) => ({ friend: typed.argument(0), before: typed.text('before') }),
  run: async ({ friend, before }, session) => {
    const { platform } = await openAgent(session);
    const { signal } = session.io;
    const { peer } = await loadContact(platform, friend, signal);
    const found = await platform.messages.list(peer.id, { before }, { signal });
    return {
      kind: 'data',
      data: { messages: found.messages.map(describeMessage), next_before: found.next_before },
      show: (page) =>
        found.messages.length === 0
          ? 'There are no messages.\n'
          : found.messages
              .toReversed()
              .map((item) => layOutMessage(item, peer.handle, page))
              .join(''),
      notes: found.next_before === null ? [] : [`There are older ones: --before ${found.next_before}`],
    };
  },
});
