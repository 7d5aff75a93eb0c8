import type { ApiClient } from '../context/agent.ts';
import type { Check } from '../context/check.ts';
import { expect } from '../context/expectations.ts';
import type { Run } from '../context/run.ts';
import type { ApiRequest } from '../context/send.ts';

/** The requests that need a token, and the paths that the same client can read with it. */
interface Guarded {
  readonly client: ApiClient;
  readonly requests: readonly ApiRequest[];
  readonly readable: readonly string[];
}

/** Expects 401 for requests without a token. */
export function accessCheck(
  check: Pick<Check, 'id' | 'covers' | 'rule' | 'cost'>,
  guarded: (run: Run) => Promise<Guarded>,
): Check {
  return {
    ...check,
    async judge(run) {
      const { client, requests, readable } = await guarded(run);
      for (const request of requests) expect.unauthorized(await run.anonymous.send(request));
      for (const path of readable) expect.status(await client.get(path), 200);
    },
  };
}
