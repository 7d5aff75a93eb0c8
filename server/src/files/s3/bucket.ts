import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { errorCodeOf, errorMessageOf } from '../../platform/error-facts.ts';
import { StorageUnavailable } from '../storage-failure.ts';
import type { BucketLocation } from './bucket-place.ts';
import { type CallAttempt, type CallLimits, callWithRetries, RunningAttempts } from './retries.ts';

/** The operations on the objects of a bucket, by full object name. Every failure is a `StorageUnavailable`. */
export type Bucket = ReturnType<typeof openBucket>;

const mebibyte = 1024 * 1024;

const chunkBytes = 256 * 1024;

/** The extra time allowed for each MiB of a file. */
const msPerMebibyte = 1_000;

/** Without this logger, the SDK prints warnings to the console. */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Opens a bucket. This module loads the AWS SDK, so `s3-storage.ts` imports it only when a bucket is used. */
export function openBucket(place: BucketLocation, terms: CallLimits) {
  const client = new S3Client(configure(place));
  const running = new RunningAttempts();
  const { bucket: Bucket } = place;
  const call = <T>(name: string, attempt: CallAttempt<T>, own: CallLimits = terms) =>
    callWithRetries({ name: `S3 ${name} in ${Bucket}`, terms: own, attempt, explain, running });
  return {
    /** Stores a file atomically. */
    put: async (Key: string, path: string) => {
      const { md5, bytes } = await digest(path);
      const wholeMs = terms.wholeMs + Math.ceil(bytes / mebibyte) * msPerMebibyte;
      const attempt: CallAttempt<void> = async (abortSignal, moved) => {
        const Body = Readable.from(readChunks(path, moved), { objectMode: false });
        // Rejects if the local file cannot be read, because the SDK does not handle such errors.
        const { promise: broken, reject } = Promise.withResolvers<never>();
        Body.on('error', reject);
        const object = { Bucket, Key, Body, ContentLength: bytes, ContentMD5: md5 };
        const sent = client.send(new PutObjectCommand(object), { abortSignal });
        // Without `destroy`, the unread rest would keep the file open after an aborted attempt.
        await Promise.race([sent, broken]).finally(() => Body.destroy());
      };
      await call('PutObject', attempt, { ...terms, wholeMs });
    },
    putText: async (Key: string, Body: string) => {
      await call('PutObject', (abortSignal) =>
        client.send(new PutObjectCommand({ Bucket, Key, Body }), { abortSignal }),
      );
    },
    /** Opens an object or a range of it; undefined if the object does not exist. */
    open: async (Key: string, range?: { readonly start: number; readonly end: number }) => {
      const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
      return await call('GetObject', (abortSignal) =>
        ifPresent(async () => {
          const found = await client.send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal });
          const { Body, ContentRange, ContentLength, ETag, LastModified } = found;
          const bytes = Number(ContentRange?.split('/')[1] ?? ContentLength);
          const version = `${ETag} ${LastModified?.getTime()}`;
          return { stream: endWhenStalled(Body as IncomingMessage, terms.stalledMs), bytes, version };
        }),
      );
    },
    /** Reads a short text; undefined if the object does not exist. */
    getText: async (Key: string, own: CallLimits = terms) =>
      await call(
        'GetObject',
        (abortSignal) =>
          ifPresent(async () => {
            const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal });
            return (await Body?.transformToString()) ?? '';
          }),
        own,
      ),
    has: async (Key: string) =>
      await call('HeadObject', async (abortSignal) => {
        const found = await ifPresent(() => client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal }));
        return found !== undefined;
      }),
    remove: async (Key: string) => {
      await call('DeleteObject', (abortSignal) =>
        client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
      );
    },
    list: async function* (Prefix: string): AsyncGenerator<readonly string[]> {
      let ContinuationToken: string | undefined;
      do {
        const command = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
        const page = await call('ListObjectsV2', (abortSignal) => client.send(command, { abortSignal }));
        yield (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    /** Aborts all running calls without retries. */
    close: () => running.close(),
  };
}

function configure({ endpoint, region, hasPathStyle, keys }: BucketLocation): S3ClientConfig {
  // Connections are unlimited, so that a slow download does not block other requests.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return {
    region,
    forcePathStyle: hasPathStyle,
    // S3 servers other than Amazon's refuse the trailing checksum of a stream.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // No retries by the SDK, because it cannot repeat the put of a stream.
    maxAttempts: 1,
    logger: silent,
    requestHandler: { httpAgent: agent, httpsAgent: agent },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(keys === undefined ? {} : { credentials: keys }),
  };
}

async function digest(path: string) {
  const hash = createHash('md5');
  let bytes = 0;
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { md5: hash.digest('base64'), bytes };
}

async function* readChunks(path: string, moved: () => void) {
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    moved();
    yield chunk;
  }
}

/** Ends a body if S3 has stopped sending it, but not if the reader of the body has stopped reading. */
function endWhenStalled(body: IncomingMessage, stalledMs: number): Readable {
  let [seenBytes, movedAt] = [0, performance.now()];
  const watching = setInterval(() => {
    const { bytesRead } = body.socket;
    if (bytesRead !== seenBytes || body.readableLength > 0) [seenBytes, movedAt] = [bytesRead, performance.now()];
    else if (performance.now() - movedAt > stalledMs)
      body.destroy(new StorageUnavailable('S3 stopped sending a file.'));
  }, stalledMs / 4).unref();
  return body.once('close', () => clearInterval(watching));
}

const absent = new Set(['NoSuchKey', 'NotFound']);

async function ifPresent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && absent.has(error.name)) return undefined;
    throw error;
  }
}

const passing = new Set([
  'RequestTimeout',
  'RequestTimeoutException',
  // If this machine's clock is wrong, the SDK signs the next request with the server's time.
  'RequestTimeTooSkewed',
  'SlowDown',
  'TooManyRequestsException',
]);

// The errors of the SDK contain the signed request, so only their names and codes are used.
function explain(error: unknown) {
  const { name } = error instanceof Error ? error : { name: '' };
  const status = statusOf(error);
  if (status === undefined) return { reason: errorCodeOf(error) ?? errorMessageOf(error), isPassing: true };
  return { reason: `${name} (${status})`, isPassing: status >= 500 || status === 429 || passing.has(name) };
}

function statusOf(error: unknown): number | undefined {
  const metadata: unknown = error instanceof Error ? Reflect.get(error, '$metadata') : undefined;
  const status: unknown = typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}

function ignore(): void {}
