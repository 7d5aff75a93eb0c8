import { makeAvailabilityReporter } from '../platform/availability.ts';
import { openRedis } from '../platform/connections/redis-connection.ts';
import type { Logger } from '../platform/logger.ts';
import type { ChannelOpener } from './shared-wake-ups.ts';

const channelName = 'agent-platform:wake-ups';

/** A channel over Redis or Valkey pub/sub on one connection: with RESP3, a subscriber can also publish. */
export function makeRedisChannel(url: string, log: Logger): ChannelOpener {
  return (heard, missed) => {
    const report = makeAvailabilityReporter(log, {
      lost: 'Redis notifications failed; events may arrive a few seconds late',
      restored: 'Redis notifications resumed',
    });
    const redis = openRedis({
      url,
      report,
      prepare: (client) => client.subscribe(channelName, heard),
      probe: (client) => client.ping(),
      opened: missed,
    });

    return {
      publish: async (text) => {
        await redis.run((client) => client.publish(channelName, text));
      },
      close: () => redis.close(),
    };
  };
}
