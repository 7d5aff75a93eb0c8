import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { parseJsonObject } from '../../faults.ts';
import type { Fault, FrameFault, FrameLink, ProxiedUpgrade } from '../../passing.ts';

// Faults in the event stream: frames, acks, redelivery, and pending events.

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
sends the version before the change | order.changed payload: version | event order.changed -> map payload.version less
sends the title of an order | terms are not sent in the notification | event order.changed -> set payload.title "Work"
sends the amounts of an order | amounts are not sent in the notification | event order.changed -> set payload.amount_minor 1000
sends the files of a delivery | files are not sent in the notification | = files of a delivery
sends the order whole | order.changed payload: order_id, status, version | event order.changed -> map payload nested
settles all earlier events with an ack | an ack applies to one event | = acks settle before
counts the first ack of a connection alone | the ack settles an event | = first ack alone
`;

type Frame = Readonly<Record<string, unknown>>;

function stream(make: () => FrameFault): () => Fault {
  return () => ({ frames: make() });
}

/** Changes events; other frames pass unchanged. */
function onEvents(become: (event: Frame, link: FrameLink) => readonly Frame[]): FrameFault {
  return {
    onEvent: (frame, link) => {
      const event = parseJsonObject(frame);
      if (event?.['type'] !== 'event') return [frame];
      return become(event, link).map((each) => JSON.stringify(each));
    },
  };
}

const upgrade = (change: (asked: ProxiedUpgrade, last: string | undefined) => ProxiedUpgrade): (() => Fault) =>
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

export default parseCatalogueTable(table, {
  values: {
    less: (version: unknown) => Number(version) - 1,
    nested: (payload: Frame) => ({ order: payload }),
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
    'files of a delivery': stream(() =>
      onEvents((event) => {
        const payload = payloadOf(event);
        const isDelivery = payload['status'] === 'delivered';
        return [isDelivery ? { ...event, payload: { ...payload, result_attachments: [] } } : event];
      }),
    ),
    'acks settle before': stream(acksSettleBefore),
    'first ack alone': stream(() => swallowing((count) => count > 1)),
  },
});

/** Answers some acks of a connection without forwarding them to the server; `count` starts at 1. */
function swallowing(isSwallowed: (count: number) => boolean): FrameFault {
  const acks = new WeakMap<FrameLink, number>();
  return {
    onAck: (frame, link) => {
      const ack = parseJsonObject(frame);
      if (ack?.['type'] !== 'ack') return [frame];
      const count = (acks.get(link) ?? 0) + 1;
      acks.set(link, count);
      if (!isSwallowed(count)) return [frame];
      link.toClient(JSON.stringify({ type: 'acked', event_id: ack['event_id'] }));
      return [];
    },
  };
}

/** Treats an ack as an ack of all earlier events on the connection. */
function acksSettleBefore(): FrameFault {
  const waiting = new WeakMap<FrameLink, unknown[]>();
  const silent = new WeakMap<FrameLink, Set<unknown>>();
  return {
    onEvent: (frame, link) => {
      const { type, event_id } = parseJsonObject(frame) ?? {};
      if (type === 'event') waiting.set(link, [...(waiting.get(link) ?? []), event_id]);
      return type === 'acked' && silent.get(link)?.delete(event_id) === true ? [] : [frame];
    },
    onAck: (frame, link) => {
      const ids = waiting.get(link) ?? [];
      const at = ids.indexOf(parseJsonObject(frame)?.['event_id']);
      if (at === -1) return [frame];
      const before = ids.slice(0, at);
      waiting.set(link, ids.slice(at + 1));
      silent.set(link, new Set([...(silent.get(link) ?? []), ...before]));
      return [...before.map((event_id) => JSON.stringify({ type: 'ack', event_id })), frame];
    },
  };
}
