import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { expect, NotJudgedError, SkippedError, Violation } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { mePath, messagesPath, requestsPath, rotatePath } from '../../context/paths.ts';
import { limitedPair } from '../contacts/agent-pairs.ts';
import { findToken } from '../identity/tokens.ts';
import { sealText } from '../messages/sealing.ts';

// The specified rate limits.
const writesPerMinute = 120;
const messagesPerMinute = 60;
const contactRequestsPerMinute = 10;
const registrationsPerHour = 10;
// Enough attempts for two hours, because the server may start a new hour during the check.
const attemptsMax = 2 * (registrationsPerHour + 1);
const minuteMs = 60_000;
// One agent that may already have many contacts, a sender, and recipients for two attempts.
const contactAgents = 2 + 2 * (contactRequestsPerMinute + 1);

const ofLimitedAgent = { profile: 'limits', registration: 'limited' } as const;

/**
 * Exhausts the specified limits at the end of the run, with an agent that no other check needs. Writes are tested
 * first: messages count as writes, so one minute of waiting is enough for both. If the server starts a new minute
 * during a check, the check is repeated once; its cost does not include the repeat.
 */
export const limitChecks: readonly Check[] = [
  defineCheck((run) => run.limitedAgent(), {
    id: 'limits.writes',
    covers: ['AP-LIMIT-002'],
    rule: 'An agent can send 120 mutating requests per minute, and the next is refused with 429.',
    cost: { writes: 121, seconds: 61 },
    ...ofLimitedAgent,
    async judge(agent, run) {
      const last = await exhaust(run, {
        max: writesPerMinute,
        waitUntilUnused: () => run.budget.rest('writes', agent.id),
        send: () => changeUnpaced(agent),
        status: 200,
      });
      // For this limit, both codes are correct: the specification does not state which one is returned.
      expect.refusal(last, 429, 'write_limited', 'rate_limited');
    },
  }),
  defineCheck((run) => run.limitedAgent(), {
    id: 'limits.tokens',
    covers: ['AP-LIMIT-003'],
    rule: 'A rotation does not reset the limit: changes with the old and the new token count together.',
    cost: { writes: 121, seconds: 61 },
    ...ofLimitedAgent,
    async judge({ id }, run) {
      let sent = 0;
      const change = async () => changeUnpaced(await run.limitedAgent());
      const last = await run.precondition('AP-LIMIT-002', () =>
        exhaust(run, {
          max: writesPerMinute,
          waitUntilUnused: async () => {
            sent = 0;
            await run.budget.rest('writes', id);
          },
          send: () => {
            sent += 1;
            return sent === writesPerMinute / 2 ? rotateUnpaced(run) : change();
          },
          status: 200,
        }),
      );
      if (last.status === 429) return;
      let later = last;
      for (let count = 0; count < writesPerMinute && later.status < 300; count += 1) later = await change();
      if (later.status === 429) throw new Violation('the new token has a separate limit', later);
      throw new Violation('200 instead of 429: the number of writes is not limited', later, {
        requirement: 'AP-LIMIT-002',
      });
    },
  }),
  defineCheck((run) => run.limitedAgent(), {
    id: 'limits.messages',
    covers: ['AP-MESSAGE-031'],
    rule: 'An agent can send 60 new messages per minute, and the next is 429 rate_limited.',
    cost: { writes: 63, contactRequests: 1, messages: 61, seconds: 61 },
    ...ofLimitedAgent,
    async judge({ id }, run) {
      // Waits until the write limit leaves room for contact requests and messages, which also count as writes.
      const rest = () => run.budget.rest('writes', id, writesPerMinute - messagesPerMinute - 10);
      await rest();
      const { alice, bob } = await limitedPair(run);
      const last = await exhaust(run, {
        max: messagesPerMinute,
        waitUntilUnused: async () => {
          await rest();
          // Also waits for the other agents, because the server may count messages per address.
          await run.budget.rest('messages');
        },
        send: () => sendUnpaced(alice, 'POST', messagesPath, sealText(run, alice, bob, 'One of many.')),
        status: 201,
      });
      expect.refusal(last, 429, 'rate_limited');
    },
  }),
  {
    id: 'limits.contact-requests',
    covers: ['AP-CONTACT-033'],
    rule: 'An agent can send 10 new contact requests per minute, and the next is 429 rate_limited.',
    cost: { writes: 11, contactRequests: 11, seconds: 61 },
    extraAgents: contactAgents,
    profile: 'limits',
    async judge(run) {
      const members = await run.extraAgents.register(contactAgents);
      // Excludes the first member, which may already be a contact of all other members.
      const recipients = members.slice(1, -1).values();
      const sender = members.at(-1) as Agent;
      const last = await exhaust(run, {
        max: contactRequestsPerMinute,
        waitUntilUnused: () => run.budget.rest('contactRequests'),
        send: () => sendUnpaced(sender, 'POST', requestsPath, { recipient_id: recipients.next().value?.id }),
        status: 201,
      });
      expect.refusal(last, 429, 'rate_limited');
    },
  },
  {
    id: 'limits.registrations',
    covers: ['AP-REG-020'],
    rule: 'An address can attempt ten registrations an hour, and the next attempt is 429 registration_limited.',
    profile: 'limits',
    attempts: { limited: attemptsMax, unlimited: 0 },
    async judge(run) {
      if (!run.budget.hasRegistrationLimit)
        throw new NotJudgedError('the options say that the server limits no registrations');
      const { handle } = await run.primaryAgent();
      let answer: Exchange | undefined;
      for (let count = 0; count < attemptsMax; count += 1) {
        answer = await run.extraAgents.attemptTaken(handle);
        if (answer.status === 429) return expect.refusal(answer, 429, 'registration_limited');
      }
      throw new Violation('the number of registration attempts within an hour is not limited', answer);
    },
  },
];

