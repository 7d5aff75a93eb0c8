import { type Changeable, faultTable, parse } from '../faults.ts';
import { ackedOnce, askedAs, changed, closedWith, doubled, narrow, swapped, unsent } from '../frame-faults.ts';
import type { Fault, FrameFault } from '../passing.ts';

const payloadOf = (event: Changeable) => parse(JSON.stringify(event['payload'])) ?? {};
const frames = (make: () => FrameFault) => (): Fault => ({ frames: make() });
const handshake = (change: Parameters<typeof askedAs>[0]) => frames(() => askedAs(change));
const closes = (from: number, to: number) => frames(() => closedWith(from, to));
const payloads = (isMeant: (kind: unknown) => boolean, change: (payload: Changeable) => Changeable) =>
  frames(() => changed((event) => (isMeant(event['kind']) ? { ...event, payload: change(payloadOf(event)) } : event)));

/** Correct servers whose event stream differs where the specification is silent. */
export const eventVariants = faultTable('choice', [
  [
    'refuse a third connection at the handshake',
    'third',
    frames(() => ({
      onUpgrade: (upgrade, open) =>
        open.filter(({ authorization }) => authorization === upgrade.authorization).length < 2 ? upgrade : 429,
    })),
  ],
  ['have another code for bad tokens', 'bad-token ended-token', closes(4401, 4403)],
  [
    'ignore a query beside a token',
    'stream-query',
    handshake(({ url, authorization }) => ({ url: url.replace('?after=1', ''), authorization })),
  ],
  [
    'have something else where the slash is missing',
    'stream-slash',
    handshake((upgrade) => (upgrade.url.endsWith('/events') ? 426 : upgrade)),
  ],
  ['have no code of its own for large frames', 'large-frame', closes(1009, 4400)],
  ['have another code for frames that are no ack', 'no-ack', closes(4400, 4403)],
  ['ignore a repeated ack', 'second-ack two-connections', frames(ackedOnce)],
  [
    'have the envelope inside of the payload',
    'message-event',
    payloads(
      (kind) => kind === 'message.created',
      (envelope) => ({ envelope }),
    ),
  ],
  [
    'name nothing but the contact',
    'contact-events',
    payloads(
      (kind) => String(kind).startsWith('contact.'),
      ({ contact_id: id }) => ({ contact_id: id }),
    ),
  ],
  [
    'send no event of a new order',
    'order-events',
    frames(() => unsent((event) => event['kind'] === 'order.changed' && payloadOf(event)['version'] === 1)),
  ],
  ['send ten events without an ack', 'window', frames(() => narrow(10))],
  ['send everything twice', 'stream-repeats', frames(doubled)],
  ['send the newest event first', 'delivery-order', frames(swapped)],
]);
