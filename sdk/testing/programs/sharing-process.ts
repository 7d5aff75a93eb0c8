import type { StoredEvent } from '../../src/index.ts';
import { makeDurableState, storeEvent } from '../states.ts';
import { makeEventId } from '../stream-server.ts';

/** The argument of this program, as JSON. */
export interface SharingProcessPlan {
  readonly place: string;
  readonly events: number;
  readonly topics: number;
}

/** The output of the process: the events that it stored and handled, and the pin and nonce that the state contains. */
export type SharingProcessReport = Awaited<ReturnType<typeof work>>;

export const sharedStateOwner = { origin: 'https://platform.example', bot_id: makeEventId(0) };

// sharing.test.ts runs several processes of this program at the same time. Each process receives all events, as each
// connection of an agent does, and the processes share the handling.
if (process.argv[2] !== undefined) {
  const plan: SharingProcessPlan = JSON.parse(process.argv[2]);
  process.stdout.write(JSON.stringify(await work(plan)));
}

async function work({ place, events, topics }: SharingProcessPlan) {
  const state = makeDurableState(place);
  const { inbox, pins, nonces } = await state.open(sharedStateOwner);
  const envelope = {
    peer_key: 'key',
    nonce: 'nonce',
    direction: 'received',
    ciphertext_sha256: '00',
    at_ms: 0,
  } as const;
  const [first] = await nonces.remember([{ ...envelope, message_id: String(process.pid) }]);
  const pin = { bot_id: makeEventId(1), handle: null, public_key: String(process.pid), pinned_at: 'now' };
  const pinned = (await pins.keep(pin)).public_key;
  const kept: string[] = [];
  const handled: { id: string; topic: string; beganAt: number; endedAt: number }[] = [];
  const handleOne = async () => {
    const lease = await inbox.lease(Date.now(), Date.now() + 60_000);
    if (lease === undefined) return false;
    const beganAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 2));
    const endedAt = Date.now();
    handled.push({ id: lease.event.event_id, topic: topicOf(lease.event), beganAt, endedAt });
    if (!(await inbox.finish(lease.event.event_id, lease.lease_id, Date.now()))) throw new Error('The lease was lost.');
    return true;
  };
  for (let number = 1; number <= events; number += 1) {
    const event = { event_id: makeEventId(number), kind: 'order.changed', payload: { topic: String(number % topics) } };
    if ((await storeEvent(inbox, event, topicOf(event))) === 'kept') kept.push(event.event_id);
    if (number % 3 === 0) await handleOne();
  }
  const endMs = Date.now() + 20_000;
  while ((await inbox.list('finished')).length < events && Date.now() < endMs) {
    if (!(await handleOne())) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await state.close();
  return { kept, handled, pinned, remembered: first?.message_id };
}

function topicOf({ payload }: StoredEvent): string {
  return `topic-${Reflect.get(Object(payload), 'topic')}`;
}
