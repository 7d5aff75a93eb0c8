import { Option } from 'commander';
import { UsageError } from '../../errors/failure.ts';
import { layOutTable } from '../../output/table.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { eventMembers } from './event-format.ts';

const statuses = ['waiting', 'leased', 'failed', 'finished'] as const;

/** Shows what is in the spool. */
export const eventsList = verb({
  path: ['events', 'list'],
  summary: 'show what is in the spool, oldest first',
  examples: ['agentp events list', 'agentp events list --status failed'],
  options: [new Option('--status <status>', 'where the events stand').choices(statuses).default('waiting')],
  members: { events: { event: eventMembers, status: 'value', attempts: 'value', reason: 'value' } },
  parse: (typed) => {
    const status = statuses.find((known) => known === typed.text('status'));
    if (status === undefined) throw new UsageError('That is no status of an event.', 'See agentp events list --help');
    return { status };
  },
  run: async ({ status }, session) => {
    const { platform } = await openAgent(session);
    const events = await platform.events.list(status);
    return {
      kind: 'data',
      data: { events },
      show: (page) =>
        layOutTable(
          {
            columns: ['EVENT', 'KIND', 'ATTEMPTS', 'WHY'],
            rows: events.map(({ event, attempts, reason }) => [
              event.event_id,
              event.kind,
              String(attempts),
              reason ?? '',
            ]),
            whole: [0],
            empty: `No event is ${status}.`,
          },
          page,
        ),
    };
  },
});
