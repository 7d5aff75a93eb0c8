import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { ackedEventIds, type Connection, eventsOf, type StreamEvent } from '../../context/events/connection.ts';
import { InconclusiveError, Violation } from '../../context/expectations.ts';
import { isObject, listStrings } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { RunSession } from '../../context/run.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import type { AgentPair } from '../contacts/contacting.ts';
import * as dialogs from '../messages/messaging.ts';

const quietMs = 200;
const quietFactor = 3;
const extensionsMax = 3;
const backlogMax = 5_000;
const firstDelayMs = 50;

// As specified, 4429 means that a limit was reached, and 1013 that the service is temporarily unavailable.
const fullCodes: readonly (number | undefined)[] = [4429, 1013];
const fullStatuses: readonly number[] = [429, 503];

/** Whether a connection answers a ping, or at least stays open. */
export async function isAlive({ stream }: Run, connection: Connection): Promise<boolean> {
  const before = connection.pongs;
  connection.ping();
  await connection.until(() => connection.pongs > before || !connection.isOpen || undefined, stream.optionalMs);
  return connection.isOpen;
}

export function wasRefusedForLimit({ exchange, ending }: Connection): boolean {
  return fullStatuses.includes(exchange.status) || fullCodes.includes(ending?.code);
}

/** All connection slots of an agent stayed occupied, which by itself is not a violation. */
export class NoFreeConnection extends InconclusiveError {}

/** Retries, because the server may release a slot after a delay. */
export async function listen(run: Run, { token }: PoolAgent): Promise<Connection> {
  const deadlineMs = run.clock.now() + run.stream.eventTimeoutMs;
  for (let delayMs = firstDelayMs; ; delayMs *= 2) {
    const connection = await run.stream.connect(token);
    if (await isAlive(run, connection)) return connection;
    if (!wasRefusedForLimit(connection))
      throw new Violation(`a connection with a valid token ${describeEnding(connection)}`, connection.exchange, {
        requirement: 'AP-EVENT-001',
      });
    if (run.clock.now() + delayMs > deadlineMs) {
      const message = `the server has no free event connection: the last one ${describeEnding(connection)}`;
      throw new NoFreeConnection(message, connection.exchange);
    }
    await run.clock.sleep(delayMs);
  }
}

export function describeEnding({ exchange, ending }: Connection): string {
  if (exchange.status !== 101) return `was refused with ${exchange.status}`;
  return ending === undefined ? 'stays open' : `was closed with ${ending.code}`;
}

export function seenEventIds(run: Run): ReadonlySet<string> {
  return new Set(run.stream.received.map(({ id }) => id.toLowerCase()));
}

/** Waits longer while events arrive, because some servers send events one by one. */
export async function waitUntil<T>(
  connections: readonly Connection[],
  see: () => T | undefined,
  withinMs: number,
): Promise<T | undefined> {
  const count = () => connections.flatMap(({ frames }) => eventsOf(frames)).length;
  for (let [times, before] = [0, -1]; times <= extensionsMax && before < count(); times += 1) {
    before = count();
    const seen = await Promise.race(connections.map((one) => one.until(see, withinMs)));
    if (seen !== undefined) return seen;
  }
  return undefined;
}

/**
 * Waits for a new event. If several arrive, returns the one that contains one of the texts `marks`, or else the last
 * one, because events of earlier steps may be late.
 */
export async function waitForEvent(
  run: Run,
  connection: Connection,
  { before, kind, marks = [] }: { before: ReadonlySet<string>; kind: string; marks?: readonly string[] },
  withinMs: number,
): Promise<StreamEvent | undefined> {
  const startedMs = run.clock.now();
  const isNew = (event: StreamEvent) => event.kind === kind && !before.has(event.id.toLowerCase());
  const come = () => eventsOf(connection.frames).filter(isNew);
  const meant = () => come().find((event) => marks.length === 0 || names(event, marks));
  const first = await waitUntil([connection], () => meant() ?? come()[0], withinMs);
  if (first === undefined) return undefined;
  noteDelay(run, connection, run.clock.now() - startedMs);
  return meant() ?? (await waitUntil([connection], meant, quietAfter(run))) ?? come().at(-1);
}

