import { statfs } from 'node:fs/promises';
import type { App } from '../../app.ts';
import { listBackups } from '../../backup/shelf/shelf-queries.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CodeCounter, Meters } from '../../platform/telemetry/meters.ts';
import { shareReading } from '../../platform/telemetry/shared-reading.ts';
import { version } from '../../platform/versions.ts';
import type { Store } from '../../store/store.ts';
import { type DatabaseFigures, readDatabaseFigures } from './database-figures-queries.ts';
import { watchEventLoop } from './event-loop.ts';
import { counter, gauge, histogram, type Metric } from './metric.ts';

/** What the metrics of a running server are made from. */
export interface MetricSources {
  readonly load: App['load'];
  readonly store: Store;
  readonly clock: Clock;
  readonly detachedFileDays: number;
  readonly places: Places;
}

/** Folders whose disks fill up. */
interface Places {
  readonly data: string;
  /** Undefined with a bucket. */
  readonly files: string | undefined;
  readonly backups: string;
}

/** One reading for all scrapers of two seconds, for which a scrape waits at most a second: then its values are absent. */
const reading = { everyMs: 2_000, withinMs: 1_000 };

/** Makes the function that collects all metrics of a process. */
export function openMetrics(meters: Meters, sources: MetricSources) {
  const { load, store, clock, detachedFileDays, places } = sources;
  const eventLoop = watchEventLoop();
  const readFigures = shareReading(
    (connectedAgents: readonly string[]) =>
      readDatabaseFigures(store, { connectedAgents, detachedFileDays, now: clock() }),
    reading,
  );
  const readWritable = shareReading(() => store.ping(reading.withinMs).then(() => true), reading);
  const readBackups = shareReading(listBackups, reading);
  const readSpace = shareReading(readPlaces, reading);
  const readLag = shareReading(() => store.replica?.lag() ?? Promise.resolve(undefined), reading);
  const collect = async (): Promise<readonly Metric[]> => {
    const loaded = load();
    const [figures, isWritable, backups, space, lag] = await Promise.all([
      readFigures(loaded.connectedAgents),
      readWritable(),
      readBackups(places.backups),
      readSpace(places),
      readLag(),
    ]);
    const verified = backups?.find(({ verifiedAt }) => verifiedAt !== null)?.manifest.created_at;
    return [
      ...ofRequests(meters),
      ...ofDatabase(meters, figures, isWritable === true),
      ...ofReplica(store.replica, lag),
      ...ofEvents(meters, loaded.eventConnections, figures),
      ...ofUploads(loaded),
      ...ofPlaces(figures, space),
      gauge(
        'agent_platform.backup.newest.timestamp',
        's',
        'When the newest backup was made',
        unix(backups?.[0]?.manifest.created_at),
      ),
      gauge(
        'agent_platform.backup.verified.timestamp',
        's',
        'When the newest verified backup was made',
        unix(verified),
      ),
      histogram('nodejs.eventloop.delay', 'How late timers are', eventLoop.delays),
      ...ofProcess(store.kind),
    ];
  };
  return { collect, close: eventLoop.close };
}

function ofRequests(meters: Meters): readonly Metric[] {
  return [
    histogram('http.server.request.duration', 'Requests by route and status', meters.requests()),
    byCode('agent_platform.refusals', 'Refused requests by error code', meters.refusals),
    counter('agent_platform.connections.dropped', '', 'Connections dropped for the limit of open files', [
      [{}, meters.droppedConnections],
    ]),
  ];
}

function ofDatabase(meters: Meters, figures: DatabaseFigures | undefined, isWritable: boolean): readonly Metric[] {
  const check = figures?.ledgerCheck;
  return [
    histogram('db.client.operation.duration', 'Statements', meters.statements),
    counter('agent_platform.statements.failed', '', 'Statements that failed', [[{}, meters.failedStatements]]),
    histogram('db.client.connection.wait_time', 'Waits for a connection of the pool', meters.connectionWaits),
    gauge(
      'agent_platform.database.up',
      '',
      'Whether the database answered this scrape in time and takes writes',
      figures !== undefined && isWritable ? 1 : 0,
    ),
    gauge(
      'agent_platform.retention.lag',
      's',
      'How long the oldest expired content has been due for removal',
      figures?.retentionLagSeconds,
    ),
    gauge('agent_platform.ledger.check.timestamp', 's', 'When the ledger was checked last', unix(check?.at)),
    gauge('agent_platform.ledger.check.faults', '', 'Faults that the last check of the ledger found', check?.faults),
  ];
}

