import { reportAvailability } from '../platform/availability.ts';
import type { Logger } from '../platform/logger.ts';
import { makeRedisClient } from '../platform/redis-client.ts';
import type { OpenChannel } from './shared-wake-ups.ts';

const channelName = 'agent-platform:wake-ups';

/** A channel over publish and subscribe of Redis or Valkey. */
export function redisChannel(url: string, log: Logger): OpenChannel {
  return (heard, missed) => {
    const report = reportAvailability(log, {
      lost: 'Redis notifications failed; events may arrive a few seconds late',
      restored: 'Redis notifications resumed',
    });
    // A connection that subscribes can send no other command.
    const publisher = makeRedisClient(url, report);
    const subscriber = makeRedisClient(url, report);
    // Also after every reconnection, once the client has subscribed again.
    subscriber.on('ready', () => {
      report(true);
      missed();
    });
    const connecting = Promise.all([
      publisher.connect(),
      subscriber.connect().then(() => subscriber.subscribe(channelName, heard)),
    ]).then(missed, (error: unknown) => report(false, error));

    return {
      publish: async (text) => {
        await publisher.publish(channelName, text);
      },
      close: async () => {
        publisher.destroy();
        subscriber.destroy();
        await connecting;
      },
    };
  };
}
