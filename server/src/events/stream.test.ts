import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { describe, expect, it } from 'vitest';
import { connectEvents, type EventClient, waitForCloseCode, waitUntilDelivered } from '../../testing/event-client.ts';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { countWaitingEvents, fillBacklog } from '../../testing/scenarios/backlog.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { befriend, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { day, type RegisteredAgent, startTestServer, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer({ PLATFORM_EVENT_CONNECTIONS: '0' });
const { newAgent } = makeAgentRegistrar(server);

const open = (agent: RegisteredAgent) => connectEvents(server().url, agent);

async function friends() {
  const [alice, bob] = [await newAgent(), await newAgent()];
  return [alice, bob, await befriend(server(), alice, bob)] as const;
}

async function send(from: RegisteredAgent, to: RegisteredAgent): Promise<string> {
  const body = await makeEnvelope(server(), from, to);
  const answer = await server().request('POST', '/api/v1/messages', { token: from.token, body });
  expect(answer.status).toBe(201);
  return answer.body['message']?.['id'] ?? '';
}

/** Acknowledges all events until `count` of them have arrived. */
async function drain(client: EventClient, count: number): Promise<readonly string[]> {
  let acked = 0;
  while (acked < count) {
    await client.until(acked + 1);
    const ids = client.eventIds().slice(acked);
    client.ack(...ids);
    acked += ids.length;
  }
  await client.until(count, 'acked');
  return client.eventIds();
}

describe('delivery', () => {
  it('delivers waiting events, oldest first, then new ones', async () => {
    const bob = await newAgent();
    const waited = await fillBacklog(server().store, bob.id, 3);
    const client = await open(bob);
    await client.until(3);
    const alice = await newAgent();
    await befriend(server(), alice, bob);
    await send(alice, bob);
    const frames = await client.until(5);

    expect(client.eventIds().slice(0, 3)).toEqual(waited);
    expect(frames.slice(3).map((frame) => frame['kind'])).toEqual(['contact.requested', 'message.created']);
    await client.close();
  });

  it('delivers an event only to its receiver', async () => {
    const [alice, bob] = await friends();
    const [mine, theirs, strangers] = [await open(bob), await open(alice), await open(await newAgent())];
    const id = await send(alice, bob);
    await Promise.all([mine.until(2), theirs.until(1)]);
    await Promise.all([waitUntilDelivered(theirs), waitUntilDelivered(strangers)]);

    expect(mine.frames.at(-1)).toMatchObject({ kind: 'message.created', payload: { id, sender_id: alice.id } });
    expect(theirs.frames.map((frame) => frame['kind'])).toEqual(['contact.accepted']);
    expect(strangers.frames).toEqual([]);
    await Promise.all([mine, theirs, strangers].map((client) => client.close()));
  });

  it('redelivers only events that were not acknowledged', async () => {
    const bob = await newAgent();
    const [first, second, third] = await fillBacklog(server().store, bob.id, 3);
    const client = await open(bob);
    await client.until(3);
    client.ack(second ?? '');
    await client.until(1, 'acked');
    await client.close();
    const again = await open(bob);
    await again.until(2);
    await waitUntilDelivered(again);

    expect(again.eventIds()).toEqual([first, third]);
    await again.close();
  });

  it('has 64 events in flight, and sends more as acks arrive', async () => {
    const bob = await newAgent();
    const ids = await fillBacklog(server().store, bob.id, 100);
    const client = await open(bob);
    await client.until(64);
    await waitUntilDelivered(client);
    expect(client.eventIds()).toEqual(ids.slice(0, 64));

    client.ack(...ids.slice(10, 15));
    await client.until(69);
    await waitUntilDelivered(client);
    expect(client.eventIds()).toEqual(ids.slice(0, 69));
    expect(client.frames.filter((frame) => frame['type'] === 'acked').map((frame) => frame['event_id'])).toEqual(
      ids.slice(10, 15),
    );
    await client.close();
  });

  it('delivers every event to both connections, and an ack on one settles it on the other', async () => {
    const bob = await newAgent();
    const ids = await fillBacklog(server().store, bob.id, 70);
    const [one, two] = [await open(bob), await open(bob)];
    await Promise.all([one.until(64), two.until(64)]);
    one.ack(...ids.slice(0, 6));
    await Promise.all([one.until(70), two.until(70)]);

    expect(two.eventIds()).toEqual(ids);
    two.ack(...ids.slice(0, 6));
    await two.until(6, 'acked');
    expect(await countWaitingEvents(server().store, bob.id)).toBe(64);
    await Promise.all([one.close(), two.close()]);
  });

  it('finds events without a wake-up', async () => {
    const bob = await newAgent();
    const client = await open(bob);
    await waitUntilDelivered(client);
    const ids = await fillBacklog(server().store, bob.id, 2);
    await client.until(2);

    expect(client.eventIds()).toEqual(ids);
    await client.close();
  });

  it('delivers no event whose content has expired', async () => {
    const [alice, bob] = await friends();
    await send(alice, bob);
    server().pass(91 * day);
    const late = await newAgent();
    // The tokens have expired by then, so the waiting events are reassigned to a new agent.
    await server().store.transact((writer) =>
      writer.updateTable('events').set({ agent_id: late.id }).where('agent_id', '=', bob.id).execute(),
    );
    const client = await open(late);
    await client.until(1);
    await waitUntilDelivered(client);

    expect(client.frames.map((frame) => frame['kind'])).toEqual(['contact.requested']);
    await client.close();
  });

  it('removes no event while the time is not certain', async () => {
    let asked = 0;
    const removalTime = () => {
      asked += 1;
      return undefined;
    };
    const unsure = await startTestServer({}, 'copied', { eventTickMs: 1, removalTime });
    try {
      const bob = await unsure.register('bob');
      const [id] = await fillBacklog(unsure.store, bob.id, 1);
      await unsure.store.transact((writer) =>
        writer
          .updateTable('events')
          .set({ expires_at: new Date(0) })
          .execute(),
      );
      const client = await connectEvents(unsure.url, bob);
      await expect.poll(() => asked).toBeGreaterThan(1);
      await client.close();

      expect([id === undefined, await countWaitingEvents(unsure.store, bob.id)]).toEqual([false, 1]);
    } finally {
      await unsure.close();
    }
  });

  it('drains a backlog of 2,000 in order, at full speed', async () => {
    const bob = await newAgent();
    const ids = await fillBacklog(server().store, bob.id, 2_000);
    const client = await open(bob);

    expect(await drain(client, 2_000)).toEqual(ids);
    expect(await countWaitingEvents(server().store, bob.id)).toBe(0);
    await client.close();
  });

  it('drains on two connections that both acknowledge everything', async () => {
    const bob = await newAgent();
    await fillBacklog(server().store, bob.id, 600);
    const [one, two] = [await open(bob), await open(bob)];
    const ackAll = (client: EventClient) =>
      client.socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString());
        if (frame.type === 'event') client.ack(frame.event_id);
      });
    for (const client of [one, two]) {
      client.ack(...client.eventIds());
      ackAll(client);
    }
    await expect.poll(() => countWaitingEvents(server().store, bob.id)).toBe(0);

    expect([one.socket.readyState, two.socket.readyState]).toEqual([1, 1]);
    expect(new Set([...one.eventIds(), ...two.eventIds()]).size).toBe(600);
    await Promise.all([one.close(), two.close()]);
  });
});

