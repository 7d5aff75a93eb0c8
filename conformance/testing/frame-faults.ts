import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { idIn, parseJsonObject } from './faults.ts';
import type { FrameFault, FrameLink, ProxiedUpgrade } from './passing.ts';

/** An event that passes the proxy on its way to a client. */
type PassingEvent = Record<string, unknown>;

/** Drops events. For the server, they remain in flight. */
export function dropEvents(isDropped: (event: PassingEvent) => boolean): FrameFault {
  return onEvents((event, frame) => (isDropped(event) ? [] : [frame]));
}

export function sendEventsTwice(): FrameFault {
  return onEvents((_event, frame) => [frame, frame]);
}

/** Delays each event until `gapMs` after its arrival and after the previous event; other frames pass in order. */
export function delayEvents(gapMs: number): FrameFault {
  const last = new WeakMap<FrameLink, Promise<unknown>>();
  return {
    onEvent: (frame, link) => {
      const waitMs = parseJsonObject(frame)?.['type'] === 'event' ? gapMs : 0;
      const sent = (last.get(link) ?? Promise.resolve()).then(() => sleep(waitMs)).then(() => link.toClient(frame));
      last.set(link, sent);
      return [];
    },
  };
}

/** Acknowledges events to the server before their receiver does. */
export function acknowledgeEarly(): FrameFault {
  const early = new Set<unknown>();
  return {
    onEvent: (frame, link) => {
      const message = parseJsonObject(frame);
      if (message?.['type'] === 'acked' && early.delete(message['event_id'])) return [];
      if (message?.['type'] === 'event') {
        early.add(message['event_id']);
        link.toServer(JSON.stringify({ type: 'ack', event_id: message['event_id'] }));
      }
      return [frame];
    },
    // The client's own ack is answered here, because a second ack would be a protocol error for the server.
    ...forgetAcks(),
  };
}

export function sendToEveryone(): FrameFault {
  const isStranger = (link: FrameLink, other: FrameLink) => other.authorization !== link.authorization;
  return onEvents((_event, frame, link) => {
    for (const other of link.others()) if (isStranger(link, other)) other.toClient(frame);
    return [frame];
  });
}

export function reorderEvents(): FrameFault {
  const held = new WeakMap<FrameLink, string>();
  return onEvents((_event, frame, link) => {
    const earlier = held.get(link);
    held.delete(link);
    if (earlier !== undefined) return [frame, earlier];
    held.set(link, frame);
    return [];
  });
}

export function changeEvents(
  change: (event: PassingEvent) => unknown,
  isMeant: (kind: string) => boolean = () => true,
): FrameFault {
  return onEvents((event, frame) => (isMeant(String(event['kind'])) ? [JSON.stringify(change(event))] : [frame]));
}

export function leaveAcksUnanswered(): FrameFault {
  return { onEvent: (frame) => (parseJsonObject(frame)?.['type'] === 'acked' ? [] : [frame]) };
}

/** Answers acks itself, so that the server never receives them. */
export function forgetAcks(): FrameFault {
  return {
    onAck: (frame, link) => {
      link.toClient(JSON.stringify({ type: 'acked', event_id: parseJsonObject(frame)?.['event_id'] }));
      return [];
    },
  };
}

/** Confirms acks of events that the connection did not receive. */
export function acceptForeignAcks(): FrameFault {
  const receivedOn = perLink(() => new Set<unknown>());
  return {
    onEvent: (frame, link) => {
      receivedOn(link).add(parseJsonObject(frame)?.['event_id']);
      return [frame];
    },
    onAck: (frame, link) => {
      const id = parseJsonObject(frame)?.['event_id'];
      if (receivedOn(link).has(id)) return [frame];
      link.toClient(JSON.stringify({ type: 'acked', event_id: id }));
      return [];
    },
  };
}

/** Closes connections with the code `to` instead of `from`; if `to` is undefined, leaves them open. */
export function changeCloseCode(from: number, to: number | undefined): FrameFault {
  return { onClose: (code) => (code === from ? to : code) };
}

/** Sends each event only once, even if it was not acknowledged. */
export function sendEventsOnce(isMeant: (event: PassingEvent) => boolean): FrameFault {
  const seen = new Set<unknown>();
  return onEvents((event, frame) => {
    if (!isMeant(event)) return [frame];
    const isNew = !seen.has(event['event_id']);
    seen.add(event['event_id']);
    return isNew ? [frame] : [];
  });
}

/** Assigns each event a different id on each connection. */
export function changeEventIds(): FrameFault {
  const namesOf = perLink(() => new Map<unknown, string>());
  const rename = (id: unknown, names: Map<unknown, string>) => names.get(id) ?? names.set(id, randomUUID()).get(id);
  return {
    onEvent: (frame, link) => {
      const message = parseJsonObject(frame);
      return [JSON.stringify({ ...message, event_id: rename(message?.['event_id'], namesOf(link)) })];
    },
    onAck: (frame, link) => {
      const ack = parseJsonObject(frame);
      const [id] = [...namesOf(link)].find(([, name]) => name === ack?.['event_id']) ?? [ack?.['event_id']];
      return [JSON.stringify({ ...ack, event_id: id })];
    },
  };
}

