import { generateKeyPair } from '@agent-platform/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  acceptForeignAcks,
  acknowledgeEarly,
  changeCloseCode,
  changeEvents,
  dropEvents,
  forgetAcks,
  leaveAcksUnanswered,
  reorderEvents,
  sendEventsTwice,
  sendToEveryone,
} from './frame-faults.ts';
import type { FrameFault } from './passing.ts';
import { startProxy, toStreamUrl } from './proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from './reference-server.ts';

const path = '/ws/v1/events/';
let server: ReferenceServer;
const open: { close(): unknown }[] = [];
let count = 0;

interface Agent {
  readonly id: string;
  readonly token: string;
}

interface Listener {
  readonly frames: Record<string, unknown>[];
  send(frame: object): void;
  close(): void;
  readonly closed: () => number | undefined;
}

beforeAll(async () => {
  server = await startReferenceServer(unlimitedSettings);
});

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

afterAll(async () => {
  await server.stop();
});

async function register(): Promise<Agent> {
  count += 1;
  const body = {
    handle: `frames_${count}`,
    display_name: 'Frames',
    encryption_public_key: generateKeyPair().publicKey,
  };
  const answer = await send('/api/v1/bots/register', undefined, body);
  const { bot, token } = answer as { readonly bot: { readonly id: string }; readonly token: string };
  return { id: bot.id, token };
}

async function send(to: string, token: string | undefined, body: object): Promise<unknown> {
  const response = await fetch(`${server.url}${to}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return await response.json();
}

/** Causes an event for the agent: a new agent sends it a contact request. */
async function isAsked({ id }: Agent): Promise<void> {
  await send('/api/v1/contacts/requests', (await register()).token, { recipient_id: id });
}

async function proxied(fault: FrameFault): Promise<string> {
  const proxy = await startProxy(server.url, { frames: fault });
  open.push(proxy);
  return toStreamUrl(proxy.url);
}

async function listen(url: string, token: string): Promise<Listener> {
  const socket = new WebSocket(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const frames: Record<string, unknown>[] = [];
  let code: number | undefined;
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  socket.on('close', (closed) => (code = closed));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  open.push({ close: () => socket.terminate() });
  return {
    frames,
    send: (frame) => socket.send(JSON.stringify(frame)),
    close: () => socket.close(),
    closed: () => code,
  };
}

/** Opens a stream, causes two events, and waits for this many frames. */
async function hearTwo(fault: FrameFault, expected: number): Promise<Listener & { readonly agent: Agent }> {
  const agent = await register();
  const listener = await listen(await proxied(fault), agent.token);
  for (const _ of [1, 2]) await isAsked(agent);
  await vi.waitFor(() => expect(listener.frames).toHaveLength(expected), { timeout: 120_000 });
  return { ...listener, agent };
}

const idsOf = ({ frames }: Listener) => frames.map((frame) => frame['event_id']);
const ackOf = (listener: Listener, at = 0) => ({ type: 'ack', event_id: idsOf(listener)[at] });

describe('the proxy for frames', () => {
  it('changes nothing without a fault: events arrive and can be acknowledged', async () => {
    const listener = await hearTwo({}, 2);
    listener.send(ackOf(listener));
    await vi.waitFor(() => expect(listener.frames[2]).toEqual({ ...ackOf(listener), type: 'acked' }), 120_000);

    const later = await listen(server.wsUrl, listener.agent.token);
    await vi.waitFor(() => expect(idsOf(later)).toEqual([idsOf(listener)[1]]), 120_000);
  });

  it('forwards the reason why a connection was refused or ended', async () => {
    const url = await proxied({});
    const stranger = await listen(url, 'no-such-token');
    await vi.waitFor(() => expect(stranger.closed()).toBe(4401), 120_000);
    const other = await listen(await proxied(changeCloseCode(4401, 1000)), 'no-such-token');
    await vi.waitFor(() => expect(other.closed()).toBe(1000), 120_000);

    const withoutSlash = new WebSocket(`${url}/ws/v1/events`);
    const error = await new Promise<Error>((resolve) => withoutSlash.once('error', resolve));
    expect(error.message).toContain('404');
  });

  it('drops, doubles, reorders and changes events', async () => {
    const first = new Set<unknown>();
    await hearTwo(
      dropEvents(({ event_id: id }) => first.add(id).size === 1),
      1,
    );
    const twice = await hearTwo(sendEventsTwice(), 4);
    expect(new Set(idsOf(twice)).size).toBe(2);
    const turned = await hearTwo(reorderEvents(), 2);
    const later = await listen(server.wsUrl, turned.agent.token);
    await vi.waitFor(() => expect(idsOf(later)).toEqual(idsOf(turned).reverse()), 120_000);
    const other = await hearTwo(
      changeEvents((event) => ({ ...event, kind: 'contact.seen' })),
      2,
    );
    expect(other.frames.map((frame) => frame['kind'])).toEqual(['contact.seen', 'contact.seen']);
  });

  it('acknowledges early, so that an unstored event is not delivered again', async () => {
    const listener = await hearTwo(acknowledgeEarly(), 2);
    await vi.waitFor(async () => {
      const later = await listen(server.wsUrl, listener.agent.token);
      await new Promise((resolve) => setImmediate(resolve));
      expect(idsOf(later)).toEqual([]);
      later.close();
    }, 120_000);
    listener.send(ackOf(listener));
    await vi.waitFor(() => expect(listener.frames[2]).toMatchObject({ type: 'acked' }), 120_000);
  });

  it('delivers events to other agents', async () => {
    const [agent, stranger] = [await register(), await register()];
    const url = await proxied(sendToEveryone());
    const listener = await listen(url, agent.token);
    const beside = await listen(url, stranger.token);
    await isAsked(agent);
    await vi.waitFor(() => expect(idsOf(beside)).toHaveLength(1), 120_000);
    expect(idsOf(beside)).toEqual(idsOf(listener));
  });

  it('drops acks, with or without an answer, including acks of unknown events', async () => {
    const silent = await hearTwo(leaveAcksUnanswered(), 2);
    silent.send(ackOf(silent));
    const lost = await hearTwo(forgetAcks(), 2);
    lost.send(ackOf(lost));
    await vi.waitFor(() => expect(lost.frames[2]).toMatchObject({ type: 'acked' }), 120_000);
    const again = await listen(server.wsUrl, lost.agent.token);
    await vi.waitFor(() => expect(again.frames).toHaveLength(2), 120_000);
    expect(silent.frames).toHaveLength(2);

    const foreign = await hearTwo(acceptForeignAcks(), 2);
    foreign.send({ type: 'ack', event_id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174' });
    await vi.waitFor(() => expect(foreign.frames[2]).toMatchObject({ type: 'acked' }), 120_000);
    expect(foreign.closed()).toBeUndefined();
  });
});
