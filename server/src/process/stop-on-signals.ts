import type { Logger } from '../platform/logger.ts';
import type { RunningServer } from './start-server.ts';

/** The time after which the process is killed if its shutdown hangs, not counting pauses of the machine. */
const [stopHardAfterMs, tickMs] = [9_500, 100];

/**
 * Stops the server and the process on the first signal. After SIGTERM it keeps serving for `drainSeconds` with
 * readiness 503; SIGINT and SIGHUP stop it immediately, even during that time.
 */
export function stopOnSignals(
  server: Pick<RunningServer, 'stop' | 'drain'>,
  drainSeconds: number,
  log: Logger,
  finishLog: () => void,
): void {
  let isDraining = false;
  let isStopping = false;

  function stop(signal: NodeJS.Signals): void {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    let waitsFor = 'connections';
    let leftMs = stopHardAfterMs;
    setInterval(() => {
      leftMs -= tickMs;
      if (leftMs > 0) return;
      log.fatal({ waitsFor }, 'the shutdown hangs; the process is killed');
      finishLog();
      process.kill(process.pid, 'SIGKILL');
    }, tickMs).unref();
    const began = (part: string) => {
      waitsFor = part;
    };
    server.stop(began).then(
      () => {
        log.info('stopped');
        finishLog();
        process.exit(0);
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'could not shut down cleanly');
        process.exit(1);
      },
    );
  }

  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  process.on('SIGTERM', (signal) => {
    if (drainSeconds === 0) return stop(signal);
    // Ignores repeats: a supervisor may signal this process and the launcher, which forwards the signal.
    if (isDraining || isStopping) return;
    isDraining = true;
    log.info({ signal, seconds: drainSeconds }, 'draining');
    server.drain();
    setTimeout(() => stop(signal), drainSeconds * 1_000);
  });
}
