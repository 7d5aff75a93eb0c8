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
  renamed,
  toStrangers,
  unanswered,
} from '../frame-faults.ts';
import type { FrameFault } from '../frame-proxy.ts';
import type { FrameMutant } from '../start-faulty.ts';

type Change = Parameters<typeof changed>[0];
const isMessage = ({ kind }: Readonly<Record<string, unknown>>) => kind === 'message.created';
const isOrder = ({ kind }: Readonly<Record<string, unknown>>) => kind === 'order.changed';
const formed = ['events.form', 'events.backlog'];

/** Servers whose event stream is faulty, and the checks that must find it out. */
export const frameMutants: readonly FrameMutant[] = [
  mutant('there is no stream', ['events.bearer', 'events.slash'], () => askedAs(() => 404)),
  mutant('the stream asks for another protocol', ['events.bearer'], () => askedAs(() => 426)),
  mutant('nobody is let in', ['events.bearer'], () => askedAs(({ url }) => ({ url, authorization: undefined }))),
  mutant('pings are not answered', ['events.pings'], () => ({ isDeaf: true })),
  mutant('the path needs no slash', ['events.slash'], () =>
    askedAs(({ url, authorization }) => ({ url: url.replace(/events$/, 'events/'), authorization })),
  ),
  mutant('everybody is let in', ['events.tokens'], admitting),
  mutant('whoever has no token is only told nothing', ['events.tokens'], () => closedWith(4401, undefined)),
  mutant('a bad token ends a connection as if all were well', ['events.tokens'], () => closedWith(4401, 1000)),
  mutant('a bad token counts as a limit', ['events.tokens'], () => closedWith(4401, 4429)),
  mutant('a connection outlives its token', ['events.rotated', 'events.revoked'], () => closedWith(4401, undefined)),
  mutant('a token is taken from the address', ['events.url'], () =>
    askedAs(({ url, authorization }) => {
      const token = /\?token=(.*)$/.exec(url)?.[1];
      return token === undefined
        ? { url, authorization }
        : { url: url.split('?')[0] ?? '', authorization: `Bearer ${token}` };
    }),
  ),
  mutant('the third connection ends as if all were well', ['events.third'], () => closedWith(4429, 1000)),
  mutant('the third connection is told that the protocol is wrong', ['events.third'], () => closedWith(4429, 4400)),
  mutant('the third connection is told nothing', ['events.third'], () => closedWith(4429, undefined)),
  mutant('messages are told to nobody', ['events.form', 'events.waiting', 'events.ack'], () => dropped(isMessage)),
  mutant('every second message is lost', ['events.form'], () => {
    let isEven = true;
    return dropped((event) => {
      if (isMessage(event)) isEven = !isEven;
      return isMessage(event) && isEven;
    });
  }),
  told('an event has no id', formed, ({ event_id: _, ...event }) => event),
  told('an event has a number for its id', formed, (event) => ({ ...event, event_id: 7 })),
  told('an event has an id that is no UUID', formed, (event) => ({ ...event, event_id: `evt_${event['event_id']}` })),
  told('a kind is called otherwise', formed, (event) => ({ ...event, kind: String(event['kind']).replace('.', '_') })),
  told('an event has no payload', formed, ({ payload: _, ...event }) => event),
  told('an event has another type', ['events.form'], (event) => ({ ...event, type: 'message' })),
  told('an event is wrapped', ['events.form'], (event) => ({ event })),
  mutant('acks are not answered', ['events.ack', 'events.form'], unanswered),
  mutant('acks are answered with another id', ['events.ack'], () =>
    ackedAs((acked) => ({ ...acked, event_id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174' })),
  ),
  mutant('acks are answered with ok', ['events.ack'], () => ackedAs((acked) => ({ ...acked, type: 'ok' }))),
  mutant('acks are answered and lost', ['events.settled'], forgotten),
  mutant('messages come for ever', ['events.settled', 'events.suppressed'], () => forEver(isMessage)),
  mutant('events are acknowledged early', ['events.again'], earlyAcked),
  mutant('events come once', ['events.again', 'events.foreign-ack', 'events.malformed'], () => oncePerEvent(isMessage)),
  mutant('events come back under other ids', ['events.again'], renamed),
  mutant('foreign acks are answered', ['events.foreign-ack'], foreignAcked),
  mutant('a foreign ack ends a connection as if all were well', ['events.foreign-ack'], () => closedWith(4400, 1000)),
  mutant('whatever names an event acknowledges it', ['events.malformed'], anythingAcks),
  mutant('what is malformed ends a connection as a limit', ['events.malformed'], () => closedWith(4400, 4429)),
  mutant('events are told to strangers', ['events.strangers', 'events.order-changed'], toStrangers),
  order('names no order', ({ order_id: _, ...payload }) => payload),
  order('has no status', ({ status: _, ...payload }) => payload),
  order('calls its status state', ({ status, ...payload }) => ({ ...payload, state: status })),
  order('has a status of its own', (payload) => ({ ...payload, status: 'open' })),
  order('has its version as a text', (payload) => ({ ...payload, version: String(payload['version']) })),
  order('is a version ahead', (payload) => ({ ...payload, version: Number(payload['version']) + 1 })),
  order('tells the price', (payload) => ({ ...payload, total_minor: 1 })),
  order('tells the title', (payload) => ({ ...payload, title: '' })),
  mutant('orders are forgotten after a block', ['events.orders-stay'], () => oncePerEvent(isOrder)),
];

function mutant(name: string, kills: readonly string[], frames: () => FrameFault): FrameMutant {
  return { name, kills, frames };
}

function told(name: string, kills: readonly string[], change: Change): FrameMutant {
  return mutant(name, kills, () => changed(change));
}

function order(name: string, change: (payload: Record<string, unknown>) => Record<string, unknown>): FrameMutant {
  const payload = (event: Readonly<Record<string, unknown>>) => event['payload'] as Record<string, unknown>;
  return told(`what is told of an order ${name}`, ['events.order-changed'], (event) =>
    isOrder(event) ? { ...event, payload: change(payload(event)) } : event,
  );
}
