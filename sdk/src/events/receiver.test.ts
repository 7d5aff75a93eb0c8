import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { credentialFor, failureOf, rotatedTestToken, testToken } from '../../testing/records.ts';
import { makeStreamClient } from '../../testing/stream-client.ts';
import {
  makeEventId,
  makeOrderEvent,
  type StreamServer,
  serveStream,
  startRefusingServer,
} from '../../testing/stream-server.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import type { ClientState, InboxStore } from '../state/client-state.ts';
import { memoryState } from '../state/memory-state.ts';
import type { StreamChange } from '../transport/hooks.ts';

/** Receives events until `count` have arrived, and returns their ids. */
async function take(events: AsyncIterable<{ event_id: string }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event_id } of events) {
    ids.push(event_id);
    if (ids.length === count) break;
  }
  return ids;
}

function acksOf({ connections }: StreamServer): readonly (readonly string[])[] {
  return connections.map(({ acks }) => acks);
}

/** A state whose inbox calls `before` before it stores events. */
function keepingAfter(before: () => Promise<void>): ClientState {
  const inner = memoryState();
  const open: ClientState['open'] = async (owner) => {
    const opened = await inner.open(owner);
    const keepAll: InboxStore['keepAll'] = async (...args) => {
      await before();
      return await opened.inbox.keepAll(...args);
    };
    const get = (inbox: InboxStore, name: string | symbol) =>
      name === 'keepAll' ? keepAll : Reflect.get(inbox, name).bind(inbox);
    return { ...opened, inbox: new Proxy(opened.inbox, { get }) };
  };
  return { ...inner, open };
}

describe('receiving', () => {
  it('sends the token only in the header, to the path with the trailing slash', async () => {
    const server = await serveStream((connection) => connection.send(makeOrderEvent(1)));
    const { platform, signal } = makeStreamClient(server.url);

    expect(await take(platform.events.receive({ signal }), 1)).toEqual([makeEventId(1)]);
    expect(server.connections).toMatchObject([{ path: '/ws/v1/events/', authorization: `Bearer ${testToken}` }]);
  });

  it('acknowledges an event after it is stored, and not before', async () => {
    const server = await serveStream((connection) => connection.send(makeOrderEvent(1)));
    const keeping = Promise.withResolvers<void>();
    const { platform, signal } = makeStreamClient(server.url, { state: keepingAfter(() => keeping.promise) });

    const received = take(platform.events.receive({ signal }), 1);
    await vi.waitFor(() => expect(server.connections).toHaveLength(1), 120_000);
    await delay(50);
    expect(acksOf(server)).toEqual([[]]);
    keeping.resolve();
    await received;
    await vi.waitFor(() => expect(acksOf(server)).toEqual([[makeEventId(1)]]), 120_000);
  });

  it('acknowledges only on the connection that delivered the event', async () => {
    const keeping = Promise.withResolvers<void>();
    const server = await serveStream((connection, index) => {
      connection.send(makeOrderEvent(index === 0 ? 1 : 2));
      if (index === 0) connection.close(1001);
    });
    let keeps = 0;
    const state = keepingAfter(async () => {
      keeps += 1;
      if (keeps === 1) await keeping.promise;
    });
    const { platform, signal } = makeStreamClient(server.url, { state });

    const received = take(platform.events.receive({ signal }), 2);
    await vi.waitFor(() => expect(keeps).toBe(1), 120_000);
    await delay(50);
    keeping.resolve();
    expect(await received).toEqual([makeEventId(1), makeEventId(2)]);
    await vi.waitFor(() => expect(acksOf(server)).toEqual([[], [makeEventId(2)]]), 120_000);
  });

  it('acknowledges a repeated event but passes it to no handler', async () => {
    const server = await serveStream((connection, index) => {
      connection.send(makeOrderEvent(1));
      if (index === 0) setTimeout(() => connection.close(1001), 100);
      else connection.send(makeOrderEvent(2));
    });
    const { platform, signal } = makeStreamClient(server.url);

    expect(await take(platform.events.receive({ signal }), 2)).toEqual([makeEventId(1), makeEventId(2)]);
    await vi.waitFor(
      () => expect(acksOf(server)).toEqual([[makeEventId(1)], [makeEventId(1), makeEventId(2)]]),
      120_000,
    );
  });

  it('acknowledges no event while there is no space for it, and all events when there is space', async () => {
    const server = await serveStream((connection) => {
      for (const number of [1, 2, 3]) connection.send(makeOrderEvent(number));
    });
    const { platform, signal } = makeStreamClient(server.url, { state: memoryState({ unfinishedMax: 2 }) });

    const received = take(platform.events.receive({ signal }), 3);
    await vi.waitFor(() => expect(acksOf(server)).toEqual([[makeEventId(1), makeEventId(2)]]), 120_000);
    await platform.events.done(makeEventId(1));
    expect(await received).toEqual([makeEventId(1), makeEventId(2), makeEventId(3)]);
    await vi.waitFor(() => expect(acksOf(server)[0]).toHaveLength(3), 120_000);
  });

  it('stores a backlog that is sent without a window, in order and in few transactions', async () => {
    const numbers = Array.from({ length: 900 }, (_, index) => index + 1);
    const server = await serveStream((connection) => {
      for (const number of numbers) connection.send(makeOrderEvent(number));
    });
    const commit = vi.fn(async () => undefined);
    const { platform, signal } = makeStreamClient(server.url, { state: keepingAfter(commit) });

    expect(await take(platform.events.receive({ signal }), 900)).toEqual(numbers.map(makeEventId));
    await vi.waitFor(() => expect(acksOf(server)).toEqual([numbers.map(makeEventId)]), 120_000);
    expect(commit.mock.calls.length).toBeLessThan(90);
  });

  it('ends quietly when it is aborted, and closes the connection', async () => {
    const server = await serveStream();
    const { platform, signal, stop } = makeStreamClient(server.url);

    const received = take(platform.events.receive({ signal }), 1);
    await vi.waitFor(() => expect(server.connections).toHaveLength(1), 120_000);
    stop();
    expect(await received).toEqual([]);
    await vi.waitFor(() => expect(server.connections[0]?.socket.readyState).toBe(3), 120_000);
  });
});

