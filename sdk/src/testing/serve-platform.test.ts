import { expect, it, onTestFinished } from 'vitest';
import { AgentPlatform, memoryCredentials } from '../index.ts';
import { FakePlatform } from './fake-platform.ts';
import { servePlatform } from './serve-platform.ts';

async function served() {
  const platform = new FakePlatform();
  const { url, close } = await servePlatform(platform);
  onTestFinished(close);
  return { platform, url };
}

it('resets the connection if a response is lost, and refuses a port in use', async () => {
  const { platform, url } = await served();
  platform.faults.loseAnswer('readLiveness');

  await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');

  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  await expect(servePlatform(platform, Number(new URL(url).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('accepts a new stream after a broken one', async () => {
  const { platform, url } = await served();
  const alice = await platform.agent('alice');
  const bob = new AgentPlatform({ baseUrl: url, credentials: memoryCredentials() });
  await bob.register({ handle: 'bob', display_name: 'Bob' });
  await platform.befriend(alice, bob);
  const kinds: string[] = [];
  for await (const event of bob.events.listen()) {
    if (kinds.push(event.kind) === 1) platform.faults.dropStreams('bob');
    else break;
    await alice.messages.send('bob', 'Hello, Bob');
  }

  expect(kinds).toEqual(['contact.requested', 'message.created']);
});
