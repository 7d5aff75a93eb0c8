import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketLocation } from '../../src/files/s3/bucket-place.ts';
import { startS3rver } from './s3rver.ts';
import { startSwift } from './swift.ts';

export type S3Server = Awaited<ReturnType<typeof startS3>>;

/** `S3_TEST_SERVER=swift` selects Swift, which must be installed; the default is s3rver. */
export const s3ServerName = process.env['S3_TEST_SERVER'] === 'swift' ? 'swift' : 's3rver';

const bucket = 'agents';

export async function startS3(name: 'swift' | 's3rver' = s3ServerName) {
  const { port, main, remove, ...keys } = await (name === 'swift' ? startSwift() : startS3rver(bucket));
  const endpoint = `http://127.0.0.1:${port}`;
  const region = 'us-east-1';
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: keys });
  // s3rver rejects this request, because it creates the bucket when it starts.
  if (name === 'swift') await client.send(new CreateBucketCommand({ Bucket: bucket }));
  let prefixes = 0;
  return {
    keys,
    /** Returns the settings of a platform server that uses this bucket, with a new prefix for each call. */
    env: (reachedAt = endpoint) => {
      prefixes += 1;
      return {
        PLATFORM_STORAGE_URL: `s3://${bucket}/tests/${prefixes}`,
        PLATFORM_S3_ENDPOINT: reachedAt,
        PLATFORM_S3_PATH_STYLE: 'true',
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      };
    },
    /** Returns a location for a storage without a platform server, with a new prefix for each call. */
    place: (): BucketLocation => {
      prefixes += 1;
      return { bucket, prefix: `tests/${prefixes}/`, endpoint, region, hasPathStyle: true, keys };
    },
    client,
    endpoint,
    /** Suspends the server; connections stay open and the kernel accepts new ones. */
    freeze: () => main.signal('SIGSTOP'),
    thaw: () => main.signal('SIGCONT'),
    remove: async () => {
      client.destroy();
      await remove();
    },
  };
}
