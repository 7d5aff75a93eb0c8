import { readFile } from 'node:fs/promises';
import { operations } from '@agent-platform/contract';
import { operate } from '@agent-platform/testing/operator';
import { expect, it } from 'vitest';
import { handles, tell } from '../../testing/platform-story.ts';
import { type Exchange, type Stage, Teller } from '../../testing/platform-teller.ts';
import { startServerWithOperator } from '../../testing/reference-server.ts';
import { generateKeyPair } from '../crypto/keys.ts';
import { openConnection } from '../events/stream-connection.ts';
import type { OpenStream } from '../transport/call-options.ts';
import { FakePlatform } from './fake-platform.ts';

const png = new Uint8Array(await readFile(new URL('../../../server/testing/files/interlaced.png', import.meta.url)));

interface Told extends Stage {
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

async function onReferenceServer(): Promise<Told> {
  const { url, folder, grant } = await startServerWithOperator({
    PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  });
  return {
    url,
    openStream: openConnection,
    request: (_, path, init) => fetch(`${url}${path}`, init),
    grant,
    suspend: async (handle) => {
      await operate(folder, 'agents', 'suspend', handle);
    },
  };
}

/** Replaces what differs between two tellings by where it stood first: ids, times and tokens. */
function normalize(exchanges: readonly Exchange[]): readonly Exchange[] {
  const known = new Map<string, string>();
  const named = (kind: string, text: string) => {
    const name = known.get(text) ?? `${kind} ${known.size}`;
    known.set(text, name);
    return name;
  };
  return JSON.parse(JSON.stringify(exchanges), (name, value) => {
    // Messages and details are for people, and the fake has no version.
    if (['message', 'details', 'version'].includes(name) && typeof value !== 'object' && typeof value !== 'number')
      return undefined;
    if (name === 'details') return undefined;
    // The fake processes no picture: of the processed version, the figures differ.
    if (typeof value === 'object' && value !== null && 'preview_url' in value && !('filename' in value)) {
      return { ...value, size_bytes: 'processed', width: 'processed', height: 'processed' };
    }
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'time';
    if (value.startsWith('apt_')) return named('token', value);
    return value.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => named('id', id));
  });
}

/** Receives and acknowledges what waits for each agent. */
async function eventsOf({ url, openStream }: Told, teller: Teller): Promise<readonly Exchange[]> {
  const received: Exchange[] = [];
  for (const handle of handles) {
    const token = teller.tokens.get(handle) ?? '';
    const address = new URL(`${url.replace('http', 'ws')}/ws/v1/events/`);
    const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>();
    const stream = await openStream({ url: address, token, timeoutMs: 10_000, silenceMs: 50_000, onOpen });
    await opened;
    const quiet = setTimeout(() => stream.close(), 150);
    for await (const text of stream.texts) {
      quiet.refresh();
      const { event_id, ...frame } = JSON.parse(text);
      received.push({ step: handle, status: 0, body: frame });
      if (frame.type === 'event') stream.send(JSON.stringify({ type: 'ack', event_id }));
    }
    const { ending } = await stream.ended;
    clearTimeout(quiet);
    received.push({ step: handle, status: 0, body: ending });
  }
  return received;
}

it('answers every operation as the reference server does, and sends the same events', async () => {
  const cast = { png, keys: Object.fromEntries(handles.map((handle) => [handle, generateKeyPair()])) };
  const platform = new FakePlatform();
  const accounts: (readonly Exchange[])[] = [];
  for (const stage of [onFake(platform), await onReferenceServer()]) {
    const teller = new Teller(stage);
    await tell(teller, cast);
    accounts.push(normalize([...teller.exchanges, ...(await eventsOf(stage, teller))]));
  }
  const [faked = [], real = []] = accounts;

  for (const [at, exchange] of real.entries()) expect(faked[at], exchange.step).toEqual(exchange);
  expect(faked).toHaveLength(real.length);
  const documents = ['readOpenApi', 'readAsyncApi'];
  const told = new Set([...platform.requests.map(({ operationId }) => operationId), ...documents]);
  expect(operations.filter(({ id }) => !told.has(id)).map(({ id }) => id)).toEqual([]);
});