describe('reconnecting', () => {
  it.each([
    ['a normal close', (server: StreamServer) => server.connections[0]?.close(1000)],
    ['a broken connection', (server: StreamServer) => server.connections[0]?.socket.terminate()],
    ['a text frame without an event', (server: StreamServer) => server.connections[0]?.send('{"type":"event"}')],
    ['a binary frame', (server: StreamServer) => server.connections[0]?.socket.send(Buffer.from('x'))],
  ])('happens after %s', async (_, spoil) => {
    const server = await serveStream((connection, index) => {
      if (index === 1) connection.send(makeOrderEvent(1));
    });
    const { platform, signal } = makeStreamClient(server.url);

    const received = take(platform.events.receive({ signal }), 1);
    await vi.waitFor(() => expect(server.connections).toHaveLength(1), 120_000);
    spoil(server);
    expect(await received).toEqual([makeEventId(1)]);
  });

  it('backs off while nothing is received, and resets after an event', async () => {
    const server = await serveStream((connection, index) => {
      if (index === 3) connection.send(makeOrderEvent(1));
      setTimeout(() => connection.close(index === 1 ? 4429 : 1001), 30);
    });
    const { platform, signal, waits } = makeStreamClient(server.url);

    await Promise.race([
      take(platform.events.receive({ signal }), 9),
      vi.waitFor(() => expect(waits.length).toBeGreaterThan(4), 120_000),
    ]);
    expect(waits.slice(0, 5)).toEqual([250, 5_000, 1_000, 250, 500]);
  });

  it('reconnects to a server that was unavailable for a while', async () => {
    const server = await startRefusingServer(502);
    const { platform, signal, waits } = makeStreamClient(server.url);

    await Promise.race([
      take(platform.events.receive({ signal }), 1),
      vi.waitFor(() => expect(waits.length).toBeGreaterThan(2), 120_000),
    ]);
    expect(waits.slice(0, 3)).toEqual([250, 500, 1_000]);
  });

  it('detects a connection without any traffic, even pongs', async () => {
    const server = await serveStream((connection, index) => {
      // The connection stays open, but the server stops reading, so it does not answer pings.
      if (index === 0) connection.socket.pause();
      else connection.send(makeOrderEvent(1));
    });
    const seen: StreamChange[] = [];
    const { platform, signal } = makeStreamClient(server.url, {
      streamSilenceMs: 1_000,
      hooks: { onStream: (info) => seen.push(info) },
    });

    expect(await take(platform.events.receive({ signal }), 1)).toEqual([makeEventId(1)]);
    expect(seen).toMatchObject([
      { state: 'open' },
      { state: 'closed', why: 'received no data for 1000 ms' },
      { state: 'open' },
    ]);
  });

  it('keeps a quiet connection that responds to pings', async () => {
    const server = await serveStream();
    const { platform, signal } = makeStreamClient(server.url, { streamSilenceMs: 1_000 });

    const received = take(platform.events.receive({ signal }), 1);
    await vi.waitFor(() => expect(server.connections).toHaveLength(1), 120_000);
    await delay(2_500);
    server.connections[0]?.send(makeOrderEvent(1));
    expect(await received).toEqual([makeEventId(1)]);
    expect(server.connections).toHaveLength(1);
  });
});

