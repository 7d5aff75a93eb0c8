import { parse } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import type { Fault, FrameFault, FrameLink, PassingUpgrade } from '../passing.ts';

// The event stream: frames, acks, redelivery, and which events wait for whom.

const table = `
takes the token of the stream from the query | no token in the URL query | = token of the query
gives a connection without a token that of another agent | the event stream needs a token | = last token
takes a wrong token for that of the last agent | the event stream needs a token | = last token of a wrong one
closes for a wrong token with 1013 | 4401 means fix the access | close 4401 -> 1013
closes for a wrong token with 1000 | 4401 means fix the access | close 4401 -> 1000
closes for a wrong frame with 1013 | 4400 means fix the protocol | close 4400 -> 1013
closes for too many connections with 1000 | 4429 means a limit was hit | close 4429 -> 1000
closes for too many connections with 4403 | 4429 means a limit was hit | close 4429 -> 4403
names the status of an order state | order.changed payload: status | event order.changed -> rename payload.status state
names a refunded order refunded | order.changed payload: status | = refunded
names the status before the change | order.changed payload: status | = status before
names a funded order accepted | order.changed payload: status | event order.changed -> change payload.status "funded" "accepted"
sends the version before the change | order.changed payload: version | event order.changed -> map payload.version less
sends the version as text | order.changed payload: version is an integer | event order.changed -> text payload.version
sends the title of an order | terms are not sent in the notification | event order.changed -> set payload.title "Work"
sends the amounts of an order | amounts are not sent in the notification | event order.changed -> set payload.amount_minor 1000
sends the files of a delivery | files are not sent in the notification | = files of a delivery
sends the order whole | order.changed payload: order_id, status, version | event order.changed -> map payload nested
calls a change of an order an update | kinds: order.changed | event order.changed -> set kind "order.updated"
calls a closed order by a kind of its own | kinds: order.changed | = closed kind
calls a block a removal | kinds: contact.blocked | event contact.blocked -> set kind "contact.removed"
sends events of orders without their payload | envelope: {type, event_id, kind, payload} | event order -> map payload none
shortens the ids of events | identifiers are UUIDs | = short ids
gives a redelivered event another id | clients de-duplicate by event_id | = other ids
settles all earlier events with an ack | an ack applies to one event | = acks settle before
counts the first ack of a connection alone | the ack settles an event | = first ack alone
answers the first ack of a connection alone | the server answers {type: acked, event_id} | = one answer
answers with the id of the ack before | the server answers {type: acked, event_id} | = ack before
gives an event up after two deliveries | delivery is at least once, until the ack | = gives up
settles what is sent on a second connection | an ack confirms receipt | = second connection settles
forgets the order events of a reconnect | delivery is at least once | = forgets at reconnect
`;

type Frame = Readonly<Record<string, unknown>>;

/** A stream whose frames to the client are changed; the state is one for each run. */
function stream(make: () => FrameFault): () => Fault {
  return () => ({ frames: make() });
}

/** Changes events; what is no event passes. */
function onEvents(become: (event: Frame, link: FrameLink) => readonly Frame[]): FrameFault {
  return {
    onEvent: (frame, link) => {
      const event = parse(frame);
      if (event?.['type'] !== 'event') return [frame];
      return become(event, link).map((each) => JSON.stringify(each));
    },
  };
}

const upgrade = (change: (asked: PassingUpgrade, last: string | undefined) => PassingUpgrade): (() => Fault) =>
  stream(() => {
    let last: string | undefined;
    return {
      onUpgrade: (asked) => {
        const changed = change(asked, last);
        last = changed.authorization ?? last;
        return changed;
      },
    };
  });

const payloadOf = (event: Frame) => (event['payload'] ?? {}) as Frame;

