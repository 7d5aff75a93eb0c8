import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from '../../order-model/random.ts';
import type { LoadAgent } from '../../rolling-restart/agents.ts';
import type { TrustedAddress } from '../../rolling-restart/balancer.ts';
import { maintainEventConnection } from '../../rolling-restart/event-connection.ts';
import type { Observations } from '../observations.ts';
import type { FriendPair } from './community.ts';
import { makeEventRecord, ReceivedEvents } from './event-record.ts';

export type EventSockets = Awaited<ReturnType<typeof openEventSockets>>;

const connectionsPerAgent = 2;
const renewEveryMs = 500;
const longestPauseMs = 30_000;
/** Connections are opened and closed in small groups, because this is not a load test. */
const agentsAtOnce = 20;
const openPollMs = 10;
const renewPauseMs = 2;

/** Some connections are renewed from time to time, and some events are acknowledged late. */
export async function openEventSockets(
  address: TrustedAddress,
  pairs: readonly FriendPair[],
  random: SeededRandom,
  observations: Observations,
  heldMs: number,
) {
  const { take, acked, holdNone, ...record } = makeEventRecord(random, observations, heldMs);

  function connect(agent: LoadAgent) {
    const seen = new ReceivedEvents();
    return maintainEventConnection(address, agent.token, {
      take: (frame, openedMs) => take(agent, seen, frame, openedMs),
      acked,
      ended: (how, sinceMs) => {
        // A client that renews its connection closes it, which is reported as 1005.
        if (how !== 'closed with 1005') observations.note('event connections', sinceMs, how);
      },
      pauseMs: (failures) => Math.min(longestPauseMs, 100 * 2 ** failures) * (0.5 + random.next()),
    });
  }

  const sockets: ReturnType<typeof connect>[] = [];
  const countOpen = () => sockets.filter(({ isOpen }) => isOpen()).length;
  const agents = pairs.flatMap(({ customer, contractor }) => [customer, contractor]);
  for (let at = 0; at < agents.length; at += agentsAtOnce) {
    for (const agent of agents.slice(at, at + agentsAtOnce))
      for (let number = 0; number < connectionsPerAgent; number += 1) sockets.push(connect(agent));
    while (countOpen() < sockets.length) await wait(openPollMs);
  }
  const renewing = setInterval(() => random.pick(sockets).renew(), renewEveryMs);

  return {
    ...record,
    count: sockets.length,
    open: countOpen,
    connections: () => sockets.reduce((sum, { opened }) => sum + opened(), 0),
    /** Acknowledges every event from then on; earlier events without an ack are sent again on new connections. */
    acknowledgeAll: async () => {
      holdNone();
      clearInterval(renewing);
      for (const socket of sockets) {
        socket.renew();
        await wait(renewPauseMs);
      }
    },
    close: () => {
      clearInterval(renewing);
      for (const socket of sockets) socket.close();
    },
  };
}
