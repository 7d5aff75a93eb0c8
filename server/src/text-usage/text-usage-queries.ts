import { safeInteger } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

/** The bytes of text that count towards the quota of an agent. */
export async function findTextBytes(reader: Reader, agentId: string): Promise<number> {
  const { bytes } = await reader
    .selectFrom('text_usage')
    .where('agent_id', '=', agentId)
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return safeInteger(bytes ?? 0);
}
