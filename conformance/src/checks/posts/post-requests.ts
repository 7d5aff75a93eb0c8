import type { Check } from '../../context/check.ts';
import { expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { postsPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { newWord, publicAuthor, requestPost } from '../../fixtures/profiles/publishing.ts';

/** Reads a page of posts; that must work. */
export async function listPosts(run: Run, { token }: PoolAgent, query: string): Promise<Exchange> {
  const answer = await run.send({ path: query === '' ? postsPath : `${postsPath}?${query}`, token });
  expectStatus(answer, 200);
  expectList(answer);
  return answer;
}

/** A post that is refused for the value of one member, beside the same post with nothing wrong. */
export function malformedPost(name: string, requirement: string, values: readonly unknown[], code: string): Check {
  return {
    id: `posts.${name.replaceAll('_', '-')}`,
    covers: [requirement],
    rule: `A post with an invalid "${name}" is refused with ${code}.`,
    cost: { writes: 2 + values.length },
    async judge(run) {
      const author = await publicAuthor(run);
      const text = newWord();
      expectStatus(await requestPost(run, author, { text }), 201);
      for (const value of values) {
        expectRefusal(await requestPost(run, author, { text, [name]: value }), 400, code);
      }
    },
  };
}
