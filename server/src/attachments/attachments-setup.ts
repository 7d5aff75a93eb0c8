import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@agent-platform/contract';
import { makeFolderStorage } from '../files/folder-storage.ts';
import { IncomingFolder } from '../files/incoming-folder.ts';
import { parseBucketUrl, type S3Keys } from '../files/s3/bucket-place.ts';
import { makeS3Storage } from '../files/s3/s3-storage.ts';
import type { FileStorage } from '../files/storage.ts';
import { inspectorLimits } from '../inspection/inspector-command.ts';
import { InspectorPool, openCompileCache, sharedCompileCache } from '../inspection/inspectors.ts';
import { chooseIsolation } from '../inspection/isolation.ts';
import { isOrderParticipant } from '../orders/order-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { makeSharedReader } from '../platform/connections/shared-reading.ts';
import type { Telemetry } from '../platform/instruments.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { recordFileFault } from './damage/fault-commands.ts';
import { VerifiedFileReader } from './damage/verify-files-queries.ts';
import { openSharedCheckSlots } from './upload/reservation-commands.ts';
import { UploadReservations } from './upload/reservation-lease-commands.ts';
import { UploadQueue } from './upload/upload-queue-commands.ts';

export type FileServices = ReturnType<typeof openFileServices>;

interface FilesDependencies {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly leaseClock: Clock;
  readonly log: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** Allows 1 MiB in addition to the file. */
export function computeFormMaxBytes({ fileBytes }: Settings): number {
  return fileBytes === 0 ? Number.POSITIVE_INFINITY : fileBytes + limits.multipartMaxBytes - limits.fileMaxBytes;
}

/** The number of files that one instance receives at the same time, which limits the unchecked bytes on disk. */
export const receivedFilesMax = 64;

const sweepEveryMs = 15_000;

const storageCheck = { everyMs: 1_000, withinMs: 1_000 };

export function openFileServices({ settings, store, clock, leaseClock, log, telemetry }: FilesDependencies) {
  const incomingPath = findIncoming(settings);
  const incoming = new IncomingFolder(incomingPath);
  const storage = openStorage(settings);
  const verified = new VerifiedFileReader(storage, async (file, finding) => {
    if (finding !== undefined || file.fault !== null) await recordFileFault({ store, storage, log }, file, finding);
  });
  const readState = makeSharedReader(() => storage.check().then(() => true), storageCheck);
  const isolation = chooseIsolation(settings.uploadIsolation);
  if (isolation.kind === 'none') log.warn({ reason: isolation.reason }, 'file checks are not isolated');
  const compileCache = openCompileCache(isolation, resolve(settings.dataDir, 'compiled'), sharedCompileCache);
  const slots = openSharedCheckSlots(store, leaseClock, settings);
  const queue = new UploadQueue({ ...settings, arrivingUploads: receivedFilesMax }, slots);
  const inspectorSetup = { limits: inspectorLimits, isolation, folder: incomingPath, compileCache };
  const inspectors = new InspectorPool(log, inspectorSetup, () => queue.expectedOwners);
  const isOnlyServer = store.kind === 'pglite';
  const quotas = {
    own: { files: settings.agentFiles, bytes: settings.agentFileBytes, records: settings.agentUploads },
    all: { files: settings.files, bytes: settings.fileBytesTotal, records: settings.uploads },
  };
  const shared = { store, clock, storage, terms: settings };
  const reservations = new UploadReservations({ ...shared, leaseClock, log, quotas }, isOnlyServer);
  const sweep = (unchangedMs: number) =>
    incoming.sweep(unchangedMs).catch((error: unknown) => {
      log.warn({ err: error }, 'could not clean the folder for incoming files');
    });
  const abandonedAfterMs = longestUploadMs(settings);
  let swept = sweep(isOnlyServer ? 0 : abandonedAfterMs);
  // Sweeps repeatedly, because a file that a killed instance left behind can only be recognized once it is old enough.
  const sweeping = setInterval(() => {
    swept = swept.then(() => sweep(abandonedAfterMs));
  }, sweepEveryMs).unref();
  return {
    parts: {
      ...shared,
      tracing: telemetry?.tracing,
      verified,
      incoming,
      inspectors,
      queue,
      reservations,
      fileMaxBytes: settings.fileBytes,
      isOrderParticipant,
    },
    load: () => queue.load,
    /** Whether the storage accepts files; false if the storage does not respond in time. */
    hasStorage: async () => (await readState()) ?? false,
    /** Aborts the storage calls of retention and sweeps; called after all requests are answered. */
    endStorage: () => storage.close(),
    /** Call this after all uploads are answered. */
    close: async () => {
      await inspectors.close();
      await reservations.close();
      clearInterval(sweeping);
      await swept;
    },
  };
}

export function openStorage(settings: Settings): FileStorage {
  const { storageUrl, s3Endpoint: endpoint, s3Region: region, s3PathStyle } = settings;
  if (!storageUrl?.startsWith('s3:')) return makeFolderStorage(findFolder(settings));
  const place = { ...parseBucketUrl(storageUrl), endpoint, region, hasPathStyle: s3PathStyle === 'true' };
  return makeS3Storage({ ...place, keys: findKeys(settings) });
}

// The empty defaults are never used, because a missing access key is reported at start-up.
function findKeys(settings: Settings): S3Keys | undefined {
  const { s3Credentials, awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken } = settings;
  if (s3Credentials === 'machine') return undefined;
  const keys = { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' };
  return awsSessionToken === undefined ? keys : { ...keys, sessionToken: awsSessionToken };
}

export function openIncomingFolder(settings: Settings): IncomingFolder {
  return new IncomingFolder(findIncoming(settings));
}

// The folder is on the same disk as the stored files, so that files are moved, not copied.
function findIncoming(settings: Settings): string {
  const isBucket = settings.storageUrl?.startsWith('s3:');
  return join(isBucket ? resolve(settings.dataDir) : findFolder(settings), 'incoming');
}

function findFolder({ storageUrl, dataDir }: Settings): string {
  return storageUrl === undefined ? resolve(dataDir, 'files') : fileURLToPath(storageUrl);
}

// Another instance may use the same folder, so the sweep removes only files that have not changed for this long.
function longestUploadMs({ uploadSeconds }: Settings): number {
  return (uploadSeconds || limits.uploadSeconds) * 2_000;
}