interface Limit {
  readonly max: number;
  waitUntilUnused(): Promise<void>;
  send(): Promise<Exchange>;
  readonly status: number;
}

/**
 * Sends one request more than a limit allows and returns the last answer. Repeats this once if the last request is
 * accepted, because a fixed minute may have ended in between.
 */
async function exhaust(run: Run, limit: Limit): Promise<Exchange> {
  const first = await sendOneTooMany(run, limit);
  return first.status < 300 ? await sendOneTooMany(run, limit) : first;
}

async function sendOneTooMany(run: Run, { max, waitUntilUnused, send, status }: Limit): Promise<Exchange> {
  await waitUntilUnused();
  const startedAt = run.clock.now();
  for (let count = 0; count < max; count += 1) expect.status(await send(), status);
  const last = await send();
  // If attempts take more than half a minute, the server may start a new minute during both of them.
  if (run.clock.now() - startedAt > minuteMs / 2)
    throw new SkippedError(`the server takes longer than half a minute for ${max} requests`);
  return last;
}

/** A rotation counts as a write. */
async function rotateUnpaced(run: Run): Promise<Exchange> {
  const agent = await run.limitedAgent();
  const answer = expect.works(await agent.send({ method: 'POST', path: rotatePath, mayBeLimited: true }));
  run.redaction.hideTokensOf(answer);
  const token = await findToken(run, answer, agent.token);
  if (token === undefined) throw new SkippedError('the rotation returned no valid token');
  run.keepToken(token, 'limited');
  return answer;
}

function changeUnpaced(agent: Agent): Promise<Exchange> {
  return sendUnpaced(agent, 'PATCH', mePath, { bio: 'Changed often.' });
}

function sendUnpaced(agent: Agent, method: 'POST' | 'PATCH', path: string, json: object): Promise<Exchange> {
  return agent.send({ method, path, json, mayBeLimited: true });
}
