import type { ApiClient } from '../context/agent.ts';
import type { Check, Run } from '../context/check.ts';
import { expect } from '../context/expectations.ts';
import { mePath } from '../context/paths.ts';
import type { ApiRequest } from '../context/send.ts';

/**
 * Makes a check that expects 401 for requests without a token. `requests` groups these requests by the requirement that
 * fails otherwise. The check also expects that the client can read the paths in `readable` with its token.
 */
export function makeAccessCheck(
  check: Pick<Check, 'id' | 'covers' | 'rule' | 'cost'>,
  guarded: (run: Run) => Promise<{
    readonly client: ApiClient;
    readonly requests: Readonly<Record<string, readonly ApiRequest[]>>;
    readonly readable: readonly string[];
  }>,
): Check {
  return {
    ...check,
    async judge(run) {
      const { client, requests, readable } = await guarded(run);
      for (const path of readable) expect.works(await client.get(path));
      for (const [requirement, ofRequirement] of Object.entries(requests)) {
        const answers = await Array.fromAsync(ofRequirement, (request) => run.anonymous.send(request));
        await run.requirement(requirement, () => answers.forEach(expect.unauthorized));
      }
    },
  };
}

/** Checks as a precondition that the server refuses the token. */
export async function makeInvalidTokenClient(run: Run, token: string): Promise<ApiClient> {
  const client = run.clientWith(token);
  await run.precondition('AP-AUTH-002', async () => expect.unauthorized(await client.get(mePath)), { isPart: true });
  return client;
}
