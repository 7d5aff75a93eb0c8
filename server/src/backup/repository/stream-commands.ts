import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { errorCodeOf, undefinedIfMissing } from '../../platform/error-facts.ts';
import { damagedBackupRefusal } from './refusal.ts';

export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

function digesting() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    pass: async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    digest: (): FileDigest => ({ bytes, sha256: hash.digest('hex') }),
  };
}

const forOwner = { flags: 'wx', mode: 0o600, flush: true } as const;

/** Writes chunks to a new file, compressed and durable. Returns the digest of the file. */
export async function writeCompressed(path: string, chunks: AsyncIterable<Uint8Array>): Promise<FileDigest> {
  const { pass, digest } = digesting();
  // Level 1 suffices: most of the bytes are ciphertext, which a higher level barely compresses.
  await pipeline(chunks, createGzip({ level: 1 }), pass, createWriteStream(path, forOwner));
  return digest();
}

export async function writeWithDigest(path: string, chunks: Readable): Promise<FileDigest> {
  const { pass, digest } = digesting();
  await pipeline(chunks, pass, createWriteStream(path, forOwner));
  return digest();
}

/** Computes the digest of a file; undefined if the file does not exist. */
async function digestOf(path: string): Promise<FileDigest | undefined> {
  const { pass, digest } = digesting();
  try {
    for await (const _ of pass(createReadStream(path, { highWaterMark: 1024 * 1024 })));
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return digest();
}

export async function* readCompressed(path: string): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  // Failures are ignored here, because they also destroy `gunzip`, so that the reader throws.
  pipeline(createReadStream(path), gunzip).catch(() => undefined);
  yield* gunzip;
}

export async function* readLines(path: string): AsyncIterable<string> {
  let unread = '';
  for await (const chunk of readCompressed(path)) {
    const lines = `${unread}${Buffer.from(chunk).toString('latin1')}`.split('\n');
    unread = lines.pop() ?? '';
    yield* lines;
  }
}

/** Copies a file durably. Returns the digest, or undefined if the file does not exist. */
export async function copyWithDigest(from: string, to: string): Promise<FileDigest | undefined> {
  // Opens the source first, because a pipeline that fails to open it may still create the target later.
  const source = await undefinedIfMissing(open(from));
  return source === undefined ? undefined : await writeWithDigest(to, source.createReadStream());
}

export async function requireDigest(path: string, name: string, expected: FileDigest): Promise<void> {
  requireSameDigest(name, await digestOf(path), expected);
}

export function requireSameDigest(name: string, found: FileDigest | undefined, expected: FileDigest): void {
  if (found === undefined) throw damagedBackupRefusal(`${name} is missing`);
  if (found.bytes !== expected.bytes)
    throw damagedBackupRefusal(`${name} has ${found.bytes} bytes instead of ${expected.bytes}`);
  if (found.sha256 !== expected.sha256)
    throw damagedBackupRefusal(`the SHA-256 of ${name} differs from the recorded one`);
}