describe('a block', () => {
  it('drops the waiting events between the two agents except its own, and answers acks of those in flight', async () => {
    const [alice, bob, contact] = await friends();
    await send(alice, bob);
    const client = await open(bob);
    await client.until(2);
    await sendContactBlock(server(), alice, contact);
    await client.until(3);
    client.ack(...client.eventIds().slice(0, 2));
    await client.until(2, 'acked');
    await client.close();
    const again = await open(bob);
    await again.until(1);
    await waitUntilDelivered(again);

    expect(again.frames.map((frame) => frame['kind'])).toEqual(['contact.blocked']);
    await again.close();
  });

  it('frees the places of the dropped events in the window', async () => {
    const [alice, bob, contact] = await friends();
    for (let number = 0; number < 63; number += 1) await send(alice, bob);
    const client = await open(bob);
    await client.until(64);
    const orders = await fillBacklog(server().store, bob.id, 3);
    await sendContactBlock(server(), alice, contact);
    await client.until(68);

    expect(client.eventIds().slice(64, 67)).toEqual(orders);
    expect(client.frames.at(-1)).toMatchObject({ kind: 'contact.blocked' });
    await client.close();
  });
});

describe('a stop', () => {
  it('closes every connection 1013 without waiting for unresponsive clients', async () => {
    const stopping = await startTestServer();
    const agent = await stopping.register('agent');
    const polite = await connectEvents(stopping.url, agent);
    const deaf = await connectEvents(stopping.url, agent);
    deaf.wire().pause();
    const quietMs = startLoadAdjustedTimer();
    await stopping.close();

    expect(await waitForCloseCode(polite)).toBe(1013);
    expect(quietMs()).toBeLessThan(5_000);
    deaf.socket.terminate();
  });
});

it('requests a contact while no agent is connected, and loses nothing', async () => {
  const [alice, bob] = [await newAgent(), await newAgent()];
  await sendContactRequest(server(), alice, bob);
  const client = await open(bob);

  expect((await client.until(1))[0]).toMatchObject({ kind: 'contact.requested', payload: { status: 'incoming' } });
  await client.close();
});
