import { readFile } from 'node:fs/promises';
import { operations } from '@agent-platform/contract';
import { runOperatorCommand } from '@agent-platform/testing/operator';
import { expect, it, onTestFinished } from 'vitest';
import { runScenario, scenarioHandles } from '../../testing/platform-story.ts';
import { startServerWithOperator } from '../../testing/reference-server.ts';
import {
  ScenarioClient,
  type ScenarioExchange,
  type ScenarioPlatform,
  sealTwoEnvelopes,
} from '../../testing/story-client.ts';
import { generateKeyPair } from '../crypto/keys.ts';
import { openEventStream } from '../events/stream-connection.ts';
import type { OpenStream } from '../transport/call-options.ts';
import { FakePlatform } from './fake-platform.ts';
import { servePlatform } from './serve-platform.ts';

const png = new Uint8Array(await readFile(new URL('../../../server/testing/files/interlaced.png', import.meta.url)));

interface Told extends ScenarioPlatform {
  readonly url: string;
  readonly openStream: OpenStream;
}

function onFake(platform: FakePlatform): Told {
  const { baseUrl: url, openStream } = platform.options;
  return {
    url,
    openStream,
    request: (_, path, init) => platform.fetch(`${url}${path}`, init),
    grant: async (handle, amountMinor) => platform.grant(handle, amountMinor),
    suspend: async (handle) => platform.suspend(handle),
  };
}

/** Serves the fake platform over HTTP on a local port. */
async function onListener(): Promise<Told> {
  const platform = new FakePlatform();
  const { url, close } = await servePlatform(platform);
  onTestFinished(close);
  return {
    ...onFake(platform),
    url,
    openStream: openEventStream,
    request: (_, path, init) => fetch(`${url}${path}`, init),
  };
}

async function onReferenceServer(): Promise<Told> {
  const { url, folder, grant } = await startServerWithOperator({
    PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  });
  return {
    url,
    openStream: openEventStream,
    request: (_, path, init) => fetch(`${url}${path}`, init),
    grant,
    suspend: async (handle) => {
      await runOperatorCommand(folder, 'agents', 'suspend', handle);
    },
  };
}

/** Replaces values that differ between two runs: ids and tokens with sequence numbers, times with a fixed text. */
function normalize(exchanges: readonly ScenarioExchange[]): readonly ScenarioExchange[] {
  const known = new Map<string, string>();
  const named = (kind: string, text: string) => {
    const name = known.get(text) ?? `${kind} ${known.size}`;
    known.set(text, name);
    return name;
  };
  const plainText = (text: string) => {
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return 'time';
    if (text.startsWith('apt_')) return named('token', text);
    return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => named('id', id));
  };
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return plainText(value);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    // Members are sorted, so that ids first occur in the same order in both runs.
    const members = Object.entries(value).filter(([name, member]) => !isForPeople(name, member));
    const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const record = Object.fromEntries(sorted.map(([name, member]) => [name, plain(member)]));
    // These members differ: the fake platform processes no pictures, and it numbers postings independently.
    if ('preview_url' in value && !('filename' in value)) return { ...record, size_bytes: 0, width: 0, height: 0 };
    return typeof record['next_before'] === 'number' ? { ...record, next_before: 'number' } : record;
  };
  return exchanges.map(({ step, status, body }) => ({ step, status, body: plain(body) }));
}

// Error messages, error details and the server version may differ.
function isForPeople(name: string, member: unknown): boolean {
  return name === 'details' || (['message', 'version'].includes(name) && typeof member === 'string');
}

/** Waits longer for the events in `expected`, because the server shares the machine with other tests. */
async function eventsOf(
  { url, openStream }: Told,
  client: ScenarioClient,
  expected: readonly ScenarioExchange[] = [],
): Promise<readonly ScenarioExchange[]> {
  const received: ScenarioExchange[] = [];
  for (const handle of scenarioHandles) {
    const token = client.tokens.get(handle) ?? '';
    const address = new URL(`${url.replace('http', 'ws')}/ws/v1/events/`);
    const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>();
    const stream = await openStream({ url: address, token, timeoutMs: 10_000, silenceMs: 50_000, onOpen });
    await opened;
    // Counts only frames, not the entry for the end of each agent's stream.
    const awaited = expected.filter(({ step, body }) => step === handle && Object.hasOwn(Object(body), 'type')).length;
    const frames: ScenarioExchange[] = [];
    const closeWhenQuiet = () => setTimeout(() => stream.close(), frames.length < awaited ? 20_000 : 150);
    let quiet = closeWhenQuiet();
    for await (const texts of stream.texts) {
      clearTimeout(quiet);
      for (const { event_id, ...frame } of texts.map((text) => JSON.parse(text))) {
        frames.push({ step: handle, status: 0, body: frame });
        if (frame.type === 'event') stream.send(JSON.stringify({ type: 'ack', event_id }));
      }
      quiet = closeWhenQuiet();
    }
    const { ending } = await stream.ended;
    clearTimeout(quiet);
    // Lists all events before all responses to acks, because a response may arrive before or after the next event.
    const isEvent = ({ body }: ScenarioExchange) => Object(body).type === 'event';
    received.push(...frames.filter(isEvent), ...frames.filter((frame) => !isEvent(frame)));
    received.push({ step: handle, status: 0, body: ending });
  }
  return received;
}

it('answers every operation as the reference server does, and sends the same events, in memory and on a port', async () => {
  const keys = Object.fromEntries(scenarioHandles.map((handle) => [handle, generateKeyPair()]));
  const cast = { png, keys, envelopes: sealTwoEnvelopes(keys) };
  const platform = new FakePlatform();
  const accounts: (readonly ScenarioExchange[])[] = [];
  for (const stage of [onFake(platform), await onListener(), await onReferenceServer()]) {
    const client = new ScenarioClient(stage);
    await runScenario(client, cast);
    accounts.push(normalize([...client.exchanges, ...(await eventsOf(stage, client, accounts[0]))]));
  }
  const real = accounts.pop() ?? [];

  for (const faked of accounts) {
    for (const [at, exchange] of real.entries()) expect(faked[at], exchange.step).toEqual(exchange);
    expect(faked).toHaveLength(real.length);
  }
  const documents = ['readOpenApi', 'readAsyncApi'];
  const told = new Set([...platform.requests.map(({ operationId }) => operationId), ...documents]);
  expect(operations.filter(({ id }) => !told.has(id)).map(({ id }) => id)).toEqual([]);
});
