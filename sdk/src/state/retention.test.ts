import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, onTestFinished } from 'vitest';
import { makeDurableState, storeEvent } from '../../testing/states.ts';
import { makeStreamClient } from '../../testing/stream-client.ts';
import { makeEventId, serveStream } from '../../testing/stream-server.ts';
import { EnvelopeError } from '../errors.ts';
import type { HandlerFailure } from '../transport/hooks.ts';
import type { OpenedState } from './client-state.ts';
import { memoryState } from './memory-state.ts';

const owner = { origin: 'https://platform.example', bot_id: makeEventId(0) };

/** Stores and finishes one message, one command and one event, as a client does. */
async function useOnce({ outbox, operations, inbox, nonces }: OpenedState, number: number): Promise<void> {
  const id = makeEventId(number);
  const nonce = { peer_key: 'key', direction: 'received', message_id: id, ciphertext_sha256: '0'.repeat(64) } as const;
  await nonces.remember([{ ...nonce, nonce: id, at_ms: number }]);
  const envelope = { client_message_id: id, nonce: `s${id}`, recipient_public_key: 'key', ciphertext: 'AAAA' };
  await outbox.keep({ envelope: envelope as never, kept_at: new Date(number).toISOString() });
  await outbox.remove(id);
  await operations.keep({ operation_id: id, operation: 'startOrder', order_id: null, body: {}, kept_at: '' });
  await operations.remove(id);
  await storeEvent(inbox, { event_id: id, kind: 'order.changed', payload: { text: 'x'.repeat(500) } }, 'topic');
  const lease = await inbox.lease(number, number + 1_000);
  await inbox.finish(id, lease?.lease_id, number);
}

it('a state does not grow beyond its limits, in rows and on disk, however long it is used', async () => {
  const place = makeTestFolder();
  const limits = { outboxMax: 5, unfinishedMax: 5, finishedMax: 20, noncesMax: 20 };
  const state = makeDurableState(place, limits);
  onTestFinished(() => state.close());
  const opened = await state.open(owner);
  const sizes: number[] = [];
  for (let number = 1; number <= 120; number += 1) {
    await useOnce(opened, number);
    if (number % 60 > 0) continue;
    await state.close();
    sizes.push(statSync(join(place, 'state.sqlite')).size);
    Object.assign(opened, await state.open(owner));
  }

  expect(await opened.inbox.list('finished')).toHaveLength(20);
  expect([await opened.outbox.list(), await opened.operations.list()]).toEqual([[], []]);
  expect(sizes[1]).toBe(sizes[0]);
});

it.each([
  ['cannot be opened', new EnvelopeError('cannot_open', 'no')],
  ['make a handler fail', new Error('it never works')],
])('1,000 messages from a friend that %s do not delay an event from another agent', async (_, error) => {
  const peers = [...Array.from({ length: 1_100 }, () => 1), 2];
  const server = await serveStream((connection) => {
    for (const [index, peer] of peers.entries()) {
      const payload = { sender_id: makeEventId(peer) };
      connection.send({ type: 'event', event_id: makeEventId(100 + index), kind: 'message.created', payload });
    }
  });
  const reports: HandlerFailure[] = [];
  const hooks = { onHandlerFailure: (failure: HandlerFailure) => reports.push(failure) };
  const { platform, signal, stop } = makeStreamClient(server.url, {
    state: memoryState({ unfinishedMax: 500 }),
    hooks,
  });
  platform.events.on('message.created', ({ payload }) => {
    if (payload.sender_id === makeEventId(2)) return stop();
    throw error;
  });

  const beganAt = performance.now();
  await platform.events.run({ signal });

  // This takes two seconds on an idle machine; the limit allows for a busy one.
  expect(performance.now() - beganAt).toBeLessThan(30_000);
  expect((await platform.events.list('failed')).length).toBeLessThanOrEqual(500);
  expect(reports.filter((report) => String(report.error).includes('was dropped')).length).toBeGreaterThanOrEqual(100);
});