export default furtherMutants(table, {
  values: {
    less: (version: unknown) => Number(version) - 1,
    nested: (payload: Frame) => ({ order: payload }),
    none: () => undefined,
  },
  faults: {
    'token of the query': upgrade(({ url, authorization }) => {
      const token = /[?&](?:access_)?token=([^&]+)/.exec(url)?.[1];
      if (token === undefined) return { url, authorization };
      return { url: url.replace(/\?.*$/, ''), authorization: `Bearer ${decodeURIComponent(token)}` };
    }),
    'last token': upgrade((asked, last) => ({ ...asked, authorization: asked.authorization ?? last })),
    'last token of a wrong one': stream(() => {
      const known = new Set<string>();
      let last: string | undefined;
      return {
        onUpgrade: (asked) => {
          const { authorization = '' } = asked;
          const isOwn = /^Bearer apt_[\w-]{43}$/.test(authorization);
          if (isOwn) known.add(authorization);
          if (isOwn) last = authorization;
          return isOwn || authorization === '' ? asked : { ...asked, authorization: last };
        },
      };
    }),
    refunded: stream(refundedStatus),
    'status before': stream(statusBefore),
    'files of a delivery': stream(() =>
      onEvents((event) => {
        const payload = payloadOf(event);
        const isDelivery = payload['status'] === 'delivered';
        return [isDelivery ? { ...event, payload: { ...payload, result_attachments: [] } } : event];
      }),
    ),
    'closed kind': stream(() =>
      onEvents((event) => [payloadOf(event)['status'] === 'closed' ? { ...event, kind: 'order.closed' } : event]),
    ),
    'short ids': stream(shortIds),
    'other ids': stream(otherIds),
    'acks settle before': stream(acksSettleBefore),
    'first ack alone': stream(() => swallowing((count) => count > 1)),
    'one answer': stream(() => {
      const answers = new WeakMap<FrameLink, number>();
      return onAnswers((frame, link) => {
        const count = (answers.get(link) ?? 0) + 1;
        answers.set(link, count);
        return count > 1 ? [] : [frame];
      });
    }),
    'ack before': stream(() => {
      const last = new WeakMap<FrameLink, unknown>();
      return onAnswers((frame, link) => {
        const event_id = last.get(link) ?? frame['event_id'];
        last.set(link, frame['event_id']);
        return [{ ...frame, event_id }];
      });
    }),
    'gives up': stream(() => counting((count) => count > 2)),
    'second connection settles': stream(secondConnectionSettles),
    'forgets at reconnect': stream(() => counting((count, event) => count > 1 && event['kind'] === 'order.changed')),
  },
});

function onAnswers(become: (frame: Frame, link: FrameLink) => readonly Frame[]): FrameFault {
  return {
    onEvent: (frame, link) => {
      const message = parse(frame);
      return message?.['type'] === 'acked' ? become(message, link).map((each) => JSON.stringify(each)) : [frame];
    },
  };
}

/** Answers some acks of a connection, counted from 1, without the server. */
function swallowing(isSwallowed: (count: number) => boolean): FrameFault {
  const acks = new WeakMap<FrameLink, number>();
  return {
    onAck: (frame, link) => {
      const ack = parse(frame);
      if (ack?.['type'] !== 'ack') return [frame];
      const count = (acks.get(link) ?? 0) + 1;
      acks.set(link, count);
      if (!isSwallowed(count)) return [frame];
      link.toClient(JSON.stringify({ type: 'acked', event_id: ack['event_id'] }));
      return [];
    },
  };
}

/** Drops deliveries of an event to an agent by their number, from 1. */
function counting(isDropped: (count: number, event: Frame) => boolean): FrameFault {
  const deliveries = new Map<string, number>();
  return onEvents((event, link) => {
    const key = `${link.authorization} ${event['event_id']}`;
    const count = (deliveries.get(key) ?? 0) + 1;
    deliveries.set(key, count);
    return isDropped(count, event) ? [] : [event];
  });
}

function refundedStatus(): FrameFault {
  const disputed = new Set<unknown>();
  return onEvents((event) => {
    const payload = payloadOf(event);
    if (payload['status'] === 'disputed') disputed.add(payload['order_id']);
    const isRefund = payload['status'] === 'closed' && disputed.has(payload['order_id']);
    return [isRefund ? { ...event, payload: { ...payload, status: 'refunded' } } : event];
  });
}

