import { createClient } from '@redis/client';
import type { Logger } from '../platform/logger.ts';
import type { OpenChannel } from './shared-wake-ups.ts';

const channelName = 'agent-platform:wake-ups';
const commandTimeoutMs = 1_000;
const reconnectMaxMs = 2_000;

/** A channel over publish and subscribe of Redis or Valkey. */
export function redisChannel(url: string, log: Logger): OpenChannel {
  return (heard, missed) => {
    const make = () =>
      createClient({
        url,
        disableOfflineQueue: true,
        commandOptions: { timeout: commandTimeoutMs },
        socket: { reconnectStrategy: (retries) => Math.min(reconnectMaxMs, 50 * 2 ** Math.min(retries, 6)) },
      });
    // A connection that subscribes can do nothing else.
    const publisher = make();
    const subscriber = make();
    let isAnswering = true;
    const report = (answers: boolean, error?: unknown) => {
      if (answers === isAnswering) return;
      isAnswering = answers;
      if (answers) log.info('Redis notifications resumed');
      else
        log.warn(
          { cause: error instanceof Error ? error.message : String(error) },
          'Redis notifications failed; events may arrive a few seconds late',
        );
    };
    publisher.on('error', (error: unknown) => report(false, error));
    subscriber.on('error', (error: unknown) => report(false, error));
    // Also after every reconnection, when the client has subscribed again by itself.
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