function ofReplica(replica: Store['replica'], lagSeconds: number | undefined): readonly Metric[] {
  if (replica === undefined) return [];
  const { fromReplica, fromPrimary, unconfirmedRows } = replica.counts;
  return [
    counter('agent_platform.replica.reads', '', 'Pages by what served them', [
      [{ source: 'replica' }, fromReplica],
      [{ source: 'primary' }, fromPrimary],
    ]),
    counter('agent_platform.replica.rows.unconfirmed', '', 'Rows that the primary did not confirm', [
      [{}, unconfirmedRows],
    ]),
    gauge('agent_platform.replica.lag', 's', 'How far the replica is behind', lagSeconds),
  ];
}

function ofEvents(meters: Meters, connections: number, figures: DatabaseFigures | undefined): readonly Metric[] {
  return [
    gauge('agent_platform.event.connections', '', 'Event connections of this process', connections),
    byCode(
      'agent_platform.event.connections.closed',
      'Ended event connections by close code',
      meters.closedConnections,
    ),
    gauge(
      'agent_platform.event.oldest_unacknowledged',
      's',
      'Age of the oldest event that a connected agent has not acknowledged',
      figures?.oldestEventSeconds,
    ),
    histogram(
      'agent_platform.event.delivery',
      'From an event, or from when its receiver could take it, to its frame',
      meters.deliveries,
    ),
  ];
}

function ofUploads({ uploadsArriving, uploadsWaiting, uploadChecks }: ReturnType<App['load']>): readonly Metric[] {
  return [
    gauge('agent_platform.uploads.arriving', '', 'Uploads that are received, or wait for that', uploadsArriving),
    gauge('agent_platform.uploads.waiting', '', 'Uploads that wait for their check', uploadsWaiting),
    gauge('agent_platform.upload.checks', '', 'Uploads that are checked', uploadChecks),
  ];
}

type Space = readonly { readonly place: string; readonly free: number; readonly size: number }[];

/** The folder of backups may not exist yet. */
async function readPlaces(places: Places): Promise<Space> {
  const read = Object.entries(places).map(async ([place, path]) => {
    const disk = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    return disk === undefined ? [] : [{ place, free: disk.bavail * disk.bsize, size: disk.blocks * disk.bsize }];
  });
  return (await Promise.all(read)).flat();
}

function ofPlaces(figures: DatabaseFigures | undefined, space: Space = []): readonly Metric[] {
  const perPlace = (name: string, help: string, bytes: (found: Space[number]) => number): Metric => {
    const points = space.map((found) => [{ place: found.place }, bytes(found)] as const);
    return { kind: 'gauge', name, unit: 'By', help, points };
  };
  return [
    perPlace('agent_platform.free', 'Free space of the disk of a folder', ({ free }) => free),
    perPlace('agent_platform.capacity', 'Size of the disk of a folder', ({ size }) => size),
    gauge('agent_platform.files.damaged', '', 'Stored files that are damaged or missing', figures?.damagedFiles),
  ];
}

function ofProcess(database: Store['kind']): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge('process.memory.usage', 'By', 'Resident memory', rss),
    gauge('v8js.memory.heap.used', 'By', 'Used memory of the heap', heapUsed),
    counter('process.cpu.time', 's', 'Processor time', [
      [{ 'cpu.mode': 'user' }, user / 1e6],
      [{ 'cpu.mode': 'system' }, system / 1e6],
    ]),
    gauge('process.uptime', 's', 'Time since the start', process.uptime()),
    gauge('agent_platform.build_info', '', 'Version of the server', 1, { version, node: process.version, database }),
  ];
}

function byCode(name: string, help: string, { counts }: CodeCounter): Metric {
  return counter(
    name,
    '',
    help,
    [...counts].map(([code, count]) => [{ code }, count]),
  );
}

function unix(at: string | Date | undefined): number | undefined {
  return at === undefined ? undefined : new Date(at).getTime() / 1_000;
}
