import { describe, expect, it } from 'vitest';
import { connectEvents, type EventClient, waitForCloseCode, waitUntilDelivered } from '../../testing/event-client.ts';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { countWaitingEvents, fillBacklog } from '../../testing/scenarios/backlog.ts';
import { type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';

const server = useTestServer({ PLATFORM_EVENT_CONNECTIONS: '0' });
const { newAgent } = makeAgentRegistrar(server);

const open = (agent: RegisteredAgent) => connectEvents(server().url, agent);

describe('an ack', () => {
  it('is answered again when it is repeated', async () => {
    const bob = await newAgent();
    const [id = ''] = await fillBacklog(server().store, bob.id, 1);
    const client = await open(bob);
    await client.until(1);
    client.ack(id, id.toUpperCase());
    await client.until(2, 'acked');
    client.ack(id);

    expect((await client.until(3, 'acked')).map((frame) => frame['event_id'])).toEqual([id, id, id]);
    await client.close();
  });

  it.each([
    ['of an unknown event', () => newId()],
    ['of an event of another agent', async () => (await fillBacklog(server().store, (await newAgent()).id, 1))[0]],
  ])('%s closes 4400 and settles nothing', async (_name, other) => {
    const bob = await newAgent();
    await fillBacklog(server().store, bob.id, 1);
    const client = await open(bob);
    await client.until(1);
    client.ack((await other()) ?? '');

    expect(await waitForCloseCode(client)).toBe(4400);
    expect(await countWaitingEvents(server().store, bob.id)).toBe(1);
  });

  it('of an event that waits, but has not come on this connection, closes 4400', async () => {
    const bob = await newAgent();
    const ids = await fillBacklog(server().store, bob.id, 65);
    const client = await open(bob);
    await client.until(64);
    client.ack(ids[64] ?? '');

    expect(await waitForCloseCode(client)).toBe(4400);
  });

  it('may be repeated 240 times a minute, then the connection is closed 4429', async () => {
    const bob = await newAgent();
    const [id = ''] = await fillBacklog(server().store, bob.id, 1);
    const client = await open(bob);
    await client.until(1);
    client.ack(id, ...Array.from({ length: 240 }, () => id));
    await client.until(241, 'acked');
    expect(client.socket.readyState).toBe(1);
    client.ack(id);

    expect(await waitForCloseCode(client)).toBe(4429);
  });
});

describe('a frame', () => {
  const faults: readonly (readonly [string, (client: EventClient) => void, number])[] = [
    ['of text that is no ack', ({ socket }) => socket.send('hello'), 4400],
    ['of a subscription', ({ socket }) => socket.send('{"type":"subscribe"}'), 4400],
    ['of bytes', ({ socket }) => socket.send(Buffer.from('{"type":"ack"}')), 4400],
    ['of invalid UTF-8', ({ socket }) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }), 4400],
    ['of 5 KiB', ({ socket }) => socket.send(' '.repeat(5 * 1_024)), 1009],
    [
      'of 5 KiB in parts',
      ({ socket }) => {
        for (let part = 0; part < 10; part += 1) socket.send(' '.repeat(512), { fin: false });
      },
      1009,
    ],
    [
      'in twenty thousand parts',
      ({ socket }) => {
        for (let part = 0; part < 20_000; part += 1) socket.send('', { fin: false });
      },
      4400,
    ],
    [
      'that breaks the framing',
      (client) => {
        client.wire().write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
      },
      4400,
    ],
  ];

  it.each(faults)('%s closes with its code', async (_name, misbehave, code) => {
    const bob = await newAgent();
    const other = await open(bob);
    const client = await open(bob);
    misbehave(client);

    expect(await waitForCloseCode(client)).toBe(code);
    await waitUntilDelivered(other);
    await other.close();
  });

  it('of a ping also counts', async () => {
    const client = await open(await newAgent());
    await waitUntilDelivered(client);
    for (let number = 0; number < 250; number += 1) client.socket.ping();

    expect(await waitForCloseCode(client)).toBe(4429);
  });
});
