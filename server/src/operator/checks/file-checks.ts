import { openStorage } from '../../attachments/attachments-setup.ts';
import { requireOwnStorage } from '../../attachments/storage-claim-commands.ts';
import { compareStoredFiles, findFaultyFiles } from '../../attachments/stored-file-queries.ts';
import { errorMessageOf } from '../../platform/error-facts.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';

const examplesMax = 3;

export async function checkFiles(store: Store, settings: Settings): Promise<readonly DoctorCheck[]> {
  try {
    const storage = openStorage(settings);
    await requireOwnStorage(store, storage);
    const { named, missing, extra } = await compareStoredFiles(store, storage);
    const found =
      missing.length === 0
        ? makePassedCheck('files', `${storage.place} has all ${named} file(s) that the database refers to.`)
        : makeFailedCheck('files', `${storage.place} lacks ${listFiles(missing)} of ${named}.`, restoreHint);
    const faulty = (await findFaultyFiles(store)).filter(({ fault }) => fault === 'damaged').map(({ key }) => key);
    const whole =
      faulty.length === 0
        ? [found]
        : [
            found,
            makeFailedCheck(
              'damaged files',
              `${storage.place} has ${listFiles(faulty)} with damaged bytes.`,
              restoreHint,
            ),
          ];
    if (extra.length === 0) return whole;
    const text = `${storage.place} has ${listFiles(extra)} that the database does not refer to.`;
    return [
      ...whole,
      makeWarningCheck(
        'extra files',
        text,
        'They only use space. Another folder or a backup may have been copied here.',
      ),
    ];
  } catch (error) {
    return [
      makeFailedCheck(
        'files',
        errorMessageOf(error),
        'All servers that use a database need the same storage, readable by this user.',
      ),
    ];
  }
}

/** Checks only buckets; `checkStorage` checks folders. */
export async function checkBucket(settings: Settings): Promise<readonly DoctorCheck[]> {
  const storage = openStorage(settings);
  if (storage.kind !== 'bucket') return [];
  const startedMs = performance.now();
  try {
    await storage.check();
  } catch (error) {
    return [makeFailedCheck('storage', `${storage.place} does not respond: ${errorMessageOf(error)}`, bucketHint)];
  }
  const text = `${storage.place} responds after ${Math.ceil(performance.now() - startedMs)} ms`;
  if (!isPlain(settings.s3Endpoint)) return [makePassedCheck('storage', `${text}.`)];
  const hint = 'Use https in PLATFORM_S3_ENDPOINT, unless the network between the two machines is private.';
  return [makeWarningCheck('storage', `${text}, without encryption.`, hint)];
}

function isPlain(endpoint = 'https://amazonaws.com'): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

const bucketHint =
  'Check that the bucket exists. Check PLATFORM_S3_ENDPOINT, PLATFORM_S3_REGION, the AWS_ credentials and the network.';

const restoreHint =
  'Run "storage repair" to restore them from a backup, or copy them from the storage of another server that uses this database.';

function listFiles(keys: readonly string[]): string {
  const examples = keys.slice(0, examplesMax).join(', ');
  return `${keys.length} file(s) (${examples}${keys.length > examplesMax ? ', …' : ''})`;
}
