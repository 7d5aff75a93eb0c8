import type { Check } from '../check.ts';
import { demandRefusal, demandStatus } from '../judge.ts';
import type { PoolAgent } from '../pool.ts';
import { askForPost, newWord, openAuthor, postsPath } from '../publishing.ts';
import { demandList } from '../records.ts';
import type { Run } from '../run.ts';
import type { Exchange } from '../wire.ts';

/** Reads a page of posts; that must work. */
export async function listPosts(run: Run, { token }: PoolAgent, query: string): Promise<Exchange> {
  const answer = await run.ask({ path: query === '' ? postsPath : `${postsPath}?${query}`, token });
  demandStatus(answer, 200);
  demandList(answer);
  return answer;
}

/** A post that is refused for the value of one member, beside the same post with nothing wrong. */
export function malformedPost(name: string, requirement: string, values: readonly unknown[], code: string): Check {
  return {
    id: `posts.${name.replaceAll('_', '-')}`,
    covers: [requirement],
    rule: `A post with a wrong "${name}" is refused with ${code}.`,
    cost: { writes: 2 + values.length },
    async judge(run) {
      const author = await openAuthor(run);
      const text = newWord();
      demandStatus(await askForPost(run, author, { text }), 201);
      for (const value of values) {
        demandRefusal(await askForPost(run, author, { text, [name]: value }), 400, code);
      }
    },
  };
}
