import type { Agent } from '../context/agent.ts';
import type { Exchange } from '../context/http/http-client.ts';
import { mePath } from '../context/paths.ts';

/** Sends a request for each item at the same moment, on connections that were opened before: opening one would delay its request. */
export async function concurrently<T>(
  agent: Agent,
  items: readonly T[],
  request: (item: T) => Promise<Exchange>,
): Promise<readonly Exchange[]> {
  await Promise.all(items.map(() => agent.get(mePath)));
  return await Promise.all(items.map(request));
}
