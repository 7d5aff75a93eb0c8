import { Argument } from 'commander';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Failure } from '../../errors/failure.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Lets an event come again. */
export const eventsReplay = verb({
  path: ['events', 'replay'],
  summary: 'let a finished or failed event wait again',
  description: 'The latest 1,000 finished events are remembered.',
  examples: ['agentp events replay 01a1fe84-bb38-7733-9b89-212d42644965'],
  arguments: [new Argument('<id>', 'the id of the event')],
  members: { event_id: 'value', waits: 'value' },
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const { platform } = await openAgent(session);
    const waits = await platform.events.replay(id);
    const failure: Failure = {
      exitCode: exitCodes.notFound,
      report: {
        code: 'event_not_found',
        message: 'No finished or failed event of the spool has this id.',
        cure: 'See them: agentp events list --status finished',
      },
    };
    return {
      kind: 'data',
      data: { event_id: id, waits },
      show: () => (waits ? 'The event waits again.\n' : ''),
      ...(waits ? {} : { failure }),
    };
  },
});
