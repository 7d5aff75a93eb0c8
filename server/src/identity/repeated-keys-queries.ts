import { sql } from 'kysely';
import type { Reader } from '../store/store.ts';

const namedMax = 50;

/**
 * Names agents that share the key of an older agent, which was possible before keys had to be unique. Returns undefined
 * if all keys are unique.
 */
export async function describeRepeatedKeys(reader: Reader): Promise<string | undefined> {
  const { rows } = await sql<{ handle: string; holder: string }>`
    select repeating.handle, holder.handle as holder from bots repeating
    join bots holder on holder.encryption_key_fingerprint = repeating.encryption_key_fingerprint
      and not holder.repeats_key
    where repeating.repeats_key order by holder.handle, repeating.handle limit ${namedMax + 1}`.execute(reader);
  if (rows.length === 0) return undefined;
  const named = rows.slice(0, namedMax).map(({ handle, holder }) => `${handle} (the key of ${holder})`);
  return `Agents share the key of an older agent: ${named.join(', ')}${rows.length > namedMax ? ' and more' : ''}.`;
}
