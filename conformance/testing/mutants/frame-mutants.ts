import { type Changeable, type FaultRow, faultTable } from '../faults.ts';
import {
  ackedAs,
  admitting,
  anythingAcks,
  askedAs,
  changed,
  closedWith,
  dropped,
  earlyAcked,
  forEver,
  foreignAcked,
  forgotten,
  oncePerEvent,
  renamedFrame,
  toStrangers,
  unanswered,
} from '../frame-faults.ts';
import type { Fault, FrameFault } from '../passing.ts';

const isMessage = ({ kind }: Changeable) => kind === 'message.created';
const isOrder = ({ kind }: Changeable) => kind === 'order.changed';
const frames = (make: () => FrameFault) => (): Fault => ({ frames: make() });
const handshake = (change: Parameters<typeof askedAs>[0]) => frames(() => askedAs(change));
const closes = (from: number, to: number | undefined) => frames(() => closedWith(from, to));
const told = (change: Parameters<typeof changed>[0]) => frames(() => changed(change));
const orders = (
  [
    ['names no order', ({ order_id: _, ...payload }) => payload],
    ['has no status', ({ status: _, ...payload }) => payload],
    ['calls its status state', ({ status, ...payload }) => ({ ...payload, state: status })],
    ['has a status of its own', (payload) => ({ ...payload, status: 'open' })],
    ['has its version as a text', (payload) => ({ ...payload, version: String(payload['version']) })],
    ['is a version ahead', (payload) => ({ ...payload, version: Number(payload['version']) + 1 })],
    ['tells the price', (payload) => ({ ...payload, total_minor: 1 })],
    ['tells the title', (payload) => ({ ...payload, title: '' })],
  ] satisfies [string, (payload: Changeable) => Changeable][]
).map(
  ([name, change]): FaultRow => [
    `the event of an order ${name}`,
    'order-changed',
    told((event) => (isOrder(event) ? { ...event, payload: change(event['payload'] as Changeable) } : event)),
  ],
);

/** Servers whose event stream is faulty. */
export const frameMutants = faultTable('events', [
  ['there is no stream', 'bearer slash', handshake(() => 404)],
  ['the stream requires another protocol', 'bearer', handshake(() => 426)],
  ['no agent is let in', 'bearer', handshake(({ url }) => ({ url, authorization: undefined }))],
  ['pings are not answered', 'pings', { frames: { isDeaf: true } }],
  [
    'the path needs no slash',
    'slash',
    handshake(({ url, authorization }) => ({ url: url.replace(/events$/, 'events/'), authorization })),
  ],
  ['every client is let in', 'tokens', frames(admitting)],
  ['a client without a token is not disconnected', 'tokens', closes(4401, undefined)],
  ['a bad token ends a connection normally', 'tokens', closes(4401, 1000)],
  ['a bad token counts as a limit', 'tokens', closes(4401, 4429)],
  ['a connection outlives its token', 'rotated revoked', closes(4401, undefined)],
  ['a token is taken from the address', 'url', handshake(tokenFromUrl)],
  ['the third connection ends normally', 'third', closes(4429, 1000)],
  ['the third connection ends with a protocol error', 'third', closes(4429, 4400)],
  ['the third connection is not disconnected', 'third', closes(4429, undefined)],
  ['no messages arrive', 'form waiting ack', frames(() => dropped(isMessage))],
  ['every second message is lost', 'form', frames(losesEverySecond)],
  ['an event has no id', 'form backlog', told(({ event_id: _, ...event }) => event)],
  ['an event has a number for its id', 'form backlog', told((event) => ({ ...event, event_id: 7 }))],
  [
    'an event has an id that is no UUID',
    'form backlog',
    told((event) => ({ ...event, event_id: `evt_${event['event_id']}` })),
  ],
  [
    'a kind has another name',
    'form backlog',
    told((event) => ({ ...event, kind: String(event['kind']).replace('.', '_') })),
  ],
  ['an event has no payload', 'form backlog', told(({ payload: _, ...event }) => event)],
  ['an event has another type', 'form', told((event) => ({ ...event, type: 'message' }))],
  ['an event is wrapped', 'form', told((event) => ({ event }))],
  ['acks are not answered', 'ack form', frames(unanswered)],
  [
    'acks are answered with another id',
    'ack',
    frames(() => ackedAs((acked) => ({ ...acked, event_id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174' }))),
  ],
  ['acks are answered with ok', 'ack', frames(() => ackedAs((acked) => ({ ...acked, type: 'ok' })))],
  ['acks are answered and lost', 'settled', frames(forgotten)],
  ['messages arrive for ever', 'settled suppressed', frames(() => forEver(isMessage))],
  ['events are acknowledged early', 'again', frames(earlyAcked)],
  ['events arrive once', 'again foreign-ack malformed', frames(() => oncePerEvent(isMessage))],
  ['events are repeated under other ids', 'again', frames(renamedFrame)],
  ['foreign acks are answered', 'foreign-ack', frames(foreignAcked)],
  ['a foreign ack ends a connection normally', 'foreign-ack', closes(4400, 1000)],
  ['any frame that names an event acknowledges it', 'malformed', frames(anythingAcks)],
  ['a malformed frame ends a connection as a limit', 'malformed', closes(4400, 4429)],
  ['events are told to strangers', 'strangers order-changed', frames(toStrangers)],
  ...orders,
  ['orders are forgotten after a block', 'orders-stay', frames(() => oncePerEvent(isOrder))],
]);

function tokenFromUrl({ url, authorization }: { readonly url: string; readonly authorization: string | undefined }) {
  const token = /\?token=(.*)$/.exec(url)?.[1];
  return token === undefined
    ? { url, authorization }
    : { url: url.split('?')[0] ?? '', authorization: `Bearer ${token}` };
}

function losesEverySecond(): FrameFault {
  let isEven = true;
  return dropped((event) => {
    if (isMessage(event)) isEven = !isEven;
    return isMessage(event) && isEven;
  });
}
