import type { PoolAgent } from './pool.ts';
import { mePath } from './publishing.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/**
 * Asks several things at the same moment. Connections are opened before, for
 * else the first request would be over when the others have one.
 */
export async function askTogether(
  run: Run,
  { token }: PoolAgent,
  asks: readonly (() => Promise<Exchange>)[],
): Promise<readonly Exchange[]> {
  await Promise.all(asks.map(() => run.ask({ path: mePath, token })));
  return await Promise.all(asks.map((ask) => ask()));
}
