import type { Logger } from '../platform/logger.ts';
import type { RunningServer } from './start-server.ts';

/** A stop that hangs is ended by force after this time. */
const stopHardAfterMs = 9_500;

/** Stops the server and ends the process on the first signal to stop. */
export function stopOnSignals(server: RunningServer, log: Logger, finishLog: () => void): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      log.info({ signal }, 'stopping');
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopHardAfterMs).unref();
      server.stop().then(
        () => {
          log.info('stopped');
          finishLog();
          process.exit(0);
        },
        (error: unknown) => {
          log.fatal({ err: error }, 'could not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}
