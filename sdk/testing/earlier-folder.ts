import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventId } from './stream-server.ts';

/** The agent of the folder below. */
export const folderOwner = { origin: 'https://platform.example', bot_id: eventId(0) };

/** The lease of event 3 in the folder below. */
export const folderLease = 'abcdef0123456789';

/** The sealed messages of the folder below, oldest first. */
export const folderOutbox = [
  entry('22222222-0000-4000-8000-000000000001', 1),
  entry('11111111-0000-4000-8000-000000000002', 2),
];

/** The order commands of the folder below. */
export const folderOperation = {
  operation_id: '33333333-0000-4000-8000-000000000003',
  operation: 'startOrder',
  order_id: eventId(50),
  body: { operation_id: '33333333-0000-4000-8000-000000000003', expected_version: 2 },
  kept_at: '2026-11-21T09:00:00.000Z',
};

/** The pin of the folder below. */
export const folderPin = { bot_id: eventId(9), handle: 'bob', public_key: 'theirs', pinned_at: 'then' };

/**
 * Writes a state as version 0.1 stored it, with an event in every place:
 * 1 is finished, 2 failed, 3 leased, 4 waits behind it, 5 waits in a topic of
 * its own, 6 was received but not moved yet, 7 was not received yet.
 */
export function writeEarlierFolder(folder: string): void {
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  };
  write('state.json', `${JSON.stringify({ format: 1, ...folderOwner })}\n`);
  for (const [order, one] of folderOutbox.entries()) {
    write(`outbox/${one.envelope.client_message_id}.json`, JSON.stringify({ order, entry: one }));
  }
  write('outbox/interrupted.json.0123456789ab.part', '{"ord');
  write(`operations/${folderOperation.operation_id}.json`, JSON.stringify({ order: 1, entry: folderOperation }));
  write(`pins/${folderPin.bot_id}.json`, JSON.stringify(folderPin));
  const places: readonly (readonly [number: number, place: string, topic: string, state: string])[] = [
    [1, 'finished', 'a', 'd~1~0'],
    [2, 'events', 'a', 'f~8~0'],
    [3, 'events', 'a', 'l~2~5000'],
    [4, 'events', 'a', 'w~0~0'],
    [5, 'events', 'b', 'w~1~2000'],
    [6, 'arriving', 'a', 'w~0~0'],
    [7, 'arriving', 'a', 'w~0~0'],
  ];
  for (const [number, place, topic, state] of places) {
    const [id, order] = [eventId(number), String(number).padStart(16, '0')];
    const text = JSON.stringify({ ...folderEvent(number), copy: `${order}~${id}~${topic}~w~0~0~${folderLease}` });
    write(`inbox/${place}/${order}~${id}~${topic}~${state}~${folderLease}`, text);
    if (number !== 7) write(`inbox/seen/${id}`, text);
  }
  write(`inbox/reasons/${eventId(2)}`, 'the handler failed');
}

/** An event of the folder. */
export function folderEvent(number: number) {
  return { event_id: eventId(number), kind: 'order.changed', payload: { number } };
}

function entry(client_message_id: string, order: number) {
  return {
    envelope: {
      recipient_id: eventId(9),
      client_message_id,
      encryption_version: 'box-v1' as const,
      nonce: 'A'.repeat(32),
      ciphertext: 'A'.repeat(24),
      sender_public_key: 'own',
      recipient_public_key: 'theirs',
    },
    kept_at: `2026-11-21T09:00:0${order}.000Z`,
  };
}
