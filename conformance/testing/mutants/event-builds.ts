import type { IncomingMessage } from 'node:http';
import type { App, Store } from '@agent-platform/server';
import type { WebSocket, WebSocketServer } from 'ws';
import { idIn } from '../faults.ts';
import { buildTable, queryStore, triggerBuilds, withTrigger } from '../faulty-build.ts';

const path = '/ws/v1/events/';

/** Reference servers with one faulty part each, in the event stream. */
export const eventBuilds = [
  ...triggerBuilds(
    'events',
    `
keeps no ack | settled | before delete on events | return null;
loses what happens while nobody listens | waiting again | after insert on events | delete from events where agent_id = new.agent_id and number = new.number; return null;
tells of granted credits | top-up | after insert on ledger_entries | if new.kind = 'grant' and new.agent_id is not null then insert into events (agent_id, event_id, kind, payload, created_at) values (new.agent_id, gen_random_uuid(), 'wallet.topped_up', '{}', now()); end if; return null;
leaves messages after a block | suppressed | before delete on events | if exists (select 1 from contacts where state = 'blocked' and old.agent_id in (first_id, second_id) and old.peer_id in (first_id, second_id)) then return null; end if; return old;
takes the news of orders with a block | orders-stay | after update on contacts | if new.state = 'blocked' then delete from events where kind = 'order.changed' and agent_id in (new.first_id, new.second_id); end if; return null;
`,
  ),
  ...buildTable('events', [
    [
      'lets an agent have three connections',
      'third',
      {
        settings: { PLATFORM_EVENT_CONNECTIONS_PER_AGENT: '3' },
      },
    ],
    [
      'lets an agent have one connection',
      'third',
      {
        settings: { PLATFORM_EVENT_CONNECTIONS_PER_AGENT: '1' },
      },
    ],
    [
      'tells everybody of every message',
      'strangers',
      {
        ...withTrigger(
          'events',
          'after insert',
          `if new.kind = 'message.created' and pg_trigger_depth() = 1 then
         insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
         select id, gen_random_uuid(), new.kind, null, new.payload, new.created_at, new.expires_at
         from bots where id <> new.agent_id and id <> new.peer_id;
       end if; return null;`,
        ),
        // An event without a wake-up is found at every third tick.
        eventTickMs: 10,
      },
    ],
    [
      'settles what another agent acknowledges',
      'foreign-ack',
      {
        hooks: onSocket((socket, store) => {
          socket.on('message', (data) => {
            const id = idIn(String(data));
            if (id !== '') void queryStore(store, `delete from events where event_id = '${id}'`);
          });
        }),
      },
    ],
    [
      'cuts no connection when its token ends',
      'rotated revoked tokens',
      {
        hooks: onSocket((socket) => {
          const close = socket.close.bind(socket);
          socket.close = (code, reason) => {
            if (code !== 4401) close(code, reason);
          };
        }),
      },
    ],
    [
      'closes without a code',
      'tokens malformed third',
      {
        hooks: onSocket((socket) => {
          const close = socket.close.bind(socket);
          socket.close = () => close();
        }),
      },
    ],
    [
      'calls its answer to an ack ack',
      'ack',
      {
        hooks: onText((text) => text.replace('"type":"acked"', '"type":"ack"')),
      },
    ],
    [
      'tells the state of an order as it was before',
      'order-changed',
      {
        hooks: onText((text) => text.replace('"status":"rejected"', '"status":"offered"')),
      },
    ],
    [
      'answers no ping',
      'pings',
      {
        hooks: onStream((stream) => {
          stream.options.autoPong = false;
        }),
      },
    ],
    [
      'takes the token from the address',
      'url',
      {
        hooks: onHandshake((request) => {
          const token = /[?&]access_token=([^&]*)/.exec(request.url ?? '')?.[1];
          if (token === undefined) return;
          request.url = path;
          request.headers.authorization = `Bearer ${token}`;
        }),
      },
    ],
    [
      'needs no slash',
      'slash',
      {
        hooks: onHandshake((request) => {
          if (`${request.url}/` === path) request.url = path;
        }),
      },
    ],
    [
      'lets in whoever knows no token as who knew one',
      'tokens',
      () => {
        let known: string | undefined;
        return {
          hooks: onHandshake(({ headers }) => {
            known ??= headers.authorization;
            headers.authorization ??= known;
          }),
        };
      },
    ],
  ]),
];

type Hooks = (http: App['http'], store: Store) => void;

/** Changes what a connection is asked for with, before it is decided whether that is one. */
function onHandshake(change: (request: IncomingMessage) => void): Hooks {
  return ({ server }) => {
    const decide: unknown = Reflect.get(server, 'shouldUpgradeCallback');
    Reflect.set(server, 'shouldUpgradeCallback', (request: IncomingMessage) => {
      change(request);
      return typeof decide === 'function' ? decide(request) : true;
    });
  };
}

/** Changes the server of the stream, once there is one. */
function onStream(change: (stream: WebSocketServer, store: Store) => void): Hooks {
  return (http, store) => {
    http.addHook('onReady', async () => {
      const { websocketServer } = http as unknown as { readonly websocketServer: WebSocketServer };
      change(websocketServer, store);
    });
  };
}

/** Changes every connection. */
function onSocket(change: (socket: WebSocket, store: Store) => void): Hooks {
  return onStream((stream, store) => {
    stream.on('connection', (socket) => change(socket, store));
  });
}

/** Changes every frame that goes out. */
function onText(change: (text: string) => string): Hooks {
  return onSocket((socket) => {
    const send = socket.send.bind(socket) as (data: string, done?: (error?: Error) => void) => void;
    Reflect.set(socket, 'send', (data: string, done?: (error?: Error) => void) => send(change(data), done));
  });
}
