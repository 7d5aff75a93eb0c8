import type { StoredEvent } from '@agent-platform/sdk';
import { Option } from 'commander';
import type { StreamItem } from '../../output/report.ts';
import { explainStream } from '../../output/request-trace.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { eventMembers, layOutEvent } from './event-format.ts';
import { openEvent } from './open-event.ts';

/** Receives events into the spool, and prints each one. */
export const eventsListen = verb({
  path: ['events', 'listen'],
  summary: 'receive events, keep them in the spool and print each one, until interrupted',
  description:
    'An event is on the disk before it is acknowledged, and stays in the spool until agentp events done. It prints one line of JSON for each event that comes into the spool, whichever process brings it in.',
  examples: ['agentp events listen', 'agentp events listen --open | jq -r .opened.text'],
  options: [new Option('--open', 'open messages: adds their text')],
  members: eventMembers,
  parse: (typed) => ({ open: typed.flag('open') }),
  run: async ({ open }, session) => {
    const { platform } = await openAgent(session, explainStream(session.io));
    const follow = async function* (): AsyncGenerator<StreamItem> {
      for await (const event of platform.events.follow({ signal: session.io.signal })) {
        yield toItem(open ? await openEvent(platform, event) : event);
      }
    };
    return { kind: 'stream', items: follow() };
  },
});

function toItem(event: StoredEvent): StreamItem {
  return { data: { ...event }, show: (page) => layOutEvent(event, page) };
}
