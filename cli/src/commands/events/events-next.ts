import type { Lease } from '@agent-platform/sdk';
import { Option } from 'commander';
import { readDuration } from '../../options/durations.ts';
import { openAgent, type Session } from '../../session/session.ts';
import { verb } from '../command.ts';
import { eventMembers, layOutEvent } from './event-format.ts';
import { openEvent } from './open-event.ts';

const leaseMinMs = 1_000;
const leaseMaxMs = 86_400_000;
const lookEveryMs = 250;

/** Leases the oldest event of the spool whose turn it is. */
export const eventsNext = verb({
  path: ['events', 'next'],
  summary: 'take the oldest event of the spool, for a time',
  description:
    'Nobody else gets it until the lease ends; then it comes again, unless agentp events done has finished it. Events of one friend or order keep their order. It needs no connection: agentp events listen fills the spool. Without an event its data are null.',
  examples: [
    'agentp events next --lease 60s',
    'agentp events next --lease 5m --wait 30s --open --fields event.event_id,event.opened.text',
  ],
  options: [
    new Option('--lease <duration>', 'how long it is held, from 1s to 24h').default('60s'),
    new Option('--wait <duration>', 'wait so long for an event; else not at all'),
    new Option('--open', 'open a message: adds its text'),
  ],
  members: { lease_id: 'value', attempt: 'value', event: eventMembers },
  parse: (typed) => {
    const wait = typed.text('wait');
    return {
      leaseMs: readDuration('lease', typed.required('lease'), leaseMinMs, leaseMaxMs),
      waitMs: wait === undefined ? 0 : readDuration('wait', wait, 0, leaseMaxMs),
      open: typed.flag('open'),
    };
  },
  run: async ({ leaseMs, waitMs, open }, session) => {
    const { platform } = await openAgent(session);
    const lease = await waitFor(() => platform.events.next({ leaseMs }), waitMs, session);
    if (lease === undefined) {
      return {
        kind: 'data',
        data: { lease_id: null, attempt: null, event: null },
        show: () => 'No event waits.\n',
      };
    }
    const event = open ? await openEvent(platform, lease.event) : lease.event;
    return {
      kind: 'data',
      data: { lease_id: lease.lease_id, attempt: lease.attempt, event },
      show: (page) => layOutEvent(event, page),
      notes: [`When it is handled: agentp events done ${event.event_id}`],
    };
  },
});

async function waitFor(
  look: () => Promise<Lease | undefined>,
  waitMs: number,
  { io }: Session,
): Promise<Lease | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    io.signal.throwIfAborted();
    const lease = await look();
    if (lease !== undefined || performance.now() >= until) return lease;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
