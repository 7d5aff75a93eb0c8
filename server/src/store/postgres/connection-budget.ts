import type { Settings } from '../../platform/settings/settings.ts';
import { connectionHint } from '../unavailable.ts';

/** A PostgreSQL limit on connections, and how many of them are in use. */
export interface ConnectionLimit {
  readonly name: string;
  /** The limit, without the connections that PostgreSQL reserves. */
  readonly connections: number;
  /** Instances connected to this database. */
  readonly instances: number;
  /** Connections of other programs. */
  readonly others: number;
}

/** One connection for notifications and locks, and one for migrations and, later, for backups. */
const besidePool = 2;

/** With a pooler in transaction mode, the server's pool connects to the pooler and does not count. */
export function countConnectionsPerInstance({
  databaseConnections,
  directDatabaseUrl,
}: Pick<Settings, 'databaseConnections' | 'directDatabaseUrl'>): number {
  return directDatabaseUrl === undefined ? databaseConnections + besidePool : besidePool;
}

/** Assumes that each instance has the same settings as this one and uses its maximum. */
export function countFreeConnections({ connections, instances, others }: ConnectionLimit, perInstance: number): number {
  return connections - instances * perInstance - others;
}

/** Describes the limit that leaves too few connections for another instance; undefined if there are enough. */
export function findConnectionShortage(limits: readonly ConnectionLimit[], perInstance: number): string | undefined {
  const short = limits.find((limit) => countFreeConnections(limit, perInstance) < perInstance);
  if (short === undefined) return undefined;
  const free = Math.max(0, countFreeConnections(short, perInstance));
  return `PostgreSQL has too few connections for this server, which uses up to ${perInstance}: ${describeConnectionLimit(short, perInstance)}, which leaves ${free}. ${connectionHint}`;
}

export function describeConnectionLimit(
  { name, connections, instances, others }: ConnectionLimit,
  perInstance: number,
): string {
  return `${name} is ${connections}, of which ${instances} instance(s) use up to ${instances * perInstance} and other programs ${others}`;
}
