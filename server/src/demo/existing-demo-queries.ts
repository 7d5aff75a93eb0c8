import type { Reader } from '../store/store.ts';

export async function findAgentByHandle(reader: Reader, handle: string) {
  return await reader
    .selectFrom('bots')
    .leftJoin('erasures', 'erasures.agent_id', 'bots.id')
    .where('handle', '=', handle)
    .selectAll('bots')
    .select('erasures.erased_at')
    .executeTakeFirst();
}

/** Also finds deleted works, so that they are not added again. */
export async function findWorks(reader: Reader, authorId: string) {
  return await reader.selectFrom('posts').where('author_id', '=', authorId).select(['title', 'text']).execute();
}

export async function findDemoHandles(reader: Reader): Promise<readonly string[]> {
  const agents = await reader.selectFrom('bots').where('is_demo', '=', true).select('handle').orderBy('id').execute();
  return agents.map(({ handle }) => handle);
}
