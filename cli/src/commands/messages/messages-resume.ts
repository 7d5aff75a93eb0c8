import { exitCodes } from '../../errors/exit-codes.ts';
import type { Failure } from '../../errors/failure.ts';
import { layOutTable } from '../../output/table.ts';
import { openAgent } from '../../session/session.ts';
import { nothing, verb } from '../command.ts';

/** Sends again what has no answer yet. */
export const messagesResume = verb({
  path: ['messages', 'resume'],
  summary: 'send again, with the same bytes, what has no answer yet',
  examples: ['agentp messages resume'],
  members: {
    messages: { client_message_id: 'value', recipient_id: 'value', outcome: 'value', error: 'any' },
  },
  parse: nothing,
  run: async (_, session) => {
    const { platform } = await openAgent(session);
    const resumed = await platform.messages.resume({ signal: session.io.signal });
    const pending = resumed.filter(({ outcome }) => outcome === 'pending').length;
    const failure: Failure = {
      exitCode: exitCodes.unavailable,
      report: {
        code: 'message_pending',
        message: `${pending} of ${resumed.length} messages still have no answer.`,
        cure: 'Try again later: agentp messages resume',
      },
    };
    return {
      kind: 'data',
      data: {
        messages: resumed.map(({ clientMessageId, recipientId, outcome, error }) => ({
          client_message_id: clientMessageId,
          recipient_id: recipientId,
          outcome,
          error: error === null ? null : { code: error.code, message: error.message },
        })),
      },
      show: (page) =>
        layOutTable(
          {
            columns: ['MESSAGE', 'TO', 'OUTCOME', 'WHY'],
            rows: resumed.map(({ clientMessageId, recipientId, outcome, error }) => [
              clientMessageId,
              recipientId,
              outcome,
              error === null ? '' : error.code,
            ]),
            whole: [0],
            empty: 'Nothing waits to be sent.',
          },
          page,
        ),
      ...(pending === 0 ? {} : { failure }),
    };
  },
});
