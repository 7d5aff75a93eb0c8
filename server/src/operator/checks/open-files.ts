import { readFileSync } from 'node:fs';
import { receivingMax } from '../../attachments/attachments-setup.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { connectionsPerInstance } from '../../store/postgres/connection-budget.ts';
import { type Check, ok, warn } from './check.ts';

/** Connections that are not event connections, with the file that each may send; no setting limits their number. */
const requestsAtOnce = 200;

/** Program files, logs, pipes to inspectors, operator commands, scrapers, Redis. */
const filesOfProcess = 64;

/** The embedded database keeps up to one file per table and index open. */
const filesOfEmbeddedDatabase = 400;

/** How many files this process may open; undefined without /proc. Node.js raises the soft limit to the hard one. */
export function readOpenFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many open files the settings need, and how many connections the limit allows. */
export function budgetOpenFiles(settings: Settings, limit: number) {
  const database =
    settings.databaseUrl === undefined
      ? filesOfEmbeddedDatabase
      : connectionsPerInstance({ ...settings, directDatabaseUrl: undefined }) +
        (settings.readDatabaseUrl === undefined ? 0 : settings.databaseConnections);
  const besideConnections = filesOfProcess + database + receivingMax + requestsAtOnce;
  return {
    needed: besideConnections + requestsAtOnce + settings.eventConnections,
    // At least a quarter of a limit that is far too low, so that the server works, if slowly.
    connectionsMax: Math.max(limit - besideConnections, Math.floor(limit / 4)),
  };
}

/** Compares the limit of open files with the needs of the settings. */
export function checkOpenFiles(settings: Settings, limit = readOpenFileLimit()): Check {
  if (limit === undefined) return ok('open files', 'This system does not show the limit of open files.');
  const { needed, connectionsMax } = budgetOpenFiles(settings, limit);
  if (limit >= needed) return ok('open files', `The limit is ${limit}; the settings need ${needed}.`);
  const text = `The limit is ${limit}; the settings need ${needed}: connections beyond ${connectionsMax} are dropped.`;
  const hint = `Raise it to ${needed} or more: LimitNOFILE= in the systemd unit, "nofile" of the container, or ulimit -n in the shell.`;
  return warn('open files', text, hint);
}
