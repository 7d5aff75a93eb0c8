import type { ServerResponse } from 'node:http';
import { IncomingMessage } from './headers.ts';

/**
 * A request that counts the chunks of its body as they arrive, whether or not they are read. Each chunk costs about
 * as much time and memory as a kilobyte, so a body in one-byte chunks would block the process.
 */
export class ChunkCountingRequest extends IncomingMessage {
  #limit: { readonly budget: ChunkBudget; readonly onTooMany: () => void } | undefined;
  #isOver = false;

  /** Calls `onTooMany` once if there are too many chunks. After that, the rest of the body is not delivered. */
  limitChunks(response: ServerResponse, onTooMany: () => void): void {
    this.#limit = { budget: new ChunkBudget(), onTooMany };
    // Starts reading, because Node.js discards a body that was never read without passing its chunks to this class.
    this.read(0);
    response.once('finish', () => this.resume());
  }

  // Returns false to stop reading from the connection.
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.#isOver) return false;
    if (this.#limit === undefined || !(chunk instanceof Uint8Array) || this.#limit.budget.take(chunk.length))
      return super.push(chunk, encoding);
    this.#isOver = true;
    this.#limit.onTooMany();
    return false;
  }
}

/** This many chunks may have any size, because short bodies may be sent line by line or over slow connections. */
const chunksMax = 1_024;

/** The minimum average size of the later chunks. Even the slowest networks have larger packets. */
export const minAverageChunkBytes = 256;

/** Limits the number of a body's chunks in relation to its bytes. */
export class ChunkBudget {
  #chunks = chunksMax;

  /** Counts a chunk; returns false for the first one above the limit and from then on. */
  take(bytes: number): boolean {
    if (this.#chunks < 0) return false;
    this.#chunks = Math.min(chunksMax, this.#chunks + bytes / minAverageChunkBytes) - 1;
    return this.#chunks >= 0;
  }
}
