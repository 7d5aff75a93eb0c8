import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@agent-platform/contract';
import { folderStorage } from '../files/folder-storage.ts';
import { incomingFolder } from '../files/incoming-folder.ts';
import type { FileStorage } from '../files/storage.ts';
import { makeInspectors } from '../inspection/inspectors.ts';
import { isOrderParticipant } from '../orders/order-queries.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { AttachmentParts } from './attachment-routes.ts';
import { keepUploads } from './upload/upload-keeper-commands.ts';

/** Everything that files need of the machine, opened. */
export interface Files {
  readonly parts: AttachmentParts;
  /** Rejects when the storage cannot be written to. */
  check(): Promise<void>;
  /** Lets go of inspectors and timers; uploads that are under way have been answered by then. */
  close(): Promise<void>;
}

/** What opening the files needs. */
export interface FilesFrom {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The most that a multipart form may have: a file and 1 MiB around it. */
export function formMaxBytes({ fileBytes }: Settings): number {
  return fileBytes === 0 ? Number.POSITIVE_INFINITY : fileBytes + limits.multipartMaxBytes - limits.fileMaxBytes;
}

/** Files that one instance receives at the same time: what they take on the disk before anybody has looked at them. */
const arrivingMax = 64;

const sweepEveryMs = 15_000;

/** Opens storage, inspectors and the keeper of uploads. */
export function openFiles({ settings, store, clock, log }: FilesFrom): Files {
  const folder = findFolder(settings);
  // Beside the files and on their disk, so that a file is moved and not copied when it is kept.
  const incoming = incomingFolder(join(folder, 'incoming'), arrivingMax);
  const storage = folderStorage(folder);
  const inspectors = makeInspectors(log);
  const isAlone = store.kind === 'pglite';
  const keeper = keepUploads({ store, clock, log, storage }, isAlone);
  const sweep = (before: Date) =>
    incoming.sweep(before).catch((error: unknown) => {
      log.warn({ err: error }, 'could not clean the folder for incoming files');
    });
  let swept = sweep(isAlone ? new Date() : longAgo(settings));
  // What another instance left when it was killed is too young at first to be told from what is still arriving.
  const sweeping = setInterval(() => {
    swept = swept.then(() => sweep(longAgo(settings)));
  }, sweepEveryMs).unref();
  return {
    parts: {
      store,
      clock,
      storage,
      incoming,
      inspectors,
      keeper,
      quotas: quotasOf(settings),
      checksMax: settings.uploadChecks,
      fileMaxBytes: settings.fileBytes,
      isOrderParticipant,
    },
    check: () => storage.check(),
    close: async () => {
      await inspectors.close();
      await keeper.close();
      clearInterval(sweeping);
      await swept;
    },
  };
}

/** Opens the storage alone, for work on files that are there already. */
export function openStorage(settings: Settings): FileStorage {
  return folderStorage(findFolder(settings));
}

function findFolder({ storageUrl, dataDir }: Settings): string {
  if (storageUrl === undefined) return resolve(dataDir, 'files');
  if (storageUrl.startsWith('file:')) return fileURLToPath(storageUrl);
  throw new Error('PLATFORM_STORAGE_URL names a bucket, and this version keeps files in folders only. Use file:///….');
}

// Another instance may be receiving into the same folder; what is older than any upload can be is nobody's.
function longAgo({ uploadSeconds }: Settings): Date {
  const longestMs = (uploadSeconds || limits.uploadSeconds) * 2_000;
  return new Date(Date.now() - longestMs);
}

function quotasOf(settings: Settings) {
  return {
    own: { files: settings.agentFiles, bytes: settings.agentFileBytes, records: settings.agentUploads },
    all: { files: settings.files, bytes: settings.fileBytesTotal, records: settings.uploads },
  };
}
