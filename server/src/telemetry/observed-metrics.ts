import { statfs } from 'node:fs/promises';
import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import type { App } from '../app.ts';
import { listBackups } from '../backup/repository/repository-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { makeSharedReader } from '../platform/connections/shared-reading.ts';
import { serverVersion } from '../platform/versions.ts';
import type { Store } from '../store/store.ts';
import { readDatabaseMetrics } from './database-metrics-queries.ts';

export interface MetricSources {
  readonly load: App['load'];
  readonly store: Store;
  readonly clock: Clock;
  readonly detachedFileDays: number;
  readonly places: Places;
}

/** Folders whose disks can fill up. */
interface Places {
  readonly data: string;
  /** Undefined if files are in a bucket. */
  readonly files: string | undefined;
  readonly backups: string;
}

type Readings = Awaited<ReturnType<ReturnType<typeof openReadings>>>;

/** The value of a metric, or its values by label; undefined if unknown. */
type Value = number | undefined;
type Values = Value | readonly (readonly [value: Value, labels?: Readonly<Record<string, string>>])[];

interface Observed {
  readonly kind: 'ObservableGauge' | 'ObservableCounter';
  /** The name with dots, as in OpenTelemetry, and without the unit. */
  readonly name: string;
  readonly unit: '' | 's' | 'By';
  readonly description: string;
  readonly read: (found: Readings) => Values;
}

const gauge = (name: string, unit: Observed['unit'], description: string, read: Observed['read']): Observed => {
  return { kind: 'ObservableGauge', name, unit, description, read };
};

const counter = (name: string, unit: Observed['unit'], description: string, read: Observed['read']): Observed => {
  return { kind: 'ObservableCounter', name, unit, description, read };
};

const observed: readonly Observed[] = [
  gauge(
    'agent_platform.database.up',
    '',
    'Whether the database responded to this scrape in time and accepts writes',
    (found) => (found.figures !== undefined && found.isWritable === true ? 1 : 0),
  ),
  gauge(
    'agent_platform.retention.lag',
    's',
    'Age of the oldest expired content that is not yet removed',
    (found) => found.figures?.retentionLagSeconds,
  ),
  gauge('agent_platform.ledger.check.timestamp', 's', 'Time of the last ledger check', ({ figures }) =>
    unix(figures?.ledgerCheck?.at),
  ),
  gauge(
    'agent_platform.ledger.check.faults',
    '',
    'Inconsistencies found by the last check of the ledger',
    ({ figures }) => figures?.ledgerCheck?.faults,
  ),
  counter('agent_platform.replica.reads', '', 'Pages by the database that served them', ({ replica }) => [
    [replica?.fromReplica, { source: 'replica' }],
    [replica?.fromPrimary, { source: 'primary' }],
  ]),
  counter(
    'agent_platform.replica.rows.unconfirmed',
    '',
    'Rows of the replica that the primary did not confirm',
    ({ replica }) => replica?.unconfirmedRows,
  ),
  gauge('agent_platform.replica.lag', 's', 'Replication lag', ({ lag }) => lag),
  gauge(
    'agent_platform.event.connections',
    '',
    'Event connections of this process',
    ({ load }) => load.eventConnections,
  ),
  gauge(
    'agent_platform.event.oldest_unacknowledged',
    's',
    'Age of the oldest event that a connected agent has not acknowledged',
    ({ figures }) => figures?.oldestEventSeconds,
  ),
  gauge(
    'agent_platform.uploads.arriving',
    '',
    'Uploads being received or waiting to be received',
    ({ load }) => load.uploadsArriving,
  ),
  gauge('agent_platform.uploads.waiting', '', 'Uploads waiting for their check', ({ load }) => load.uploadsWaiting),
  gauge('agent_platform.upload.checks', '', 'Uploads being checked', ({ load }) => load.uploadChecks),
  gauge('agent_platform.free', 'By', 'Free disk space of a folder', ({ disks = [] }) =>
    disks.map(({ place, free }) => [free, { place }]),
  ),
  gauge('agent_platform.capacity', 'By', 'Disk size of a folder', ({ disks = [] }) =>
    disks.map(({ place, size }) => [size, { place }]),
  ),
  gauge(
    'agent_platform.files.damaged',
    '',
    'Stored files that are damaged or missing',
    ({ figures }) => figures?.damagedFiles,
  ),
  gauge('agent_platform.backup.newest.timestamp', 's', 'Time of the newest backup', ({ backups }) =>
    unix(backups?.[0]?.manifest.created_at),
  ),
  gauge('agent_platform.backup.verified.timestamp', 's', 'Time of the newest verified backup', ({ backups }) =>
    unix(backups?.find(({ verifiedAt }) => verifiedAt !== null)?.manifest.created_at),
  ),
  gauge('process.memory.usage', 'By', 'Resident memory', () => process.memoryUsage.rss()),
  gauge('v8js.memory.heap.used', 'By', 'Used memory of the heap', () => process.memoryUsage().heapUsed),
  counter('process.cpu.time', 's', 'Processor time', () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, { 'cpu.mode': 'user' }],
      [system / 1e6, { 'cpu.mode': 'system' }],
    ];
  }),
  gauge('process.uptime', 's', 'Time since the start', () => process.uptime()),
  gauge('agent_platform.build_info', '', 'Version of the server', ({ database }) => [
    [1, { version: serverVersion, node: process.version, database }],
  ]),
];

