import { freshDatabase, type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, inject, it, onTestFinished } from 'vitest';
import { connectEvents, type EventClient } from '../../testing/event-client.ts';
import { register } from '../../testing/installation.ts';
import { countWaitingEvents, fillBacklog } from '../../testing/scenarios/backlog.ts';
import { openPostgresStore } from '../store/open-store.ts';

async function start(databaseUrl: string, storageUrl: string): Promise<ServerProcess> {
  const folder = makeTestFolder();
  const server = await startServerProcess({
    DATABASE_URL: databaseUrl,
    PLATFORM_STORAGE_URL: storageUrl,
    PLATFORM_DATA_DIR: folder,
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  return server;
}

/** Receives and acknowledges events until the connection closes. */
function take(client: EventClient, received: Set<string>, acked: Set<string>): void {
  const see = (frame: { readonly type?: unknown; readonly event_id?: unknown }) => {
    const id = String(frame.event_id);
    if (frame.type === 'acked') acked.add(id);
    else {
      received.add(id);
      client.ack(id);
    }
  };
  for (const frame of client.frames) see(frame);
  client.socket.on('message', (data: Buffer) => see(JSON.parse(data.toString())));
}

it('loses nothing and brings nothing back when servers are killed in the middle of a delivery', async () => {
  const databaseUrl = await freshDatabase(inject('postgresUrl'));
  const storage = makeTestFolder();
  const [first, second] = [
    await start(databaseUrl, `file://${storage}`),
    await start(databaseUrl, `file://${storage}`),
  ];
  const { token } = await register(first.url, 'receiver');
  const me = await fetch(`${first.url}/api/v1/bots/me`, { headers: { authorization: `Bearer ${token}` } });
  const { bot } = (await me.json()) as { readonly bot: { readonly id: string } };
  const store = await openPostgresStore(databaseUrl, () => undefined);
  onTestFinished(() => store.close());
  const sent = new Set(await fillBacklog(store, bot.id, 3_000));
  const received = new Set<string>();
  const acked = new Set<string>();

  const doomed = [await connectEvents(first.url, { token }), await connectEvents(first.url, { token })];
  for (const client of doomed) take(client, received, acked);
  await expect.poll(() => acked.size, { interval: 5 }).toBeGreaterThan(200);
  const ackedBefore = acked.size;
  await first.end('SIGKILL');
  expect(ackedBefore).toBeLessThan(3_000);
  for (const client of doomed) expect((await client.ended).code).toBe(1006);

  // Both slots of the agent are free again, and events whose ack was confirmed are not sent again.
  const settled = new Set(acked);
  const client = await connectEvents(second.url, { token });
  take(client, received, acked);
  await expect.poll(() => countWaitingEvents(store, bot.id)).toBe(0);

  expect(received).toEqual(sent);
  expect(client.eventIds().filter((id) => settled.has(id))).toEqual([]);
  await client.close();
});