function statusBefore(): FrameFault {
  const known = new Map<string, unknown>();
  return onEvents((event) => {
    const payload = payloadOf(event);
    if (event['kind'] !== 'order.changed') return [event];
    known.set(`${payload['order_id']} ${payload['version']}`, payload['status']);
    const before = known.get(`${payload['order_id']} ${Number(payload['version']) - 1}`);
    return [{ ...event, payload: { ...payload, status: before ?? payload['status'] } }];
  });
}

/** Ids without dashes. */
function shortIds(): FrameFault {
  const short = (id: unknown) => `${id}`.replaceAll('-', '');
  const long = (id: unknown) => `${id}`.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5');
  return {
    onEvent: (frame) => {
      const message = parse(frame);
      return [message === undefined ? frame : JSON.stringify({ ...message, event_id: short(message['event_id']) })];
    },
    onAck: (frame) => {
      const ack = parse(frame);
      return [ack === undefined ? frame : JSON.stringify({ ...ack, event_id: long(ack['event_id']) })];
    },
  };
}

/** A new id for each delivery but the first. */
function otherIds(): FrameFault {
  const delivered = new Set<string>();
  const real = new Map<unknown, unknown>();
  const shown = new Map<string, unknown>();
  return {
    onEvent: (frame, link) => {
      const message = parse(frame);
      if (message === undefined) return [frame];
      const key = `${link.authorization} ${message['event_id']}`;
      if (message['type'] === 'acked') {
        return [JSON.stringify({ ...message, event_id: shown.get(key) ?? message['event_id'] })];
      }
      const event_id = delivered.has(key) ? crypto.randomUUID() : message['event_id'];
      delivered.add(key);
      real.set(event_id, message['event_id']);
      shown.set(key, event_id);
      return [JSON.stringify({ ...message, event_id })];
    },
    onAck: (frame) => {
      const ack = parse(frame);
      if (ack === undefined) return [frame];
      return [JSON.stringify({ ...ack, event_id: real.get(ack['event_id']) ?? ack['event_id'] })];
    },
  };
}

/** An ack settles every event that was delivered before on its connection. */
function acksSettleBefore(): FrameFault {
  const waiting = new WeakMap<FrameLink, unknown[]>();
  const silent = new WeakMap<FrameLink, Set<unknown>>();
  return {
    onEvent: (frame, link) => {
      const { type, event_id } = parse(frame) ?? {};
      if (type === 'event') waiting.set(link, [...(waiting.get(link) ?? []), event_id]);
      return type === 'acked' && silent.get(link)?.delete(event_id) === true ? [] : [frame];
    },
    onAck: (frame, link) => {
      const ids = waiting.get(link) ?? [];
      const at = ids.indexOf(parse(frame)?.['event_id']);
      if (at === -1) return [frame];
      const before = ids.slice(0, at);
      waiting.set(link, ids.slice(at + 1));
      silent.set(link, new Set([...(silent.get(link) ?? []), ...before]));
      return [...before.map((event_id) => JSON.stringify({ type: 'ack', event_id })), frame];
    },
  };
}

/** What is sent while an agent has two connections counts as acknowledged. */
function secondConnectionSettles(): FrameFault {
  const silent = new WeakMap<FrameLink, Set<unknown>>();
  return {
    onEvent: (frame, link) => {
      const { type, event_id } = parse(frame) ?? {};
      if (type === 'acked' && silent.get(link)?.delete(event_id) === true) return [];
      const isShared = link.others().some(({ authorization }) => authorization === link.authorization);
      if (type !== 'event' || !isShared) return [frame];
      silent.set(link, new Set([...(silent.get(link) ?? []), event_id]));
      link.toServer(JSON.stringify({ type: 'ack', event_id }));
      return [frame];
    },
  };
}
