import { AgentPlatform, memoryCredentials } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { callOk, connect, openToolServer } from '../../testing/connect.ts';

interface Shown {
  readonly kind: string;
  readonly message?: { readonly error?: string };
}

it('takes events from friends in turn, and finishes a message that cannot be opened', async () => {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  onTestFinished(() => alice.close());
  const spoil = (body: string) => body.replace(/"ciphertext":"..../, '"ciphertext":"AAAA');
  const credentials = memoryCredentials();
  await platform.agent('mallory', { credentials });
  const { fetch } = platform;
  const mallory = new AgentPlatform({
    ...platform.options,
    credentials,
    fetch: (url, init) => fetch(url, typeof init.body === 'string' ? { ...init, body: spoil(init.body) } : init),
  });
  const { id } = await alice.bots.me();
  for (const friend of [mallory, bob]) await alice.contacts.accept((await friend.contacts.request(id)).contact_id);
  for (const text of ['1', '2', '3']) await mallory.messages.send(id, text).catch(() => undefined);
  await bob.messages.send(id, 'Hello');
  const client = await connect(await openToolServer(alice), 'modern', undefined);

  const seen: unknown[] = [];
  while (seen.length < 6) {
    const { events, lease_id } = await callOk(client, 'events_next', { wait_seconds: 10 });
    seen.push(...Object(events).map(({ kind, message }: Shown) => message?.error ?? kind));
    if (lease_id !== undefined) await callOk(client, 'events_done', { lease_id });
  }

  expect(seen.filter((one) => one === 'cannot_open')).toHaveLength(3);
  expect(seen.indexOf('message.created')).toBeLessThan(seen.lastIndexOf('cannot_open'));
  expect(await alice.events.list('failed')).toHaveLength(3);
});
