import { once } from 'node:events';
import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { makeApp } from '../app.ts';
import { openStorage } from '../attachments/attachments-setup.ts';
import { claimStorage } from '../attachments/storage-claim-commands.ts';
import type { RevocationJournal } from '../backup/journal-commands.ts';
import { makePrivateFolder } from '../backup/repository/durable-commands.ts';
import { backupFolder } from '../backup/repository/folders.ts';
import { removeLeftoverFiles, unfinishedRestorePath } from '../backup/restore/restore-files-commands.ts';
import { startScheduledBackups } from '../backup/schedule-commands.ts';
import { describeRepeatedKeys } from '../identity/repeated-keys-queries.ts';
import { openJournaledStore } from '../operator/open-journaled-store.ts';
import { openOperatorSocket } from '../operator/socket/operator-socket.ts';
import type { Clock } from '../platform/clock.ts';
import { errorCodeOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { followDatabaseClock, type ServerTime } from '../store/clock/database-clock.ts';
import { claimClock, requireClock } from '../store/clock/stored-clock.ts';
import { withReplica } from '../store/open-replica.ts';
import { requireConnections } from '../store/postgres/read-connection-limits.ts';
import { requireWrites, watchWrites } from '../store/postgres/watch-writes.ts';
import { watchStatements } from '../store/statements/watched-statements.ts';
import type { MigrationReporter, Store } from '../store/store.ts';
import { ensureSchema, hasDatabase } from '../store/store-setup.ts';
import type { openExporters, RunningTelemetry } from '../telemetry/open-telemetry.ts';
import { limitConnections } from './limit-connections.ts';
import { followTestClock } from './test-clock.ts';
import { waitForWrites } from './wait-for-writes.ts';

export interface StartDependencies {
  readonly settings: Settings;
  /** The machine's clock. The server uses its database's clock, and refuses to start if the two clocks differ. */
  readonly clock: Clock;
  readonly log: Logger;
}

/** A listening server. */
export interface RunningServer {
  /** The public address, without a trailing slash. */
  readonly url: string;
  /** The address of its metrics, if they are served. */
  readonly metricsUrl: string | undefined;
  readonly store: Store;
  /** The database's time, with the offset of the test clock. */
  readonly clock: Clock;
  /** Signals load balancers to stop sending requests, and serves those that still arrive. */
  drain(): void;
  /**
   * Finishes accepted work and releases all resources; stops forcibly after `stopWithinMs`. Calls `began` with each
   * component that it waits for.
   */
  stop(began?: (part: string) => void): Promise<void>;
}

/** The maximum duration of a stop, whatever clients do. */
const stopWithinMs = 8_000;

/**
 * The maximum number of clients that wait in the kernel for a connection; other clients retry after a second. The
 * default of 511 is too low for the agents that reconnect when a server restarts. The kernel has a separate limit
 * (`net.core.somaxconn`).
 */
const backlog = 4_096;

/** Opens the store, migrates it, builds the app and starts to listen. */
export async function startServer({ settings, clock, log }: StartDependencies): Promise<RunningServer> {
  warnOfOpenFolder(settings.dataDir, log);
  // Logged in advance, because creating a database takes seconds, or longer on a busy machine.
  if (!hasDatabase(settings)) log.info({ folder: settings.dataDir }, 'creating the embedded database');
  const telemetry = await openConfiguredTelemetry(settings, log);
  const watch = watchStatements({ slowMs: settings.slowStatementMs, log, telemetry });
  await requireConnections(settings);
  const opened = await waitForWrites(() => openJournaledStore(settings, log, watch), log);
  const { journal } = opened;
  let store = watchWrites(opened.store, log);
  let time: ServerTime | undefined;
  try {
    await prepareBackupFolder(settings, log);
    await waitForWrites(() => requireWrites(store), log);
    time = await followDatabaseClock(store, clock, log);
    await requireClock(store, settings.clock);
    const applied = await ensureSchema(store, settings.migrate, logMigration(log));
    if (applied.length > 0) log.info({ applied }, 'applied migrations');
    await claimClock(store, settings.clock);
    await time.followCertainty();
    for (const weak of await store.weakSettings())
      log.warn({ setting: weak }, 'this database may lose commits in a crash');
    const repeatedKeys = await store.read(describeRepeatedKeys);
    if (repeatedKeys !== undefined) log.warn(repeatedKeys);
    await prepareStorage(settings, store, log);
    store = await withReplica(store, settings, log, watch);
    return await listen({ settings, clock, log }, { store, journal, time, telemetry });
  } catch (error) {
    time?.close();
    await telemetry?.close();
    await store.close();
    throw error;
  }
}

/** Loads OpenTelemetry only if metrics or traces are enabled. */
export async function openConfiguredTelemetry(
  settings: Settings,
  log: Logger,
  load: () => Promise<{ readonly openExporters: typeof openExporters }> = () =>
    import('../telemetry/open-telemetry.ts'),
): Promise<RunningTelemetry | undefined> {
  const { metricsPort, exporterOtlpEndpoint, exporterOtlpMetricsEndpoint, exporterOtlpTracesEndpoint } = settings;
  const endpoint = exporterOtlpEndpoint ?? exporterOtlpMetricsEndpoint ?? exporterOtlpTracesEndpoint;
  if (metricsPort === undefined && endpoint === undefined) return undefined;
  const telemetry = await load();
  return await telemetry.openExporters(settings, log);
}

interface OpenedResources {
  readonly store: Store;
  readonly journal: RevocationJournal;
  readonly time: ServerTime;
  readonly telemetry: RunningTelemetry | undefined;
}

async function listen(
  parts: StartDependencies,
  { store, journal, time, telemetry }: OpenedResources,
): Promise<RunningServer> {
  const { settings, clock: machineClock, log } = parts;
  const { clock, leaseClock, removalTime } = time;
  if (settings.clock === 'test') await time.readOffset();
  const { host } = settings;
  // The app's documents contain the address, so with port 0 a free port is chosen before listening.
  const port = settings.port === 0 ? await findFreePort(host) : settings.port;
  const url = settings.publicUrl ?? defaultUrl(host, port);
  const app = makeApp({ settings, store, clock, leaseClock, removalTime, log, publicUrl: url, telemetry });
  const testClock = settings.clock === 'test' ? followTestClock(app, time, store) : undefined;
  limitConnections(app.http.server, settings, telemetry?.meters, log);
  await app.http.listen({ host, port, backlog });
  const repository = backupFolder(settings);
  const { detachedFileDays } = settings;
  const { kind, place } = app.files.storage;
  const places = { data: settings.dataDir, files: kind === 'folder' ? place : undefined, backups: repository };
  const metricsUrl = await telemetry?.begin({ load: app.load, store, clock, detachedFileDays, places });
  const backups = startScheduledBackups({ settings, store, clock, removalTime, journal, repository, log });
  const operator = await openOperatorSocket({
    settings,
    clock,
    machineClock,
    log,
    announce: app.announce,
    accessChanged: app.accessChanged,
    withFiles: (_store, work) => work(app.files),
    clockMoved: async () => await testClock?.moved(),
    store: { upToDate: async () => store, asItIs: async () => store, migrate: (report) => store.migrate(report) },
    journal: async () => journal,
    process: { env: process.env, nodeVersion: process.version, uid: process.getuid?.() },
    server: { url, local_url: defaultUrl(host, port), started_at: clock().toISOString() },
  });
  let hasDrained = false;
  const drain = () => {
    hasDrained = true;
    app.beginDraining();
  };
  const stop = async (began: (part: string) => void = () => undefined) => {
    // A proxy without health checks sends requests until its connections are refused.
    if (hasDrained) await app.refuseConnections();
    app.beginClosing();
    backups.close();
    const force = setTimeout(() => app.http.server.closeAllConnections(), stopWithinMs);
    const commandsEnded = operator?.close();
    await app.close(began);
    clearTimeout(force);
    began('operator commands');
    await commandsEnded;
    testClock?.close();
    time.close();
    began('telemetry');
    await telemetry?.close();
    began('database');
    await store.close();
  };
  return { url, metricsUrl, store, clock, drain, stop };
}

async function prepareBackupFolder(settings: Settings, log: Logger): Promise<void> {
  const folder = backupFolder(settings);
  try {
    await makePrivateFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const remedy = `The backup folder ${folder} cannot be written. Set PLATFORM_BACKUP_DIR to a folder of this user.`;
    if (['EEXIST', 'ENOTDIR'].includes(errorCodeOf(cause) ?? '')) throw new Error(remedy, { cause });
    // The disk of the folder may be missing or full temporarily.
    log.error({ err: cause }, `${remedy} Until then, there are no backups, and a restore may undo revocations.`);
  }
}

async function prepareStorage(settings: Settings, store: Store, log: Logger): Promise<void> {
  const storage = openStorage(settings);
  await storage.probe().catch((cause: unknown) => {
    const remedy =
      storage.kind === 'bucket'
        ? 'Check that the bucket exists, PLATFORM_S3_ENDPOINT and PLATFORM_S3_REGION, and that the AWS_ credentials may read, write, delete and list.'
        : 'Make this user its owner, or choose another place with PLATFORM_STORAGE_URL or PLATFORM_DATA_DIR.';
    throw new Error(`The file storage ${storage.place} cannot be written. ${remedy}`, { cause });
  });
  await claimStorage(store, storage);
  if (!existsSync(unfinishedRestorePath(settings.dataDir))) return;
  const files = await removeLeftoverFiles(settings.dataDir, store, storage);
  log.warn({ files }, 'an interrupted restore was cleaned up');
}

function defaultUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

async function findFreePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const messages = {
  waiting: 'another process migrates the database; waiting for it',
  running: 'a migration is running',
  finished: 'a migration has finished',
} as const;

/** Logs each slow migration step; the quick ones are summarized in one line. */
function logMigration(log: Logger): MigrationReporter {
  return ({ state, ...step }) => log[state === 'finished' ? 'debug' : 'info'](step, messages[state]);
}

/** Warns if other users can access the data folder. The files inside are private in any case. */
function warnOfOpenFolder(dataDir: string, log: Logger): void {
  const folder = resolve(dataDir);
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) === 0 || process.getuid === undefined) return;
  log.warn({ mode: mode.toString(8), hint: `chmod 700 ${folder}` }, 'the data folder is accessible to other users');
}
