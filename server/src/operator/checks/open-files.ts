import { readFileSync } from 'node:fs';
import { receivedFilesMax } from '../../attachments/attachments-setup.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { countConnectionsPerInstance } from '../../store/postgres/connection-budget.ts';
import { type DoctorCheck, makePassedCheck, makeWarningCheck } from './check.ts';

/** The assumed number of request connections, each of which may send a file; no setting limits this number. */
const requestsAtOnce = 200;

/** The number of other files: program files, logs, pipes to inspectors, operator commands, scrapers, Redis. */
const filesOfProcess = 64;

/** The embedded database keeps up to one file per table and index open. */
const filesOfEmbeddedDatabase = 400;

/** Returns undefined without /proc. Reads the soft limit, which Node.js raises when it starts. */
export function readOpenFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

export function computeOpenFileBudget(settings: Settings, limit: number) {
  const database =
    settings.databaseUrl === undefined
      ? filesOfEmbeddedDatabase
      : countConnectionsPerInstance({ ...settings, directDatabaseUrl: undefined }) +
        (settings.readDatabaseUrl === undefined ? 0 : settings.databaseConnections);
  const besideConnections = filesOfProcess + database + receivedFilesMax + requestsAtOnce;
  return {
    needed: besideConnections + requestsAtOnce + settings.eventConnections,
    // If the limit is far too low, connections get a quarter of it, so that the server works, although slowly.
    connectionsMax: Math.max(limit - besideConnections, Math.floor(limit / 4)),
  };
}

export function checkOpenFiles(settings: Settings, limit = readOpenFileLimit()): DoctorCheck {
  if (limit === undefined) return makePassedCheck('open files', 'This system does not report the open file limit.');
  const { needed, connectionsMax } = computeOpenFileBudget(settings, limit);
  if (limit >= needed) return makePassedCheck('open files', `The limit is ${limit}; the settings need ${needed}.`);
  const text = `The limit is ${limit}; the settings need ${needed}: connections beyond ${connectionsMax} are dropped.`;
  const hint = `Raise it to ${needed} or more: LimitNOFILE= in the systemd unit, "nofile" of the container, or ulimit -n in the shell.`;
  return makeWarningCheck('open files', text, hint);
}