export function observeMetrics(meter: Meter, sources: MetricSources): void {
  const readAll = openReadings(sources);
  const instruments = new Map<Observable, Observed['read']>();
  for (const { kind, name, unit, description, read } of observed)
    instruments.set(meter[`create${kind}`](name, { unit, description }), read);
  const observe = async (result: BatchObservableResult) => {
    const found = await readAll();
    for (const [instrument, read] of instruments) {
      const values = read(found);
      for (const [value, labels] of typeof values === 'object' ? values : [[values] as const])
        if (value !== undefined) result.observe(instrument, value, labels);
    }
  };
  meter.addBatchObservableCallback(observe, [...instruments.keys()]);
}

/** Scrapers within two seconds share one reading; a scrape waits at most a second for it. */
const reading = { everyMs: 2_000, withinMs: 1_000 };

function openReadings({ load: readLoad, store, clock, detachedFileDays, places }: MetricSources) {
  const readFigures = makeSharedReader(
    (connectedAgents: readonly string[]) =>
      readDatabaseMetrics(store, { connectedAgents, detachedFileDays, now: clock() }),
    reading,
  );
  const readWritable = makeSharedReader(() => store.ping(reading.withinMs).then(() => true), reading);
  const readBackups = makeSharedReader(listBackups, reading);
  const readSpace = makeSharedReader(readDisks, reading);
  const readLag = makeSharedReader(() => store.replica?.lag() ?? Promise.resolve(undefined), reading);
  return async () => {
    const load = readLoad();
    const [figures, isWritable, backups, disks, lag] = await Promise.all([
      readFigures(load.connectedAgents),
      readWritable(),
      readBackups(places.backups),
      readSpace(places),
      readLag(),
    ]);
    return { load, figures, isWritable, backups, disks, lag, replica: store.replica?.counts, database: store.kind };
  };
}

/** Omits folders that do not exist, such as the backup folder before the first backup. */
async function readDisks(places: Places) {
  const read = Object.entries(places).map(async ([place, path]) => {
    const disk = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    return disk === undefined ? [] : [{ place, free: disk.bavail * disk.bsize, size: disk.blocks * disk.bsize }];
  });
  return (await Promise.all(read)).flat();
}

function unix(at: string | Date | undefined): number | undefined {
  return at === undefined ? undefined : new Date(at).getTime() / 1_000;
}
