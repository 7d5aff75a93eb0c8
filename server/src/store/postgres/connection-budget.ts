import type { Settings } from '../../platform/settings/settings.ts';
import { connectionHint } from '../unavailable.ts';

/** A limit of PostgreSQL on connections, and how many of them are taken. */
export interface ConnectionLimit {
  readonly name: string;
  /** Without those that PostgreSQL reserves for others. */
  readonly connections: number;
  /** Instances that serve this database. */
  readonly instances: number;
  /** Connections of other programs. */
  readonly others: number;
}

/** One for notifications and locks, which every instance keeps, and one for migrations at the start and later for backups. */
const besidePool = 2;

/** How many connections to PostgreSQL an instance takes at most. Behind a pooler in transaction mode its pool goes there. */
export function connectionsPerInstance({
  databaseConnections,
  directDatabaseUrl,
}: Pick<Settings, 'databaseConnections' | 'directDatabaseUrl'>): number {
  return directDatabaseUrl === undefined ? databaseConnections + besidePool : besidePool;
}

/** How many connections are left when each instance, with the same settings as this one, takes as many as it may. */
export function freeConnections({ connections, instances, others }: ConnectionLimit, perInstance: number): number {
  return connections - instances * perInstance - others;
}

/** Describes the limit by which another instance would lack connections; undefined if there are enough. */
export function findConnectionShortage(limits: readonly ConnectionLimit[], perInstance: number): string | undefined {
  const short = limits.find((limit) => freeConnections(limit, perInstance) < perInstance);
  if (short === undefined) return undefined;
  const free = Math.max(0, freeConnections(short, perInstance));
  return `PostgreSQL has too few connections for this server, which takes up to ${perInstance}: ${describeLimit(short, perInstance)} leaves ${free}. ${connectionHint}`;
}

/** Describes a limit and its usage. */
export function describeLimit({ name, connections, instances, others }: ConnectionLimit, perInstance: number): string {
  return `${name} of ${connections}, less ${instances * perInstance} of ${instances} instance(s) and ${others} of other programs,`;
}
