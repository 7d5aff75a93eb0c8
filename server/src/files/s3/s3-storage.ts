import { rm } from 'node:fs/promises';
import { loadOptionalModule } from '../../platform/optional-packages.ts';
import { type FileStorage, storageKeyPattern } from '../storage.ts';
import type { Bucket } from './bucket.ts';
import type { BucketLocation } from './bucket-place.ts';
import type { CallLimits } from './retries.ts';

/** The usual limits; a large file may take longer. */
const usualTerms: CallLimits = { attemptsMax: 3, stalledMs: 6_000, wholeMs: 15_000 };

/** The time limit of a check: short, because operators and background work wait for it. */
const checkMaxMs = 3_000;

const awsSdk = {
  scope: '@aws-sdk',
  purpose: 'Storing files in a bucket',
  otherwise: 'set PLATFORM_STORAGE_URL to a folder',
} as const;

/** Stores files in a bucket, one object each. The first call loads the SDK. */
export function makeS3Storage(place: BucketLocation, terms = usualTerms): FileStorage {
  const { prefix } = place;
  let opening: Promise<Bucket> | undefined;
  const bucket = () => {
    opening ??= loadOptionalModule(awsSdk, () => import('./bucket.ts')).then(({ openBucket }) =>
      openBucket(place, terms),
    );
    return opening;
  };
  const nameOf = (key: string) => `${prefix}${key}`;
  const [idName, probeName] = [nameOf('storage-id'), nameOf('.probe')];
  const checkMs = Math.min(checkMaxMs, terms.stalledMs);
  const checkTerms: CallLimits = { attemptsMax: 1, stalledMs: checkMs, wholeMs: checkMs };
  return {
    kind: 'bucket',
    place: `s3://${place.bucket}/${prefix}`,
    // Local files need not be durable, only their copies in the bucket.
    prepare: async () => undefined,
    put: async (key, path) => {
      await (await bucket()).put(nameOf(key), path);
      await rm(path, { force: true });
    },
    open: async (key, range) => (await bucket()).open(nameOf(key), range),
    remove: async (key) => (await bucket()).remove(nameOf(key)),
    has: async (key) => (await bucket()).has(nameOf(key)),
    list: async function* () {
      for await (const names of (await bucket()).list(prefix)) {
        for (const name of names) {
          const key = name.slice(prefix.length);
          if (storageKeyPattern.test(key)) yield key;
        }
      }
    },
    readId: async () => (await (await bucket()).getText(idName))?.trim(),
    writeId: async (id) => (await bucket()).putText(idName, `${id}\n`),
    check: async () => void (await (await bucket()).getText(idName, checkTerms)),
    probe: async () => {
      await (await bucket()).putText(probeName, '');
      await (await bucket()).remove(probeName);
    },
    close: () => void opening?.then((opened) => opened.close()),
  };
}