function names({ id, payload }: StreamEvent, texts: readonly string[]): boolean {
  const all = new Set(texts.map((text) => text.toLowerCase()));
  return [id, ...listStrings(payload).map(({ text }) => text)].some((text) => all.has(text.toLowerCase()));
}

export function expectNoEventWith({ frames, exchange }: Connection, texts: readonly string[], who: string): void {
  const foreign = eventsOf(frames).find((event) => names(event, texts));
  if (foreign === undefined) return;
  const symptom = `${who} received ${foreign.kind}`;
  // The event is not shortened, because secrets are removed later, and a truncated secret would not be recognized.
  throw new Violation(`${symptom}: ${JSON.stringify(foreign)}`, exchange, { symptom });
}

export async function expectMessage(
  run: Run,
  connection: Connection,
  before: ReadonlySet<string>,
  marks: readonly string[] = [],
): Promise<StreamEvent> {
  const { eventTimeoutMs } = run.stream;
  const event = await waitForEvent(run, connection, { before, kind: 'message.created', marks }, eventTimeoutMs);
  if (event !== undefined) return event;
  throw toStream(`no message.created arrived within ${eventTimeoutMs / 1_000} s`, connection, 'AP-EVENT-012');
}

export async function sendAndReceive(run: Run, connection: Connection, from: Agent, to: Agent): Promise<StreamEvent> {
  const before = seenEventIds(run);
  return await expectMessage(run, connection, before, await dialogs.sendRandomMessage(run, from, to));
}

export async function expectRedelivery(
  run: Run,
  connection: Connection,
  event: StreamEvent,
  requirement = 'AP-EVENT-018',
): Promise<void> {
  const isThere = () => hasReceived(connection, event.id) || findUnderOtherId(run, connection, event) !== undefined;
  await waitUntil([connection], () => isThere() || undefined, run.stream.eventTimeoutMs);
  expectSameEventId(run, connection, event, requirement);
}

/** Clients recognize repeated events by their id. */
export function expectSameEventId(
  run: Run,
  connection: Connection,
  event: StreamEvent,
  requirement: string,
  lost = `the unacknowledged ${event.kind} ${event.id} was not delivered again`,
): void {
  if (hasReceived(connection, event.id)) return;
  const other = findUnderOtherId(run, connection, event);
  if (other === undefined) throw toStream(lost, connection, requirement);
  throw toStream(`the ${event.kind} ${event.id} was resent with the event_id ${other.id}`, connection, 'AP-EVENT-019');
}

// Events of one kind differ in payload. If other connections also received the id, it belongs to a different event.
function findUnderOtherId({ stream }: Run, { frames }: Connection, { kind, payload }: StreamEvent) {
  const come = eventsOf(frames);
  const countIn = (list: readonly StreamEvent[], id: string) => list.filter((one) => one.id === id).length;
  return come.find(
    (one) =>
      one.kind === kind &&
      isObject(payload) &&
      isDeepStrictEqual(one.payload, payload) &&
      countIn(stream.received, one.id) === countIn(come, one.id),
  );
}

export function hasReceived({ frames }: Connection, id: string): boolean {
  return eventsOf(frames).some((event) => event.id.toLowerCase() === id.toLowerCase());
}

export function makeAckFrame(id: string): string {
  return JSON.stringify({ type: 'ack', event_id: id });
}

export async function acknowledge(run: Run, connection: Connection, id: string): Promise<void> {
  const count = () => ackedEventIds(connection.frames).filter((acked) => acked === id.toLowerCase()).length;
  const before = count();
  connection.sendFrame(makeAckFrame(id));
  await connection.until(() => count() > before || !connection.isOpen || undefined, run.stream.eventTimeoutMs);
  if (count() === before) throw toStream(`the ack of ${id} was not answered with acked`, connection, 'AP-EVENT-017');
}

