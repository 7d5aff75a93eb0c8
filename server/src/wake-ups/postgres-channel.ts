import type { Client } from 'pg';
import { makeAvailabilityReporter } from '../platform/availability.ts';
import type { Logger } from '../platform/logger.ts';
import type { PostgresSession } from './postgres-session.ts';
import type { ChannelOpener } from './shared-wake-ups.ts';

const channelName = 'agent_platform_wake_ups';

/**
 * A channel over LISTEN and NOTIFY in the session of the process. Notifications are sent outside the transactions
 * that cause them, because NOTIFY inside a transaction serializes commits.
 */
export function makePostgresChannel(session: PostgresSession, log: Logger): ChannelOpener {
  return (heard, missed) => {
    const report = makeAvailabilityReporter(log, {
      lost: 'database notifications failed; events may arrive a few seconds late',
      restored: 'database notifications resumed',
    });
    let current: Client | undefined;
    session.add({
      opened: async (client) => {
        client.on('notification', ({ payload }) => heard(payload ?? ''));
        await client.query(`listen ${channelName}`);
        current = client;
        report(true);
        missed();
      },
      ended: (cause) => {
        current = undefined;
        report(false, cause);
      },
    });

    return {
      publish: async (text) => {
        if (current === undefined) throw new Error('The channel is not connected.');
        await current.query('select pg_notify($1, $2)', [channelName, text]);
      },
      // The session closes the connection.
      close: async () => undefined,
    };
  };
}
