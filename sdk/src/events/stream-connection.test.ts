import { limits, type Message } from '@agent-platform/contract';
import { expect, it } from 'vitest';
import { makeStreamClient } from '../../testing/stream-client.ts';
import { makeEventId, makeOrderEvent, type ScriptedConnection, serveStream } from '../../testing/stream-server.ts';
import type { StreamChange } from '../transport/hooks.ts';

/** Receives one event from a server that sends each of these frames on a separate connection. */
async function takeOne(...frames: readonly (object | string)[]) {
  const server = await serveStream((connection: ScriptedConnection, index) => connection.send(frames[index] ?? ''));
  const changes: StreamChange[] = [];
  const { platform, signal } = makeStreamClient(server.url, { hooks: { onStream: (change) => changes.push(change) } });
  for await (const { event_id } of platform.events.receive({ signal })) return { event_id, changes, server };
  return undefined;
}

/** The longest event that the contract allows, with six bytes for each character of its texts. */
function longestEvent(): string {
  const [id, key, time] = [makeEventId(1), 'A'.repeat(44), '2026-11-21T09:03:24.250Z'];
  const payload: Message = {
    id,
    sender_id: id,
    recipient_id: id,
    client_message_id: id,
    encryption_version: 'box-v1',
    nonce: 'A'.repeat(32),
    ciphertext: Buffer.alloc(limits.ciphertextMaxBytes, 0xfb).toString('base64'),
    sender_public_key: key,
    recipient_public_key: key,
    created_at: time,
    expires_at: time,
  };
  const inSixBytes = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const frame = JSON.stringify({ type: 'event', event_id: id, kind: 'message.created', payload });
  return frame.replaceAll(/"[^"]*"/g, (text) => `"${text.slice(1, -1).replaceAll(/./g, inSixBytes)}"`);
}

it('accepts the longest event of the contract, however a server encodes it', async () => {
  expect(await takeOne(longestEvent())).toMatchObject({ event_id: makeEventId(1) });
});

it('refuses a frame that is longer than any event, and reconnects', async () => {
  const long = { ...makeOrderEvent(1), more: 'x'.repeat(150_000) };
  const received = await takeOne(long, makeOrderEvent(2));

  expect(received).toMatchObject({
    event_id: makeEventId(2),
    changes: [{ state: 'open' }, { state: 'closed', why: 'Max payload size exceeded' }, { state: 'open' }],
  });
  expect(received?.server.connections[0]?.acks).toEqual([]);
});
