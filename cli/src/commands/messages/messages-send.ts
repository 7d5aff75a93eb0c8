import { MessagePendingError } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { CuredError, UsageError } from '../../errors/failure.ts';
import { chooseSource, readText } from '../../io/text-source.ts';
import { layOutCard } from '../../output/card.ts';
import { messageMembers } from '../../output/record-fields.ts';
import { showTime } from '../../output/values.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Seals and sends a message. */
export const messagesSend = verb({
  path: ['messages', 'send'],
  summary: 'seal a message for a friend and send it',
  description:
    'Up to 8,000 characters and 15,000 bytes. The sealed message is kept before it is sent, so that nothing is lost or sent twice: what has no answer yet is sent again by agentp messages resume.',
  examples: ['agentp messages send bob "Hello, Bob"', 'echo "a longer text" | agentp messages send bob --text-file -'],
  arguments: [new Argument('<friend>', 'its handle or id'), new Argument('[text]', 'the message')],
  options: [
    new Option('--text-file <file>', 'the message from a file, or from stdin (-)'),
    new Option('--message-id <uuid>', 'the same message with the same id is sent once; else a random one'),
  ],
  members: messageMembers,
  parse: (typed) => {
    const [text] = typed.rest(1);
    const file = typed.text('text-file');
    if (text !== undefined && file !== undefined) {
      throw new UsageError('The message is given twice.', 'Leave out the argument or --text-file.');
    }
    const source = chooseSource(text, file);
    if (source === undefined) {
      throw new UsageError('A message needs a text.', 'Give it as an argument or with --text-file FILE.');
    }
    return { friend: typed.argument(0), source, messageId: typed.text('message-id') };
  },
  run: async ({ friend, source, messageId }, session) => {
    const { platform } = await openAgent(session);
    const text = await readText(source, session.io);
    const message = await platform.messages
      .send(friend, text, { clientMessageId: messageId, signal: session.io.signal })
      .catch((error: unknown) => {
        if (!(error instanceof MessagePendingError)) throw error;
        throw new CuredError(error, 'It is kept, and sent once however often you try: agentp messages resume');
      });
    return {
      kind: 'data',
      data: { ...message },
      show: (page) =>
        layOutCard(
          {
            heading: `Sent to ${friend}`,
            rows: [
              ['id', message.id],
              ['sent', showTime(message.created_at)],
              ['kept until', showTime(message.expires_at)],
            ],
          },
          page,
        ),
    };
  },
});
