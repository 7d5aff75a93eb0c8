import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, freshAgent, primaryAgent, type Run } from '../../context/check.ts';
import { type Connection, eventsOf } from '../../context/events/connection.ts';
import { expect, Violation } from '../../context/expectations.ts';
import { streamPath } from '../../context/paths.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { bothDirections } from '../contacts/contacting.ts';
import { makeSimilarTokens } from '../identity/access.ts';
import { rotateToken, tokenRevocation } from '../identity/tokens.ts';
import * as events from './listening.ts';

/** Close codes for client errors: the client must correct its use of the protocol or its access. */
export const clientFaultCodes = [4400, 4401, 4403];
// The close code that the specification states for a limit.
const limitCode = 4429;

export const eventAccessChecks: readonly Check[] = [
  defineCheck(friendPair, {
    id: 'events.bearer',
    covers: ['AP-EVENT-001', 'AP-EVENT-002', 'AP-AUTH-006', 'AP-VERSION-008'],
    rule: 'The stream is a WebSocket at /ws/v1/events/ that takes the token from the header.',
    cost: { contactRequests: 1, writes: 5, messages: 3, sockets: 2 },
    async judge(friends, run) {
      const expectEvents = async ([from, to]: readonly [Agent, Agent], isTokenAlone = false) => {
        const connection = await events.listen(run, to);
        const receive = () => events.sendAndReceive(run, connection, from, to);
        // A single message may be lost by accident; if a second one arrives, the token is not at fault.
        const again = () => asOwn('AP-EVENT-012', receive);
        const { id } = await (isTokenAlone ? receive().catch(again) : receive());
        await events.acknowledge(run, connection, id);
      };
      const [there, back] = bothDirections(friends) as readonly [readonly [Agent, Agent], readonly [Agent, Agent]];
      const isThere = await run.requirement(['AP-EVENT-001', 'AP-VERSION-008'], async () => {
        await asOwn('AP-EVENT-001', () => events.drainedFriends(run));
        await expectEvents(there);
        return true;
      });
      await run.requirement(['AP-EVENT-002', 'AP-AUTH-006'], () => expectEvents(back, isThere));
    },
  }),
  defineCheck(primaryAgent, {
    id: 'events.pings',
    covers: ['AP-EVENT-003'],
    rule: 'A ping is answered with a pong.',
    cost: { sockets: 1 },
    async judge(agent, run) {
      const connection = await events.listen(run, agent);
      connection.ping();
      const pong = await connection.until(() => connection.pongs || undefined, run.stream.eventTimeoutMs);
      const how = events.describeEnding(connection);
      expect(pong !== undefined, `no pong arrived, and the connection ${how}`, connection.exchange);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'events.slash',
    covers: ['AP-TRANSPORT-006'],
    rule: 'The path of the stream requires its trailing slash.',
    cost: { sockets: 2 },
    async judge(agent, run) {
      await events.listen(run, agent);
      const connection = await run.stream.connect(agent.token, streamPath.replace(/\/$/, ''));
      // Any answer other than a stream is correct.
      if (connection.exchange.status !== 101) return;
      await expectEnding(run, connection, 'a connection without the slash', clientFaultCodes);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'events.tokens',
    covers: ['AP-EVENT-004', 'AP-EVENT-005'],
    rule: 'Without a token or with an invalid token no event is delivered.',
    cost: { sockets: 6 },
    async judge(agent, run) {
      await events.listen(run, agent);
      await run.requirement('AP-EVENT-004', async () => expectNoAccess(run, await run.stream.connect()));
      const invalid = [run.random.uuid(), ...makeSimilarTokens(agent.token)];
      await run.requirement('AP-EVENT-005', () =>
        Promise.all(invalid.map(async (token) => expectNoAccess(run, await run.stream.connect(token)))),
      );
    },
  }),
  defineCheck(freshAgent, {
    id: 'events.url',
    covers: ['AP-EVENT-006'],
    rule: 'A token in the URL opens no stream.',
    cost: { sockets: 4 },
    async judge(agent, run) {
      await events.listen(run, agent);
      for (const name of ['token', 'access_token', 'authorization']) {
        const path = `${streamPath}?${name}=${encodeURIComponent(agent.token)}`;
        // The handshake may refuse the query or the missing token.
        await expectNoAccess(run, await run.stream.connect(undefined, path), [400, 401, 403, 404]);
      }
    },
  }),
  defineCheck(primaryAgent, {
    id: 'events.third',
    covers: ['AP-EVENT-007', 'AP-EVENT-008'],
    rule: 'An agent has at most two connections; a third is refused with the limit code, and a closed or lost connection frees its slot.',
    cost: { sockets: 3 },
    async judge(agent, run) {
      const first = await events.listen(run, agent);
      const second = await events.listen(run, agent).catch((error: unknown) => {
        const how = events.wasRefusedForLimit(first) ? 'takes the slot of the first' : 'is refused';
        throw toViolation(error, `a second connection of one agent ${how}`, first);
      });
      const both = await Promise.all([events.isAlive(run, first), events.isAlive(run, second)]);
      expect(both.every(Boolean), 'two connections of one agent do not both stay open', second.exchange);
      const third = await run.stream.connect(agent.token);
      const all = [first, second, third];
      const ended = () => all.find((one) => one.exchange.status !== 101 || one.ending !== undefined);
      const limited = await Promise.race(all.map((one) => one.until(ended, run.stream.eventTimeoutMs)));
      expect(limited !== undefined, 'an agent has three open connections', third.exchange);
      await run.requirement('AP-EVENT-008', () => {
        const hasLimitCode = limited.exchange.status === 429 || limited.ending?.code === limitCode;
        const how = `${events.describeEnding(limited)} instead of ${limitCode}`;
        expect(hasLimitCode, `the surplus connection ${how}`, limited.exchange);
      });
      await run.requirement('AP-EVENT-007', async () => {
        const others = all.filter((one) => one !== limited);
        const alive = await Promise.all(others.map((one) => events.isAlive(run, one)));
        const lost = others[alive.indexOf(false)];
        const how = lost === undefined ? '' : events.describeEnding(lost);
        expect(lost === undefined, `the other two do not stay open: one of them ${how}`, lost?.exchange);
        const expectReleased = (how: string) =>
          events.listen(run, agent).catch((error: unknown) => {
            throw toViolation(error, `the slot of a ${how} connection is not released`, first);
          });
        await others[0]?.close();
        await expectReleased('closed');
        others[1]?.drop();
        await expectReleased('lost');
      });
    },
  }),
  defineCheck(primaryAgent, {
    id: 'events.rotated',
    covers: ['AP-EVENT-009', 'AP-EVENT-010'],
    rule: "A rotation closes the old token's connections; only the new token can open new ones.",
    cost: { sockets: 4, writes: 4, messages: 1, contactRequests: 1 },
    async judge(before, run) {
      const connection = await events.listen(run, before);
      await rotateToken(run);
      await run.requirement('AP-EVENT-009', () => expectEnding(run, connection, 'the connection of a rotated token'));
      await run.requirement('AP-EVENT-010', async () => expectNoAccess(run, await run.stream.connect(before.token)));
      const { alice, bob } = await friendPair(run);
      const [agent, friend] = alice.id === before.id ? [alice, bob] : [bob, alice];
      await run.requirement('AP-EVENT-009', async () => {
        const rebuilt = await events.listen(run, agent);
        await events.drain(run, agent);
        await events.acknowledge(run, rebuilt, (await events.sendAndReceive(run, rebuilt, friend, agent)).id);
      });
    },
  }),
];

/** This check runs last, because it makes the new agent unusable. */
export const streamRevocationCheck: Check = defineCheck(tokenRevocation, {
  id: 'events.revoked',
  covers: ['AP-EVENT-011'],
  rule: 'A revocation closes the connections of its token, which cannot open new ones.',
  cost: { sockets: 1 },
  async judge({ agent, connection }, run) {
    if ('error' in connection) throw connection.error;
    expect(connection.end !== undefined, 'the connection of a revoked token stays open', connection.exchange);
    await expectNoAccess(run, await run.stream.connect(agent.token));
  },
});

export async function expectNoAccess(
  run: Run,
  connection: Connection,
  statuses: readonly number[] = [401],
): Promise<void> {
  const { status } = connection.exchange;
  if (status !== 101) {
    expect(statuses.includes(status), `the handshake was answered with ${status}`, connection.exchange);
    return;
  }
  await expectEnding(run, connection, 'a connection without a valid token', clientFaultCodes);
  expect(eventsOf(connection.frames).length === 0, 'it received events nevertheless', connection.exchange);
}

async function expectEnding(run: Run, connection: Connection, what: string, codes?: readonly number[]): Promise<void> {
  const ending = await connection.until(() => connection.ending, run.stream.eventTimeoutMs);
  expect(ending !== undefined, `${what} stays open`, connection.exchange);
  if (codes === undefined || codes.includes(ending.code)) return;
  // The symptom leaves out the expected codes, so that the same wrong code is reported as one fault in all checks.
  const symptom = `${what} ${events.describeEnding(connection)}`;
  throw new Violation(`${symptom} instead of ${codes.join(' or ')}`, connection.exchange, { symptom });
}

function toViolation(error: unknown, message: string, { exchange }: Connection): unknown {
  return error instanceof events.NoFreeConnection || error instanceof Violation
    ? new Violation(message, exchange)
    : error;
}

/** Attributes a violation of `requirement` to the check's own requirements. */
async function asOwn<T>(requirement: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Violation) || error.requirement !== requirement) throw error;
    throw new Violation(error.message, error.exchange);
  }
}
