import type { ServerResponse } from 'node:http';
import { IncomingMessage } from './headers.ts';

/**
 * A request that counts the chunks of its body as they arrive, whether anything
 * reads them or not. Each costs about as much time and memory as a kilobyte: bodies
 * in chunks of one byte would keep the process from all other work.
 */
export class CountedRequest extends IncomingMessage {
  #limit: { readonly budget: ChunkBudget; readonly onTooMany: () => void } | undefined;
  #isOver = false;

  /** Calls `onTooMany` once when the chunks are too many. Neither the rest of the body nor its end is delivered then. */
  limitChunks(response: ServerResponse, onTooMany: () => void): void {
    this.#limit = { budget: new ChunkBudget(), onTooMany };
    // Node.js drops the rest of a body that nothing has begun to read, past this class.
    this.read(0);
    response.once('finish', () => this.resume());
  }

  // False stops the connection from being read.
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.#isOver) return false;
    if (this.#limit === undefined || !(chunk instanceof Uint8Array) || this.#limit.budget.take(chunk.length))
      return super.push(chunk, encoding);
    this.#isOver = true;
    this.#limit.onTooMany();
    return false;
  }
}

/** So many chunks may come before their size matters: short bodies in lines, slow connections. */
const chunksMax = 1_024;

/** The average size from then on. The packets of the slowest networks are larger. */
export const fairChunkBytes = 256;

/** Counts the chunks of a body against its bytes. */
export class ChunkBudget {
  #chunks = chunksMax;

  /** Takes a chunk; false for the first one too many, and from then on. */
  take(bytes: number): boolean {
    if (this.#chunks < 0) return false;
    this.#chunks = Math.min(chunksMax, this.#chunks + bytes / fairChunkBytes) - 1;
    return this.#chunks >= 0;
  }
}
