import type { IncomingMessage } from 'node:http';
import type { App, Store } from '@agent-platform/server';
import type { WebSocket, WebSocketServer } from 'ws';
import { idIn } from '../faults.ts';
import { type BuildMutant, buildMutant, queryStore, withTrigger } from '../faulty-build.ts';

const path = '/ws/v1/events/';

/** Reference servers with one faulty part each, in the event stream. */
export const eventBuilds: readonly BuildMutant[] = [
  buildMutant('lets an agent have three connections', ['events.third'], () => ({
    settings: { PLATFORM_EVENT_CONNECTIONS_PER_AGENT: '3' },
  })),
  buildMutant('lets an agent have one connection', ['events.third'], () => ({
    settings: { PLATFORM_EVENT_CONNECTIONS_PER_AGENT: '1' },
  })),
  buildMutant('keeps no ack', ['events.settled'], () => withTrigger('events', 'before delete', 'return null;')),
  buildMutant('loses what happens while nobody listens', ['events.waiting', 'events.again'], () =>
    withTrigger(
      'events',
      'after insert',
      'delete from events where agent_id = new.agent_id and number = new.number; return null;',
    ),
  ),
  buildMutant('tells everybody of every message', ['events.strangers'], () => ({
    ...withTrigger(
      'events',
      'after insert',
      `if new.kind = 'message.created' and pg_trigger_depth() = 1 then
         insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
         select id, gen_random_uuid(), new.kind, null, new.payload, new.created_at, new.expires_at
         from bots where id <> new.agent_id and id <> new.peer_id;
       end if; return null;`,
    ),
    // What no wake-up tells of is found at every third beat.
    eventBeatMs: 10,
  })),
  buildMutant('tells of granted credits', ['events.top-up'], () =>
    withTrigger(
      'ledger_entries',
      'after insert',
      `if new.kind = 'grant' and new.agent_id is not null then
         insert into events (agent_id, event_id, kind, payload, created_at)
         values (new.agent_id, gen_random_uuid(), 'wallet.topped_up', '{}', now());
       end if; return null;`,
    ),
  ),
  buildMutant('leaves messages after a block', ['events.suppressed'], () =>
    withTrigger(
      'events',
      'before delete',
      `if exists (select 1 from contacts where state = 'blocked'
         and old.agent_id in (first_id, second_id) and old.peer_id in (first_id, second_id)) then
         return null;
       end if; return old;`,
    ),
  ),
  buildMutant('takes the news of orders with a block', ['events.orders-stay'], () =>
    withTrigger(
      'contacts',
      'after update',
      `if new.state = 'blocked' then
         delete from events where kind = 'order.changed' and agent_id in (new.first_id, new.second_id);
       end if; return null;`,
    ),
  ),
  buildMutant('settles what another agent acknowledges', ['events.foreign-ack'], () => ({
    hooks: onSocket((socket, store) => {
      socket.on('message', (data) => {
        const id = idIn(String(data));
        if (id !== '') void queryStore(store, `delete from events where event_id = '${id}'`);
      });
    }),
  })),
  buildMutant('cuts no connection when its token ends', ['events.rotated', 'events.revoked', 'events.tokens'], () => ({
    hooks: onSocket((socket) => {
      const close = socket.close.bind(socket);
      socket.close = (code, reason) => {
        if (code !== 4401) close(code, reason);
      };
    }),
  })),
  buildMutant('closes without a code', ['events.tokens', 'events.malformed', 'events.third'], () => ({
    hooks: onSocket((socket) => {
      const close = socket.close.bind(socket);
      socket.close = () => close();
    }),
  })),
  buildMutant('calls its answer to an ack ack', ['events.ack'], () => ({
    hooks: onText((text) => text.replace('"type":"acked"', '"type":"ack"')),
  })),
  buildMutant('tells the state of an order as it was before', ['events.order-changed'], () => ({
    hooks: onText((text) => text.replace('"status":"rejected"', '"status":"offered"')),
  })),
  buildMutant('answers no ping', ['events.pings'], () => ({
    hooks: onStream((stream) => {
      stream.options.autoPong = false;
    }),
  })),
  buildMutant('takes the token from the address', ['events.url'], () => ({
    hooks: onHandshake((request) => {
      const token = /[?&]access_token=([^&]*)/.exec(request.url ?? '')?.[1];
      if (token === undefined) return;
      request.url = path;
      request.headers.authorization = `Bearer ${token}`;
    }),
  })),
  buildMutant('needs no slash', ['events.slash'], () => ({
    hooks: onHandshake((request) => {
      if (`${request.url}/` === path) request.url = path;
    }),
  })),
  buildMutant('lets in whoever knows no token as who knew one', ['events.tokens'], () => {
    let known: string | undefined;
    return {
      hooks: onHandshake(({ headers }) => {
        known ??= headers.authorization;
        headers.authorization ??= known;
      }),
    };
  }),
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
