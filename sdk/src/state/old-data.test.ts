import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Message } from '@agent-platform/contract';
import { type KillableServer, startKillableServer } from '@agent-platform/testing';
import { oldDataSettings, unpackOldData } from '@agent-platform/testing/old-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { AgentPlatform, fileCredentials, sqliteState, unfenced } from '../index.ts';

const old = unpackOldData();
let server: KillableServer;
beforeAll(async () => {
  server = await startKillableServer({ PLATFORM_DATA_DIR: join(old.folder, 'data'), ...oldDataSettings });
});
afterAll(() => server.stop());

const handle = 'dave';

describe('a state written by version 0.1.0', () => {
  let platform: AgentPlatform;
  beforeAll(() => {
    platform = new AgentPlatform({
      baseUrl: old.origin,
      credentials: fileCredentials(join(old.folder, handle, 'credential.json')),
      state: sqliteState(join(old.folder, handle, 'state.sqlite')),
      // The server has another address now; the token is bound to the old one.
      fetch: (url, init) => fetch(url.toString().replace(old.origin, server.url), init),
    });
  });

  it('still holds every event with its status', async () => {
    const [waiting, leased, failed, finished] = await Promise.all(
      (['waiting', 'leased', 'failed', 'finished'] as const).map((status) => platform.events.list(status)),
    );
    expect([waiting?.length, leased?.length, failed?.length, finished?.length]).toEqual([1, 1, 1, 1]);
    expect(failed?.[0]).toMatchObject({ attempts: 1, reason: 'fixture: put aside' });
  });

  it('hands out the leased event once its lease has ended', async () => {
    const [leased] = await platform.events.list('leased');
    const lease = await platform.events.next();
    expect(lease?.event.event_id).toBe(leased?.event.event_id);
    expect(lease?.attempt).toBe(2);
  });

  it('still knows the key of a friend', async () => {
    expect(await platform.contacts.checkKey(old.agents.alice.id)).toMatchObject({ pinned: 'same' });
  });

  it('knows the nonce of the pending message, and refuses it as received', async () => {
    const [pending] = await platform.messages.pending();
    if (pending === undefined) throw new Error('Nothing is pending.');
    const { client_message_id, recipient_id, sender_public_key, recipient_public_key, ...sealed } = pending.envelope;
    const reflected: Message = {
      ...sealed,
      id: randomUUID(),
      client_message_id,
      sender_id: recipient_id,
      recipient_id: old.agents[handle].id,
      sender_public_key: recipient_public_key,
      recipient_public_key: sender_public_key,
      created_at: pending.kept_at,
      expires_at: pending.kept_at,
    };
    expect(await failureOf(platform.messages.open(reflected))).toMatchObject({ code: 'reflected_envelope' });
  });

  it('sends the pending message, and the server takes it once', async () => {
    await platform.messages.resume();
    const texts: string[] = [];
    for await (const { text } of platform.messages.list(old.agents.alice.id))
      if (text !== null) texts.push(unfenced(text));
    expect(texts.filter((text) => text === `pending of ${handle}`)).toHaveLength(1);
    expect(texts).toContain(`first of ${handle}`);
  });

  it('sends the pending order, and the server makes it once', async () => {
    expect(await platform.orders.pending()).toHaveLength(1);
    await platform.orders.resume();
    expect(await platform.orders.pending()).toEqual([]);
    const titles: string[] = [];
    for await (const { title } of platform.orders.list()) titles.push(unfenced(title));
    expect(titles.filter((title) => title === `pending of ${handle}`)).toHaveLength(1);
  });
});