describe('a stream that ended permanently', () => {
  it.each([
    [4400, 'stream_protocol_broken'],
    [4403, 'stream_forbidden'],
    [4401, 'stream_unauthorized'],
  ])('with %i rejects as %s', async (closeCode, code) => {
    const server = await serveStream((connection) => connection.close(closeCode));
    const { platform, signal } = makeStreamClient(server.url);

    expect(await failureOf(take(platform.events.receive({ signal }), 1))).toMatchObject({
      name: 'StreamClosedError',
      code,
      closeCode,
    });
    expect(server.connections).toHaveLength(1);
  });

  it.each([
    [404, 'unreadable_answer'],
    [308, 'redirect_refused'],
  ])('is not retried after HTTP %i: %s', async (status, code) => {
    const other = await serveStream();
    const server = await startRefusingServer(status, { location: other.url });
    const { platform, signal } = makeStreamClient(server.url);

    expect(await failureOf(take(platform.events.receive({ signal }), 1))).toMatchObject({ code });
    expect(other.connections).toEqual([]);
  });

  it('is not reported if the token was replaced, even if the store is updated late', async () => {
    const server = await serveStream((connection) => {
      if (connection.authorization !== `Bearer ${rotatedTestToken}`) connection.close(4401);
      else connection.send(makeOrderEvent(1));
    });
    const credentials = memoryCredentials(credentialFor(server.url));
    const { platform, signal } = makeStreamClient(server.url, {
      credentials,
      // Another process has rotated the token and stores the new one while this process waits.
      sleep: async (milliseconds) => {
        if (milliseconds === 500) await credentials.save(credentialFor(server.url, { token: rotatedTestToken }));
      },
    });

    expect(await take(platform.events.receive({ signal }), 1)).toEqual([makeEventId(1)]);
    expect(server.connections).toHaveLength(2);
  });

  it('reports a failing inbox', async () => {
    const server = await serveStream((connection) => connection.send(makeOrderEvent(1)));
    const state = keepingAfter(async () => {
      throw new Error('the disk is full');
    });
    const { platform, signal } = makeStreamClient(server.url, { state });

    expect(await failureOf(take(platform.events.receive({ signal }), 1))).toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('the disk is full'),
    });
    expect(acksOf(server)).toEqual([[]]);
  });
});

describe('the token', () => {
  it('is hidden if the server echoes it in a close reason', async () => {
    const server = await serveStream((connection) => connection.close(1001, `bye ${testToken}`));
    const seen: StreamChange[] = [];
    const hooks = { onStream: (info: StreamChange) => seen.push(info) };
    const { platform, signal } = makeStreamClient(server.url, { hooks });

    await Promise.race([
      take(platform.events.receive({ signal }), 1),
      vi.waitFor(() => expect(seen.length).toBeGreaterThan(1), 120_000),
    ]);
    expect(seen[1]).toMatchObject({ why: 'close code 1001 bye [hidden]' });
  });
});
