/** Runs batches until one handles fewer than `batchMax`, and returns the sum of what they handled. */
export async function sumBatches(batchMax: number, runBatch: () => Promise<number>): Promise<number> {
  for (let sum = 0; ; ) {
    const count = await runBatch();
    sum += count;
    if (count < batchMax) return sum;
  }
}
