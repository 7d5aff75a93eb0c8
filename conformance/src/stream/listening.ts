import { setTimeout as sleep } from 'node:timers/promises';
import { Deviation, demand, Unmet } from '../judge.ts';
import type { PoolAgent } from '../pool.ts';
import type { Run } from '../run.ts';
import type { Connection } from './connection.ts';
import { ackedOf, eventsOf, type StreamEvent } from './frames.ts';

/** In this time what must not come would have come; one for all that is watched at once. */
export const silenceMs = 200;
const quietMs = 200;
const quietFactor = 3;
const firstDelayMs = 50;

// Stated: 4429 means that a limit was hit, 1013 that the service is not there for the moment.
const fullCodes: readonly (number | undefined)[] = [4429, 1013];
const fullStatuses: readonly number[] = [429, 503];

/** Tells whether a connection answers a ping, or at least does not end. */
export async function isAlive({ stream }: Run, connection: Connection): Promise<boolean> {
  const before = connection.pongs;
  connection.ping();
  await connection.until(() => (connection.pongs > before || !connection.isOpen ? true : undefined), stream.lookMs);
  return connection.isOpen;
}

/** A refusal for want of a place, at the handshake or right after it. */
export function isFull({ exchange, ending }: Connection): boolean {
  return fullStatuses.includes(exchange.status) || fullCodes.includes(ending?.code);
}

/**
 * Opens a connection of an agent, and demands that it lives. A place that was
 * given back a moment ago may be taken still, so it asks again for a while.
 */
export async function listen(run: Run, { token }: PoolAgent): Promise<Connection> {
  const deadlineMs = performance.now() + run.stream.patienceMs;
  for (let delayMs = firstDelayMs; ; delayMs *= 2) {
    const connection = await run.stream.connect({ token });
    if (await isAlive(run, connection)) return connection;
    if (!isFull(connection))
      throw new Deviation(`a connection with a good token ${printEnd(connection)}`, connection.exchange);
    if (performance.now() + delayMs > deadlineMs) throw new Unmet('the server has no event connection left');
    await sleep(delayMs);
  }
}

/** How a connection ended, in words. */
export function printEnd({ exchange, ending }: Connection): string {
  if (exchange.status !== 101) return `was refused with ${exchange.status}`;
  return ending === undefined ? 'stays open' : `was closed with ${ending.code}`;
}

/** What had come before something was done; what is not among it is news. */
export function soFar(run: Run): ReadonlySet<string> {
  return new Set(run.stream.heard.map(({ id }) => id.toLowerCase()));
}

/** Waits for an event that is news. */
export async function findNews(
  connection: Connection,
  before: ReadonlySet<string>,
  kind: string,
  withinMs: number,
): Promise<StreamEvent | undefined> {
  const find = () =>
    eventsOf(connection.frames).find((event) => event.kind === kind && !before.has(event.id.toLowerCase()));
  return await connection.until(find, withinMs);
}

/** Demands an event that is news. */
export async function demandNews(
  run: Run,
  connection: Connection,
  before: ReadonlySet<string>,
  kind: string,
): Promise<StreamEvent> {
  const { patienceMs } = run.stream;
  const event = await findNews(connection, before, kind, patienceMs);
  demand(event !== undefined, `no ${kind} came within ${patienceMs / 1_000} s`, connection.exchange);
  return event;
}

/** Demands an event that came on another connection before. */
export async function demandAgain(run: Run, connection: Connection, { id, kind }: StreamEvent): Promise<void> {
  const { patienceMs } = run.stream;
  const event = await connection.until(() => (isThere(connection, id) ? true : undefined), patienceMs);
  demand(event !== undefined, `the ${kind} ${id}, which nobody acknowledged, did not come again`, connection.exchange);
}

/** Whether an event came on a connection. */
export function isThere({ frames }: Connection, id: string): boolean {
  return eventsOf(frames).some((event) => event.id.toLowerCase() === id.toLowerCase());
}

/** The frame that acknowledges an event. */
export function ackOf(id: string): string {
  return JSON.stringify({ type: 'ack', event_id: id });
}

/** Acknowledges an event; that must be answered. */
export async function acknowledge(run: Run, connection: Connection, id: string): Promise<void> {
  const count = () => ackedOf(connection.frames).filter((acked) => acked === id.toLowerCase()).length;
  const before = count();
  connection.send(ackOf(id));
  await connection.until(() => (count() > before || !connection.isOpen ? true : undefined), run.stream.patienceMs);
  demand(count() > before, `the ack of ${id} was not answered with acked`, connection.exchange);
}

/** Takes in what waits for these agents, once for each in a run, so that what comes later is news. */
export const settle = settleOnce();

/** The same once more, before the looks: other looks have left something behind by then. */
export const settleForLooks = settleOnce();

function settleOnce() {
  const settledAgents = new WeakMap<Run, Map<string, Promise<unknown>>>();
  return async (run: Run, agents: readonly PoolAgent[]): Promise<void> => {
    const settled = settledAgents.get(run) ?? new Map<string, Promise<unknown>>();
    settledAgents.set(run, settled);
    await Promise.all(
      agents.map(async (agent) => {
        const settling = settled.get(agent.id) ?? takeIn(run, agent);
        settled.set(agent.id, settling);
        await settling;
      }),
    );
  };
}

/** Acknowledges whatever comes, until nothing comes any more; returns the connection, which is closed again. */
export async function takeIn(run: Run, agent: PoolAgent): Promise<Connection> {
  const connection = await listen(run, agent);
  await acknowledgeAll(connection, run.stream.patienceMs);
  await connection.close();
  return connection;
}

/** Hears what comes by itself first, and then does the same. */
export async function takeInCalmly(run: Run, agent: PoolAgent): Promise<Connection> {
  const connection = await listen(run, agent);
  await calmDown(run, connection);
  await acknowledgeAll(connection, run.stream.patienceMs);
  await connection.close();
  return connection;
}

/** Waits until nothing more comes by itself. */
export async function calmDown(run: Run, connection: Connection): Promise<void> {
  const count = () => eventsOf(connection.frames).length;
  for (let before = -1; before < count() && connection.isOpen; ) {
    before = count();
    const startedMs = performance.now();
    // What was under way before the pong is there by then.
    await isAlive(run, connection);
    const isMore = () => (count() > before ? true : undefined);
    await connection.until(isMore, quietAfter(performance.now() - startedMs));
  }
}

async function acknowledgeAll(connection: Connection, patienceMs: number): Promise<void> {
  const sent = new Set<string>();
  const waiting = () => eventsOf(connection.frames).filter(({ id }) => !sent.has(id));
  const isDone = () => (new Set(ackedOf(connection.frames)).size >= sent.size ? true : undefined);
  for (let answeredWithinMs = 0; connection.isOpen; ) {
    await connection.until(() => waiting()[0], quietAfter(answeredWithinMs));
    if (waiting().length === 0) return;
    const startedMs = performance.now();
    for (const { id } of waiting()) {
      sent.add(id);
      connection.send(ackOf(id));
    }
    // What follows is sent when there is room for it, so when the acks are answered.
    if ((await connection.until(isDone, patienceMs)) === undefined) return;
    answeredWithinMs = performance.now() - startedMs;
  }
}

// A server that takes long to answer takes long for the next events as well.
function quietAfter(answeredWithinMs: number): number {
  return Math.max(quietMs, quietFactor * answeredWithinMs);
}
