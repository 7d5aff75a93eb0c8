import { type Changeable, type Mutant, parse } from '../faults.ts';
import { ackedOnce, askedAs, changed, closedWith, doubled, narrow, swapped, unsent } from '../frame-faults.ts';
import type { FrameFault } from '../frame-proxy.ts';

/** Servers that are right and whose event stream differs where the specification is silent. */
export const eventVariants: readonly Mutant[] = [
  variant(['third'], 'refuse a third connection at the handshake', () => ({
    onUpgrade: (upgrade, open) =>
      open.filter(({ authorization }) => authorization === upgrade.authorization).length < 2 ? upgrade : 429,
  })),
  variant(['bad-token', 'ended-token'], 'have another code for bad tokens', () => closedWith(4401, 4403)),
  variant(['stream-query'], 'pass over a query beside a token', () =>
    askedAs(({ url, authorization }) => ({ url: url.replace('?after=1', ''), authorization })),
  ),
  variant(['stream-slash'], 'have something else where the slash is missing', () =>
    askedAs((upgrade) => (upgrade.url.endsWith('/events') ? 426 : upgrade)),
  ),
  variant(['large-frame'], 'have no code of its own for large frames', () => closedWith(1009, 4400)),
  variant(['no-ack'], 'have another code for what is no ack', () => closedWith(4400, 4403)),
  variant(['second-ack', 'two-connections'], 'pass over an ack that says nothing new', ackedOnce),
  variant(['message-event'], 'have the envelope inside of the payload', () =>
    inPayload('message.created', (envelope) => ({ envelope })),
  ),
  variant(['contact-events'], 'name nothing but the contact', () =>
    changed((event) =>
      String(event['kind']).startsWith('contact.') ? { ...event, payload: only(event, 'contact_id') } : event,
    ),
  ),
  variant(['order-events'], 'tell nobody of a new order', () =>
    unsent((event) => event['kind'] === 'order.changed' && payloadOf(event)['version'] === 1),
  ),
  variant(['window'], 'send ten events without an ack', () => narrow(10)),
  variant(['stream-repeats'], 'send everything twice', doubled),
  variant(['delivery-order'], 'send the newest event first', swapped),
];

function variant(looks: readonly string[], name: string, frames: () => FrameFault): Mutant {
  return { name, kills: looks.map((look) => `choice.${look}`), fault: () => ({ frames: frames() }) };
}

function inPayload(kind: string, change: (payload: Changeable) => Changeable): FrameFault {
  return changed((event) => (event['kind'] === kind ? { ...event, payload: change(payloadOf(event)) } : event));
}

function only(event: Changeable, name: string): Changeable {
  return { [name]: payloadOf(event)[name] };
}

function payloadOf(event: Changeable): Changeable {
  return parse(JSON.stringify(event['payload'])) ?? {};
}
