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
