import type { Server } from 'node:net';
import { checkOpenFiles, computeOpenFileBudget, readOpenFileLimit } from '../operator/checks/open-files.ts';
import type { MetricInstruments } from '../platform/instruments.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';

const reportEveryMs = 60_000;

/**
 * Drops connections before the process runs out of open files, and counts them. Otherwise libuv closes them silently,
 * and connections use up the descriptors that the database and files need.
 */
export function limitConnections(
  server: Server,
  settings: Settings,
  meters: MetricInstruments | undefined,
  log: Logger,
): void {
  const limit = readOpenFileLimit();
  if (limit === undefined) return;
  const { connectionsMax } = computeOpenFileBudget(settings, limit);
  const { state, text, hint } = checkOpenFiles(settings, limit);
  if (state === 'warn') log.warn({ reason: text, hint }, 'too few open files');
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ dropped, connections: connectionsMax, limit }, 'connections dropped: limit on open files reached');
    dropped = 0;
    timer = setTimeout(report, reportEveryMs).unref();
  };
  server.maxConnections = connectionsMax;
  server.on('drop', () => {
    dropped += 1;
    meters?.droppedConnections.add(1);
    if (timer === undefined) report();
  });
}
