import { setTimeout as wait } from 'node:timers/promises';
import { patchProfile, readOwnProfile, registerAgents, sendSealedMessage, uploadSlowly } from './agents.ts';
import type { TrustedAddress } from './balancer.ts';
import { maintainEventConnection } from './event-connection.ts';
import { type KeepAliveClient, makeKeepAliveClient } from './keep-alive-client.ts';

/** What clients observed during a load. */
interface LoadReport {
  readonly succeeded: Readonly<Record<string, number>>;
  /** Failed requests, and event connections that ended without the close code of a shutdown. */
  readonly failures: readonly string[];
  /** The number of messages that were sent successfully; `lost` is the number of those without an event. */
  readonly messages: number;
  readonly lost: number;
  /** Event connections that were opened. */
  readonly connections: number;
}

/** The time limit for the arrival of the last events. */
const eventsWithinMs = 20_000;

const pauseMs = 10;

/** How a connection ends when its server shuts down. */
const endedByShutdown = 'closed with 1013';

/**
 * Starts clients that read, write, upload and receive events, each with a single connection and without retries. `stop`
 * returns their results.
 */
export async function startLoad(address: TrustedAddress) {
  const { alice, bob, uploaders } = await registerAgents(address);
  const failures: string[] = [];
  const succeeded: Record<string, number> = {};
  const sent = new Set<string>();
  const received = new Set<string>();
  const startedMs = performance.now();
  let isStopping = false;
  const fail = (text: string) => failures.push(`after ${Math.round(performance.now() - startedMs)} ms: ${text}`);

  async function repeat(kind: string, work: (client: KeepAliveClient) => Promise<unknown>): Promise<void> {
    const client = makeKeepAliveClient(address);
    while (!isStopping) {
      await work(client).then(
        () => {
          succeeded[kind] = (succeeded[kind] ?? 0) + 1;
        },
        (error: unknown) => fail(`${kind}: ${String(error)}`),
      );
      await wait(pauseMs);
    }
    client.close();
  }

  const listeners = [1, 2].map(() => listenForMessages(address, bob.token, received, fail));
  const send = async (client: KeepAliveClient) => sent.add(await sendSealedMessage(client, alice, bob));
  const working = Promise.all([
    repeat('reads', (client) => readOwnProfile(client, alice)),
    repeat('reads', (client) => readOwnProfile(client, bob)),
    repeat('writes', (client) => patchProfile(client, alice)),
    repeat('messages', send),
    repeat('messages', send),
    ...uploaders.map((agent) => repeat('uploads', (client) => uploadSlowly(client, agent))),
  ]);
  const countLost = () => [...sent].filter((id) => !received.has(id)).length;

  return {
    count: (kind: 'reads' | 'writes' | 'messages' | 'uploads') => succeeded[kind] ?? 0,
    stop: async (): Promise<LoadReport> => {
      isStopping = true;
      await working;
      for (let waitedMs = 0; countLost() > 0 && waitedMs < eventsWithinMs; waitedMs += pauseMs) await wait(pauseMs);
      const lost = countLost();
      for (const listener of listeners) listener.close();
      const connections = listeners.reduce((sum, { opened }) => sum + opened(), 0);
      return { succeeded, failures, messages: sent.size, lost, connections };
    },
  };
}

/** Acknowledges an agent's events and adds the ids of the messages in them to `received`. */
function listenForMessages(
  address: TrustedAddress,
  token: string,
  received: Set<string>,
  fail: (text: string) => void,
) {
  return maintainEventConnection(address, token, {
    take: (frame) => {
      if (frame['kind'] === 'message.created') received.add(String(frame['payload']?.['id']));
      return true;
    },
    ended: (how) => {
      if (how !== endedByShutdown) fail(`event connection: ${how}`);
    },
  });
}