/** Sends earlier events again on every new connection of their receiver, even after an ack. */
export function redeliverForever(isMeant: (event: PassingEvent) => boolean): FrameFault {
  const kept = new Map<string | undefined, Set<string>>();
  const greeted = new WeakSet<FrameLink>();
  const keep = (event: PassingEvent, frame: string, { authorization }: FrameLink) => {
    if (isMeant(event)) kept.set(authorization, (kept.get(authorization) ?? new Set()).add(frame));
  };
  return {
    onEvent: (frame, link) => {
      const event = parseJsonObject(frame);
      const isFirst = !greeted.has(link);
      greeted.add(link);
      const before = isFirst ? [...(kept.get(link.authorization) ?? [])] : [];
      if (event?.['type'] === 'event') keep(event, frame, link);
      return [...before.filter((one) => one !== frame), frame];
    },
    onPing: (link) => {
      if (greeted.has(link)) return;
      greeted.add(link);
      for (const frame of kept.get(link.authorization) ?? []) link.toClient(frame);
    },
  };
}

/** Treats any frame that contains an event id as an ack of that event. */
export function acceptAnyAck(): FrameFault {
  return {
    onAck: (frame) => {
      const id = idIn(frame);
      return [id === '' ? frame : JSON.stringify({ type: 'ack', event_id: id })];
    },
  };
}

/** Uses the Authorization header of the first connection for all connections. */
export function shareIdentity(): FrameFault {
  let first: string | undefined;
  return {
    onUpgrade: ({ url, authorization }) => {
      first ??= authorization;
      return { url, authorization: first };
    },
  };
}

export function changeHandshake(change: (upgrade: ProxiedUpgrade) => ProxiedUpgrade | number): FrameFault {
  return { onUpgrade: change };
}

/** Drops events and acknowledges them to the server, so that it does not send them again. */
export function dropAndAcknowledge(isMeant: (event: PassingEvent) => boolean): FrameFault {
  const settled = new Set<unknown>();
  return {
    onEvent: (frame, link) => {
      const message = parseJsonObject(frame) ?? {};
      const { type, event_id: id } = message as { readonly type?: unknown; readonly event_id?: unknown };
      if (type === 'acked' && settled.delete(id)) return [];
      if (type !== 'event' || !isMeant(message)) return [frame];
      settled.add(id);
      link.toServer(JSON.stringify({ type: 'ack', event_id: id }));
      return [];
    },
  };
}

/** Leaves repeated acks unanswered. */
export function ignoreRepeatedAcks(): FrameFault {
  const acked = new Set<string>();
  return {
    onAck: (frame, { authorization }) => {
      const { type, event_id: id } = (parseJsonObject(frame) ?? {}) as {
        readonly type?: unknown;
        readonly event_id?: unknown;
      };
      if (type !== 'ack') return [frame];
      const key = `${authorization} ${String(id)}`;
      const isNew = !acked.has(key);
      acked.add(key);
      return isNew ? [frame] : [];
    },
  };
}

/** Sends at most this many unacknowledged events on a connection; each ack permits another one. */
export function limitInFlight(max: number): FrameFault {
  const of = perLink(() => ({ inFlight: new Set<unknown>(), waiting: [] as string[] }));
  const isSent = (frame: string, { inFlight }: ReturnType<typeof of>) => {
    if (inFlight.size >= max) return false;
    inFlight.add(parseJsonObject(frame)?.['event_id']);
    return true;
  };
  return {
    ...onEvents((_event, frame, link) => {
      if (isSent(frame, of(link))) return [frame];
      of(link).waiting.push(frame);
      return [];
    }),
    onAck: (frame, link) => {
      const window = of(link);
      window.inFlight.delete(parseJsonObject(frame)?.['event_id']);
      const [next] = window.waiting;
      if (next !== undefined && isSent(next, window)) link.toClient(window.waiting.shift() ?? next);
      return [frame];
    },
  };
}

const swappedWithinMs = 20;

/** Sends events that arrive almost at the same time in reverse order. */
export function reverseConcurrentEvents(): FrameFault {
  const held = new WeakMap<FrameLink, string[]>();
  return onEvents((_event, frame, link) => {
    const frames = held.get(link);
    if (frames !== undefined) frames.push(frame);
    else {
      const begun = [frame];
      held.set(link, begun);
      setTimeout(() => {
        held.delete(link);
        for (const one of begun.toReversed()) link.toClient(one);
      }, swappedWithinMs);
    }
    return [];
  });
}

export function changeAckAnswers(change: (acked: PassingEvent) => unknown): FrameFault {
  return {
    onEvent: (frame) => {
      const message = parseJsonObject(frame);
      return [message?.['type'] === 'acked' ? JSON.stringify(change(message)) : frame];
    },
  };
}

function onEvents(become: (event: PassingEvent, frame: string, link: FrameLink) => readonly string[]): FrameFault {
  return {
    onEvent: (frame, link) => {
      const event = parseJsonObject(frame);
      return event?.['type'] === 'event' ? become(event, frame, link) : [frame];
    },
  };
}

/** `make` creates the state of a connection when it is first used. */
function perLink<T extends object>(make: () => T): (link: FrameLink) => T {
  const states = new WeakMap<FrameLink, T>();
  return (link) => {
    const state = states.get(link) ?? make();
    states.set(link, state);
    return state;
  };
}
