import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketLocation } from '../../src/files/s3/bucket-place.ts';
import { startS3rver } from './s3rver.ts';
import { startSwift } from './swift.ts';

/** A program that serves S3, for tests. */
export type S3Server = Awaited<ReturnType<typeof startS3>>;

/** The S3 server for tests: `S3_TEST_SERVER=swift` selects Swift, which must be installed; the default is s3rver. */
export const s3ServerName = process.env['S3_TEST_SERVER'] === 'swift' ? 'swift' : 's3rver';

/** The bucket on the server. */
const bucket = 'agents';

/** Starts a server with an empty bucket. */
export async function startS3(name: 'swift' | 's3rver' = s3ServerName) {
  const { port, main, remove, ...keys } = await (name === 'swift' ? startSwift() : startS3rver(bucket));
  const endpoint = `http://127.0.0.1:${port}`;
  const region = 'us-east-1';
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: keys });
  // s3rver rejects this request, and creates the bucket when it starts.
  if (name === 'swift') await client.send(new CreateBucketCommand({ Bucket: bucket }));
  let prefixes = 0;
  return {
    keys,
    /** The settings of a platform server that uses this bucket; each call returns a new prefix. */
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
    /** The bucket for a storage that a test opens without a platform server; each call returns a new prefix. */
    place: (): BucketLocation => {
      prefixes += 1;
      return { bucket, prefix: `tests/${prefixes}/`, endpoint, region, hasPathStyle: true, keys };
    },
    client,
    endpoint,
    /** Pauses the server without closing connections; the kernel still accepts new ones. */
    freeze: () => main.signal('SIGSTOP'),
    thaw: () => main.signal('SIGCONT'),
    /** Stops the server and removes its folder. */
    remove: async () => {
      client.destroy();
      await remove();
    },
  };
}
