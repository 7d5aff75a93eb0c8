import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import type { Connection } from '../../context/events/connection.ts';
import { eventsOf } from '../../context/events/frames.ts';
import { expect, Skipped, Violation } from '../../context/expectations.ts';
import { streamPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { friendPair } from '../../fixtures/contacts/leases.ts';
import { sendRandomMessage } from '../../fixtures/events/causes.ts';
import {
  acknowledge,
  describeEnding,
  eventsSoFar,
  expectNewEvent,
  isAlive,
  isFull,
  listen,
  settle,
} from '../../fixtures/events/listening.ts';
import { revokesNewcomer, rotates } from '../identity/tokens.ts';

// Stated together: fix the protocol or the access.
const refusalCodes = [4400, 4401, 4403];
// Stated: a limit was hit.
const limitCode = 4429;

/** Who may connect to the event stream, and how. */
export const eventAccessChecks: readonly Check[] = [
  {
    id: 'events.bearer',
    covers: ['AP-EVENT-001', 'AP-EVENT-002', 'AP-AUTH-006', 'AP-VERSION-008'],
    rule: 'The stream is a WebSocket at /ws/v1/events/ that takes the token from the header.',
    needs: ['stream'],
    cost: { contactRequests: 1, writes: 4, messages: 2, sockets: 2 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await settle(run, [one, other]);
      const connections = [await listen(run, one), await listen(run, other)] as const;
      // That it lives is seen when something comes.
      for (const [at, from, to] of [
        [0, other, one],
        [1, one, other],
      ] as const) {
        const before = eventsSoFar(run);
        await sendRandomMessage(run, from, to);
        const { id } = await expectNewEvent(run, connections[at], before, 'message.created');
        await acknowledge(run, connections[at], id);
      }
    },
  },
  {
    id: 'events.pings',
    covers: ['AP-EVENT-003'],
    rule: 'A ping is answered with a pong.',
    needs: ['stream'],
    cost: { sockets: 1 },
    async judge(run) {
      const connection = await listen(run, await run.primaryAgent());
      connection.ping();
      const pong = await connection.until(() => connection.pongs || undefined, run.stream.patienceMs);
      expect(pong !== undefined, `no pong, and the connection ${describeEnding(connection)}`, connection.exchange);
    },
  },
  {
    id: 'events.slash',
    covers: ['AP-TRANSPORT-006'],
    rule: 'The path of the stream requires its trailing slash.',
    needs: ['stream'],
    cost: { sockets: 2 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      await listen(run, await run.primaryAgent());
      const connection = await run.stream.connect({ token, path: streamPath.replace(/\/$/, '') });
      // What else it is then is left open; a stream it is not.
      if (connection.exchange.status !== 101) return;
      await demandEnded(run, connection, 'a connection without the slash', refusalCodes);
    },
  },
  {
    id: 'events.tokens',
    covers: ['AP-EVENT-004', 'AP-EVENT-005'],
    rule: 'Without a token or with an invalid token no event is delivered.',
    needs: ['stream'],
    cost: { sockets: 6 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      await listen(run, await run.primaryAgent());
      const last = token.at(-1) === 'A' ? 'B' : 'A';
      const wrong = [undefined, `${token.slice(0, -4)}${last.repeat(4)}`, `${token}A`, randomUUID()];
      await Promise.all(wrong.map(async (one) => demandRefused(run, await run.stream.connect({ token: one }))));
    },
  },
  {
    id: 'events.url',
    covers: ['AP-EVENT-006'],
    rule: 'A token in the URL opens no stream.',
    needs: ['stream'],
    cost: { sockets: 4 },
    async judge(run) {
      const agent = await run.freshAgent();
      await listen(run, agent);
      const names = ['token', 'access_token', 'authorization'];
      const paths = names.map((name) => `${streamPath}?${name}=${encodeURIComponent(agent.token)}`);
      // It is refused by the handshake in whatever way, or as whoever sends no token at all.
      for (const path of paths) await demandRefused(run, await run.stream.connect({ path }), [400, 401, 403, 404]);
    },
  },
  {
    id: 'events.third',
    covers: ['AP-EVENT-007', 'AP-EVENT-008'],
    rule: 'An agent has at most two connections; a third is refused with the limit code, and a closed connection frees its slot.',
    needs: ['stream'],
    cost: { sockets: 3 },
    async judge(run) {
      const agent = await run.primaryAgent();
      const first = await listen(run, agent);
      const second = await listen(run, agent).catch((error: unknown) => refuseSecond(error, first));
      const both = await Promise.all([isAlive(run, first), isAlive(run, second)]);
      expect(both.every(Boolean), 'two connections of one agent are not open together', second.exchange);
      const third = await run.stream.connect({ token: agent.token });
      const all = [first, second, third];
      const ended = () => all.find((one) => one.exchange.status !== 101 || one.ending !== undefined);
      const limited = await Promise.race(all.map((one) => one.until(ended, run.stream.patienceMs)));
      expect(limited !== undefined, 'three connections of one agent are open', third.exchange);
      const isTold = limited.exchange.status === 429 || limited.ending?.code === limitCode;
      expect(
        isTold,
        `the connection over the limit ${describeEnding(limited)} instead of ${limitCode}`,
        limited.exchange,
      );
      const others = all.filter((one) => one !== limited);
      const alive = await Promise.all(others.map((one) => isAlive(run, one)));
      const lost = others[alive.indexOf(false)];
      if (lost !== undefined)
        throw new Violation(`the other two do not stay open: one of them ${describeEnding(lost)}`, lost.exchange);
      await others[0]?.close();
      await listen(run, agent).catch((error: unknown) => {
        throw error instanceof Skipped
          ? new Violation('the slot of a closed connection is not released', first.exchange)
          : error;
      });
    },
  },
  {
    id: 'events.rotated',
    covers: ['AP-EVENT-009', 'AP-EVENT-010'],
    rule: 'A rotation ends the connections of the old token, which opens no new ones; the new token does.',
    needs: ['stream'],
    cost: { sockets: 3, writes: 1 },
    async judge(run) {
      const before = await run.primaryAgent();
      const connection = await listen(run, before);
      await rotates(run, {});
      await demandEnded(run, connection, 'the connection of a token that was rotated');
      await demandRefused(run, await run.stream.connect({ token: before.token }));
      await listen(run, await run.primaryAgent());
    },
  },
];

/** How a revocation ends connections; it comes last, because it uses up the newcomer. */
export const eventRevocationChecks: readonly Check[] = [
  {
    id: 'events.revoked',
    covers: ['AP-EVENT-011'],
    rule: 'A revocation ends the connections of its token, which opens no new ones.',
    needs: ['stream'],
    cost: { sockets: 2, writes: 3 },
    async judge(run) {
      const { agent, connection } = await revokesNewcomer(run);
      expect(connection !== undefined, 'a good token could not connect before it was revoked');
      const { end, exchange } = connection;
      expect(end !== undefined, 'the connection of a token that was revoked stays open', exchange);
      await demandRefused(run, await run.stream.connect({ token: agent.token }));
    },
  },
];

/** Demands that somebody without access is turned away, at the handshake or by a code that means so. */
async function demandRefused(run: Run, connection: Connection, statuses: readonly number[] = [401]): Promise<void> {
  const { status } = connection.exchange;
  if (status !== 101) {
    expect(statuses.includes(status), `the handshake was answered ${status}`, connection.exchange);
    return;
  }
  await demandEnded(run, connection, 'a connection without a good token', refusalCodes);
  expect(eventsOf(connection.frames).length === 0, 'it received events nevertheless', connection.exchange);
}

/** Demands that the server ends a connection, with one of these codes where any are stated. */
async function demandEnded(run: Run, connection: Connection, what: string, codes?: readonly number[]): Promise<void> {
  const ending = await connection.until(() => connection.ending, run.stream.patienceMs);
  expect(ending !== undefined, `${what} stays open`, connection.exchange);
  const isStated = codes === undefined || codes.includes(ending.code);
  expect(isStated, `${what} ${describeEnding(connection)} instead of ${codes?.join(' or ')}`, connection.exchange);
}

function refuseSecond(error: unknown, first: Connection): never {
  if (!(error instanceof Skipped)) throw error;
  const isPushedOut = isFull(first);
  throw new Violation(
    `a second connection of one agent is ${isPushedOut ? 'paid for with the first' : 'refused'}`,
    first.exchange,
  );
}
