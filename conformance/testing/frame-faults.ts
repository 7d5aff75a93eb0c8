import { parse } from './faults.ts';
import type { FrameFault, FrameLink } from './frame-proxy.ts';

/** An event on its way to a client. */
type PassingEvent = Record<string, unknown>;

/** Events that never arrive, though the server believes so. */
export function dropped(isDropped: (event: PassingEvent) => boolean): FrameFault {
  return onEvents((event, frame) => (isDropped(event) ? [] : [frame]));
}

/** Events that arrive twice on one connection. */
export function doubled(): FrameFault {
  return onEvents((_event, frame) => [frame, frame]);
}

/** Events that count as acknowledged before their receiver has said so. */
export function earlyAcked(): FrameFault {
  const early = new Set<unknown>();
  return {
    onEvent: (frame, link) => {
      const message = parse(frame);
      if (message?.['type'] === 'acked' && early.delete(message['event_id'])) return [];
      if (message?.['type'] === 'event') {
        early.add(message['event_id']);
        link.toServer(JSON.stringify({ type: 'ack', event_id: message['event_id'] }));
      }
      return [frame];
    },
    // What was acknowledged already would be a fault of the client: answered here.
    onAck: (frame, link) => {
      link.toClient(JSON.stringify({ type: 'acked', event_id: parse(frame)?.['event_id'] }));
      return [];
    },
  };
}

/** Events that whoever is connected hears as well. */
export function toStrangers(): FrameFault {
  const isStranger = (link: FrameLink, other: FrameLink) => other.authorization !== link.authorization;
  return onEvents((_event, frame, link) => {
    for (const other of link.others()) if (isStranger(link, other)) other.toClient(frame);
    return [frame];
  });
}

/** Events that are held back until the next one has gone by. */
export function reordered(): FrameFault {
  const held = new WeakMap<FrameLink, string>();
  return onEvents((_event, frame, link) => {
    const earlier = held.get(link);
    held.delete(link);
    if (earlier !== undefined) return [frame, earlier];
    held.set(link, frame);
    return [];
  });
}

/** Events that say something else. */
export function changed(change: (event: PassingEvent) => unknown): FrameFault {
  return onEvents((event) => [JSON.stringify(change(event) ?? event)]);
}

/** Acknowledgements that nobody answers. */
export function unanswered(): FrameFault {
  return { onEvent: (frame) => (parse(frame)?.['type'] === 'acked' ? [] : [frame]) };
}

/** Acknowledgements that are answered and lost. */
export function forgotten(): FrameFault {
  return {
    onAck: (frame, link) => {
      link.toClient(JSON.stringify({ type: 'acked', event_id: parse(frame)?.['event_id'] }));
      return [];
    },
  };
}

/** Acknowledgements of events that this connection never received, taken all the same. */
export function foreignAcked(): FrameFault {
  const received = new WeakMap<FrameLink, Set<unknown>>();
  return {
    onEvent: (frame, link) => {
      const seen = received.get(link) ?? new Set();
      received.set(link, seen.add(parse(frame)?.['event_id']));
      return [frame];
    },
    onAck: (frame, link) => {
      const id = parse(frame)?.['event_id'];
      if (received.get(link)?.has(id)) return [frame];
      link.toClient(JSON.stringify({ type: 'acked', event_id: id }));
      return [];
    },
  };
}

/** Connections that end with another code. */
export function closedWith(from: number, to: number): FrameFault {
  return { onClose: (code) => (code === from ? to : code) };
}

function onEvents(become: (event: PassingEvent, frame: string, link: FrameLink) => readonly string[]): FrameFault {
  return {
    onEvent: (frame, link) => {
      const event = parse(frame);
      return event?.['type'] === 'event' ? become(event, frame, link) : [frame];
    },
  };
}
