import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** So much is written at once. */
const blockBytes = 512 * 1024;

/** Twice of it may wait meanwhile; then the sender does. */
const waitingMaxBytes = 2 * blockBytes;

/** What a chunk costs beyond its bytes: nobody shall fill the memory with a great many small ones. */
const chunkCostBytes = 512;

/**
 * Writes what a stream brings to a new file, in blocks, while more of it
 * arrives; a write stream would take the next bytes only when it has written
 * all that it has. Resolves when everything is written, which is not yet
 * durable. Rejects when the stream ends early, or the disk does not take it.
 */
export async function writeInBlocks(stream: Readable, path: string): Promise<void> {
  // Before anything is waited for: what arrives until then would be lost.
  const waiting = new WaitingChunks(stream);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for (let block = await waiting.next(); block.length > 0; block = await waiting.next())
        await writeAll(file, block);
    } finally {
      await file.close();
    }
  } finally {
    waiting.stop();
  }
}

/** What has arrived and is not being written yet. */
class WaitingChunks {
  readonly #stream: Readable;
  #chunks: Buffer[] = [];
  #costBytes = 0;
  #isOver = false;
  #failure: Error | undefined;
  #wake = () => {};

  constructor(stream: Readable) {
    this.#stream = stream
      .on('data', this.#add)
      .once('end', () => this.#end())
      .once('error', (error) => this.#end(error))
      .once('close', () => this.#end(new Error('The stream was closed before its end.')));
  }

  /** A block once there is one, at the end what is left, and then nothing. */
  async next(): Promise<readonly Buffer[]> {
    while (this.#costBytes < blockBytes && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#costBytes = 0;
    this.#stream.resume();
    return chunks;
  }

  /** Takes nothing more. What still comes is for nobody here, and holds up nobody. */
  stop(): void {
    this.#stream.off('data', this.#add).resume();
    this.#chunks = [];
  }

  readonly #add = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#costBytes += chunk.length + chunkCostBytes;
    if (this.#costBytes >= waitingMaxBytes) this.#stream.pause();
    if (this.#costBytes >= blockBytes) this.#wake();
  };

  #end(failure?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wake();
  }
}

/** Writes chunks to the last byte: the system may take less than it is given, on a full disk for one. */
export async function writeAll(file: Pick<FileHandle, 'writev' | 'write'>, chunks: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  let rest = Buffer.alloc(0);
  if (bytesWritten < chunks.reduce((bytes, chunk) => bytes + chunk.length, 0))
    rest = Buffer.concat(chunks).subarray(bytesWritten);
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
}
