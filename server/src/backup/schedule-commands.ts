import { existsSync } from 'node:fs';
import { hour, minute, type RemovalTime } from '../platform/clock.ts';
import { errorMessageOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { type BackupDependencies, createBackup } from './create-commands.ts';
import { pruneBackups } from './prune-commands.ts';
import { ensureKeySecret } from './repository/key-commands.ts';
import { makeBackupKey } from './repository/key-queries.ts';
import { withBackupLock } from './repository/repository-commands.ts';
import { listBackups } from './repository/repository-queries.ts';
import { verifyBackup } from './verify-commands.ts';

/** Returns 0 for no backups, which is the default with PostgreSQL, because it has its own backup tools. */
export function resolveBackupHours({
  backupHours,
  databaseUrl,
}: Pick<Settings, 'backupHours' | 'databaseUrl'>): number {
  return backupHours ?? (databaseUrl === undefined ? 24 : 0);
}

interface ScheduleDependencies extends Omit<BackupDependencies, 'report'> {
  readonly store: Store;
  /** Backups are pruned only if this returns a time; it returns undefined while the clock is not trusted. */
  readonly removalTime: RemovalTime;
  readonly log: Logger;
}

/** Delays the first check, because a starting server is busy, and a server on trial is often stopped earlier. */
const firstAfterMs = 10 * minute;

const checkEveryMs = minute;

/** Whenever the newest backup is older than the interval, makes and verifies a new one and prunes old ones. */
export function startScheduledBackups(parts: ScheduleDependencies, timing = { firstAfterMs, checkEveryMs }) {
  const hours = resolveBackupHours(parts.settings);
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const failing = reportOnce(parts.log);
  const run = async () => {
    if (!(await isDue(parts, hours))) return;
    const quiet = { ...parts, report: () => undefined };
    const trust = makeBackupKey(await ensureKeySecret(parts.store, parts.settings.dataDir));
    const { name, lost_files } = await createBackup(quiet);
    parts.log.info({ backup: name, lost_files: lost_files.length }, 'backup made');
    const { verifiedAt, checked } = await verifyBackup({ ...quiet, trust }, name);
    if (verifiedAt === null)
      parts.log.error({ backup: name, faults: checked.faults }, 'the ledger of the backup is inconsistent');
    if (parts.removalTime() !== undefined) await pruneBackups(quiet);
  };
  const check = () => {
    if (isRunning) return;
    isRunning = true;
    running = run()
      .then(failing.clear, failing.report)
      .finally(() => {
        isRunning = false;
      });
  };
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    check();
    timer = setInterval(check, timing.checkEveryMs).unref();
  };
  if (hours > 0) timer = setTimeout(begin, timing.firstAfterMs).unref();
  // Taking the lock removes the leftovers of a killed backup, which would use disk space until the first run.
  if (existsSync(parts.repository)) withBackupLock(parts.repository, async () => undefined).catch(() => undefined);
  return {
    /** Stops the schedule. A running backup ends with this process; the next start removes its leftovers. */
    close: () => clearTimeout(timer),
    /** Resolves when the current run has ended. */
    settled: () => running,
  };
}

async function isDue({ repository, clock }: ScheduleDependencies, hours: number): Promise<boolean> {
  const [newest] = await listBackups(repository);
  // Ignores a newest backup with a future time, which was made with a wrong clock.
  const ageMs = newest === undefined ? Number.NaN : clock().getTime() - Date.parse(newest.manifest.created_at);
  return !(ageMs >= 0 && ageMs < hours * hour);
}

// Logs a repeated failure once, because the backup is retried every minute.
function reportOnce(log: Logger) {
  let reported = '';
  return {
    clear: () => {
      reported = '';
    },
    report: (err: unknown) => {
      if (errorMessageOf(err) === reported) return;
      reported = errorMessageOf(err);
      log.warn({ err }, 'no backup was made; will retry');
    },
  };
}
