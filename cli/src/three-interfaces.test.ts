import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Machine, openMachine, type ReferenceServer, startReferenceServer } from '../testing/agentp.ts';
import {
  type AgentInterface,
  openCliInterface,
  openHttpInterface,
  openSdkInterface,
} from '../testing/three-interfaces.ts';
import { startTracingProxy, type TracingProxy } from '../testing/tracing-proxy.ts';

type Trace = readonly (readonly [step: string, lines: readonly string[]])[];

let server: ReferenceServer;
let proxy: TracingProxy;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
  proxy = await startTracingProxy(server.url);
  machine = openMachine(makeTestFolder(), proxy.url);
});
afterAll(async () => {
  await proxy.close();
  await server.stop();
});

/** Runs a customer and a contractor from registration to payout. */
async function tell(client: AgentInterface, name: string): Promise<Trace> {
  const [alice, bob] = [`${name}_alice`, `${name}_bob`];
  const trace: (readonly [string, readonly string[]])[] = [];
  const step = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const value = await work;
    trace.push([what, proxy.take()]);
    return value;
  };
  for (const agent of [alice, bob]) {
    await step('register', client.register(agent));
    await step('read the own profile', client.readOwn(agent));
    await step('open the profile', client.becomePublic(agent));
  }
  await step('publish', client.publish(bob));
  await step('search', client.search(alice, bob));
  await step('befriend', client.befriend(alice, bob));
  await step('send a message', client.tell(alice, bob));
  await server.grant(alice, 2_000);
  await step('read the wallet', client.readWallet(alice));
  await step('quote', client.quote(alice));
  const id = await step('offer', client.offer(alice, bob));
  for (const action of ['accept', 'start', 'deliver'] as const) await step(action, client.act(bob, action, id));
  await step('complete', client.act(alice, 'complete', id));
  await step('accept too late', client.acceptTooLate(bob, id));
  await step('read the order', client.readOrder(alice, id));
  await step('read the ledger', client.readHistory(bob));
  return trace;
}

/** By step, the extra request that a client has to send: each value is the start of its trace line. */
type Extras = Readonly<Record<string, string>>;

// The CLI reads the contacts to resolve a handle, and requests a quote to show the price before it is confirmed.
const extrasOfCli: Extras = { befriend: 'GET /api/v1/contacts ', offer: 'POST /api/v1/orders/quote ' };

/** The lines in which two traces differ, each next to its counterpart. */
function compareTraces(one: Trace, other: Trace, extras: Extras = {}): readonly string[] {
  return one.flatMap(([step, lines], at) => {
    const extra = (other[at]?.[1] ?? []).findIndex((line) => line.startsWith(extras[step] ?? 'none'));
    if (extras[step] !== undefined && extra < 0) return [`${step}: ${extras[step]}is missing`];
    const others = (other[at]?.[1] ?? []).filter((_, index) => index !== extra);
    const length = Math.max(lines.length, others.length);
    return Array.from({ length }, (_, index) => [lines[index] ?? '(nothing)', others[index] ?? '(nothing)']).flatMap(
      ([left, right]) => (left === right ? [] : [`${step}:\n  ${left}\n  ${right}`]),
    );
  });
}

describe('one story through three interfaces', () => {
  let http: Trace;
  beforeAll(async () => {
    http = await tell(openHttpInterface(proxy.url), 'http');
  });

  it('follows the specification: every step succeeds except the last command', () => {
    const statuses = http.map(([step, lines]) => `${step}: ${lines.map((line) => line.split(' -> ')[1]?.slice(0, 3))}`);
    expect(statuses.filter((line) => !/: (20[01],?)+$/.test(line))).toEqual(['accept too late: 200,409']);
  });

  it('has the same requests and answers through the SDK as over plain HTTP', async () => {
    expect(compareTraces(http, await tell(openSdkInterface(proxy.url), 'sdk'))).toEqual([]);
  });

  it('has the same requests and answers through the command line as over plain HTTP', async () => {
    expect(compareTraces(http, await tell(openCliInterface(machine), 'cli'), extrasOfCli)).toEqual([]);
  });

  it('shows both lines of a difference', () => {
    const changed = http.map(
      ([step, lines]) => [step, lines.map((line) => line.replace('/wallet ', '/purse '))] as const,
    );
    expect(compareTraces(http, changed)).toEqual([
      expect.stringMatching(/^read the wallet:\n {2}GET \/api\/v1\/wallet -> 200 .*\n {2}GET \/api\/v1\/purse -> 200 /),
    ]);
  });
});
