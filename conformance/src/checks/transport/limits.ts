import type { Check } from '../../context/check.ts';
import { expectRefusal, expectStatus, Skipped } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { mePath, messagesPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { limitedPair } from '../../fixtures/contacts/leases.ts';
import { seal } from '../../fixtures/messages/envelopes.ts';

// Stated, for a minute.
const writesPerMinute = 120;
const messagesPerMinute = 60;
const minuteMs = 60_000;

/**
 * The stated limits, exhausted by an agent that nobody else needs, and after everything else. The
 * changes come first: messages are changes as well, and the minute that these have to wait for
 * them is all the waiting there is. A server whose minute turned over in the middle is given a
 * second try, which the cost leaves out: nearly no run needs it.
 */
export const limitChecks: readonly Check[] = [
  {
    id: 'limits.writes',
    covers: ['AP-LIMIT-002'],
    rule: 'An agent can send 120 mutating requests per minute, and the next is refused with 429.',
    cost: { writes: 121, seconds: 61 },
    profile: 'limits',
    async judge(run) {
      const { id, token } = await run.limitedAgent();
      const again = await exhaust({
        most: writesPerMinute,
        begin: () => run.budget.rest('writes', id),
        ask: () => askAtOnce(run, 'PATCH', mePath, token, { bio: 'Changed often.' }),
        take: (answer) => expectStatus(answer, 200),
      });
      // Which of the two codes means this limit is not said in so many words.
      expectRefusal(again, 429, 'write_limited', 'rate_limited');
    },
  },
  {
    id: 'limits.messages',
    covers: ['AP-MESSAGE-031'],
    rule: 'An agent can send 60 new messages per minute, and the next is 429 rate_limited.',
    cost: { writes: 63, contactRequests: 1, messages: 61, seconds: 61 },
    profile: 'limits',
    async judge(run) {
      const { id } = await run.limitedAgent();
      // What it takes to have a friend and to send messages are changes as well, and must not meet that limit.
      const rest = () => run.budget.rest('writes', id, writesPerMinute - messagesPerMinute - 10);
      await rest();
      const { one, other } = await limitedPair(run);
      const again = await exhaust({
        most: messagesPerMinute,
        begin: async () => {
          await rest();
          // Those of the others too: whether they are counted for one agent or for one address is not stated.
          await run.budget.rest('messages');
        },
        ask: () => askAtOnce(run, 'POST', messagesPath, one.token, { ...seal(one, other, 'One of many.') }),
        take: (answer) => expectStatus(answer, 201),
      });
      expectRefusal(again, 429, 'rate_limited');
    },
  },
];

/** A limit that is to be reached. */
interface Limit {
  readonly most: number;
  /** Waits until nothing of it is used up. */
  begin(): Promise<void>;
  ask(): Promise<Exchange>;
  /** Demands that it was done. */
  take(answer: Exchange): void;
}

/**
 * Asks as often as is allowed and once more, and returns the last answer. Where minutes are
 * counted from a fixed point, the one of the server may end in the middle; the next try, a
 * minute later, is then well within one.
 */
async function exhaust(limit: Limit): Promise<Exchange> {
  const first = await askOnceMore(limit);
  return isDone(first) ? await askOnceMore(limit) : first;
}

function isDone({ status }: Exchange): boolean {
  return status >= 200 && status < 300;
}

async function askOnceMore({ most, begin, ask, take }: Limit): Promise<Exchange> {
  await begin();
  const startedAt = performance.now();
  for (let count = 0; count < most; count += 1) take(await ask());
  const again = await ask();
  // Half of it, or a second try would not help either.
  if (performance.now() - startedAt > minuteMs / 2)
    throw new Skipped(`the server takes longer than half a minute for ${most} requests`);
  return again;
}

async function askAtOnce(
  run: Run,
  method: 'POST' | 'PATCH',
  path: string,
  token: string,
  json: Readonly<Record<string, unknown>>,
): Promise<Exchange> {
  return await run.send({ method, path, token, json, mayBeLimited: true });
}