/** Acknowledges the pending events of agents once in a run, so that every later event is new. */
export const drainOnce = makeDrain();

/** Acknowledges pending events again before the observations, which run after other checks. */
export const drainForObservations = makeDrain();

export async function drainedFriends(run: Run): Promise<AgentPair> {
  const pair = await friendPair(run);
  await drainOnce(run, [pair.alice, pair.bob]);
  return pair;
}

function makeDrain() {
  const settledAgents = new WeakMap<RunSession, Map<string, Promise<unknown>>>();
  return async (run: Run, agents: readonly PoolAgent[]): Promise<void> => {
    const settled = settledAgents.get(run.session) ?? new Map<string, Promise<unknown>>();
    settledAgents.set(run.session, settled);
    for (const agent of agents) settled.set(agent.id, settled.get(agent.id) ?? drain(run, agent));
    await Promise.all(agents.map(({ id }) => settled.get(id)));
  };
}

/** Waits for `isReady`, acknowledges events until none follows, and returns the closed connection. */
export async function drain(run: Run, agent: PoolAgent, isReady?: typeof waitForQuiet): Promise<Connection> {
  const connection = await listen(run, agent);
  await isReady?.(run, connection);
  await acknowledgeAll(run, connection);
  await connection.close();
  return connection;
}

/** Waits, without sending acks, until no more events arrive. */
export async function waitForQuiet(run: Run, connection: Connection): Promise<void> {
  const count = () => eventsOf(connection.frames).length;
  for (let before = -1; before < count() && connection.isOpen; ) {
    before = count();
    const startedMs = run.clock.now();
    // When the pong arrives, all events that were sent before it have arrived.
    await isAlive(run, connection);
    await connection.until(() => count() > before || undefined, quietAfter(run, run.clock.now() - startedMs));
  }
}

async function acknowledgeAll(run: Run, connection: Connection): Promise<void> {
  const sent = new Set<string>();
  const waiting = () => eventsOf(connection.frames).filter(({ id }) => !sent.has(id));
  const isDone = () => new Set(ackedEventIds(connection.frames)).size >= sent.size || undefined;
  // A faulty server might send events forever, so the number of acks is limited.
  for (let answeredWithinMs = 0; connection.isOpen && sent.size < backlogMax; ) {
    const waitingSinceMs = run.clock.now();
    await connection.until(() => waiting()[0], quietAfter(run, answeredWithinMs));
    if (waiting().length === 0) return;
    const startedMs = run.clock.now();
    noteDelay(run, connection, startedMs - waitingSinceMs);
    for (const { id } of waiting()) {
      sent.add(id);
      connection.sendFrame(makeAckFrame(id));
    }
    // The server may send the next events only after it has answered the acks.
    if ((await connection.until(isDone, run.stream.eventTimeoutMs)) === undefined) return;
    answeredWithinMs = run.clock.now() - startedMs;
  }
}

const delays = new WeakMap<RunSession, number>();

// The delay of an event is measured from the previous event, if there is one.
function noteDelay(run: Run, { frames }: Connection, elapsedMs: number): void {
  const [previous, last] = frames.filter((frame) => eventsOf([frame]).length > 0).slice(-2);
  const gapMs = last === undefined || previous === undefined ? elapsedMs : last.atMs - previous.atMs;
  delays.set(run.session, Math.max(delays.get(run.session) ?? 0, Math.min(gapMs, elapsedMs)));
}

// A server with slow answers or events will probably send the next events slowly.
function quietAfter(run: Run, answeredWithinMs = 0): number {
  const { silenceMs, optionalMs } = run.stream;
  const slowestMs = Math.max(answeredWithinMs, Math.min(delays.get(run.session) ?? silenceMs, optionalMs));
  return Math.max(quietMs, quietFactor * slowestMs);
}

function toStream(message: string, { exchange }: Connection, requirement: string): Violation {
  return new Violation(message, exchange, { requirement });
}
