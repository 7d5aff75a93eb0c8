import { Argument, Option } from 'commander';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Failure } from '../../errors/failure.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

/** Finishes an event of the spool. */
export const eventsDone = verb({
  path: ['events', 'done'],
  summary: 'finish an event: it does not come again',
  examples: ['agentp events done 01a1fe84-bb38-7733-9b89-212d42644965'],
  arguments: [new Argument('<id>', 'the id of the event')],
  options: [new Option('--lease-id <id>', 'only while this lease holds it; else whoever holds it')],
  members: { event_id: 'value', done: 'value' },
  parse: (typed) => ({ id: typed.argument(0), leaseId: typed.text('lease-id') }),
  run: async ({ id, leaseId }, session) => {
    const { platform } = await openAgent(session);
    const done = await platform.events.done(id, leaseId);
    const failure: Failure = {
      exitCode: exitCodes.conflict,
      report: {
        code: 'event_not_held',
        message: 'There is no such event, it is finished already, or its lease has ended.',
        cure: 'See what waits: agentp events list',
      },
    };
    return {
      kind: 'data',
      data: { event_id: id, done },
      show: () => (done ? 'The event is finished.\n' : ''),
      ...(done ? {} : { failure }),
    };
  },
});
