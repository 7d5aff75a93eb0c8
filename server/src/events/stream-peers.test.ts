import { describe, expect, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import { fillBacklog } from '../../testing/scenarios/backlog.ts';
import { useTestServer } from '../../testing/test-server.ts';

// A tick takes 20 ms instead of a second, so a minute and a half becomes two seconds.
const tickMs = 20;

const server = useTestServer({}, undefined, { eventTickMs: tickMs });

describe('a peer', () => {
  it('that answers pings is kept, and one that misses two of them is dropped', async () => {
    const [living, dead] = [await server().register('living'), await server().register('dead')];
    const here = await connectEvents(server().url, living);
    const gone = await connectEvents(server().url, dead, undefined, { autoPong: false });
    let pings = 0;
    gone.socket.on('ping', () => {
      pings += 1;
    });

    expect((await gone.ended).code).toBe(1006);
    expect(pings).toBe(2);
    expect(here.socket.readyState).toBe(1);
    await here.close();
  });

  it('that does not read its events is closed, and its events in flight never exceed the window', async () => {
    const agent = await server().register('slow');
    const client = await connectEvents(server().url, agent);
    client.wire().pause();
    await fillBacklog(server().store, agent.id, 64, 200_000);

    await expect
      .poll(server().logged)
      .toMatch(new RegExp(`"agent":"${agent.id}","code":1013,.*"delivered":64,.*"event connection closed"`));
    client.wire().resume();
    client.socket.terminate();
  });
});
