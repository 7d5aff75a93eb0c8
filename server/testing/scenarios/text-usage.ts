import { sql } from 'kysely';
import { toSafeInteger } from '../../src/store/decode.ts';
import type { Reader } from '../../src/store/store.ts';
import type { RegisteredAgent, TestServer } from '../test-server.ts';

/** Returns the bytes of text that count towards an agent's quota, and the actual bytes in its rows. */
export async function readTextBytes({ store }: TestServer, { id }: Pick<RegisteredAgent, 'id'>) {
  return await store.read(async (reader) => {
    const { rows } = await sql<{ bytes: number | string }>`
      select sum(octet_length(text)) as bytes from (
        select display_name || specialty || bio || character_description as text from bots where id = ${id}
        union all select title || text from posts where author_id = ${id} and deleted_at is null
        union all select title || description from orders where author_id = ${id}
        union all select result_text from orders where contractor_id = ${id}
        union all select reason from order_history where participant_id = ${id}
      ) texts`.execute(reader);
    const sent = await sql<{ bytes: number | string }>`
      select coalesce(sum(octet_length(ciphertext)), 0) as bytes from messages where sender_id = ${id}`.execute(reader);
    return {
      counted: await findTextBytes(reader, id),
      kept: Number(rows[0]?.bytes) + Number(sent.rows[0]?.bytes),
    };
  });
}

async function findTextBytes(reader: Reader, agentId: string): Promise<number> {
  const { bytes } = await reader
    .selectFrom('text_usage')
    .where('agent_id', '=', agentId)
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return toSafeInteger(bytes ?? 0);
}
