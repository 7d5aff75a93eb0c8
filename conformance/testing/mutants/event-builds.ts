import type { IncomingMessage } from 'node:http';
import type { Store } from '@agent-platform/server';
import type { WebSocket, WebSocketServer } from 'ws';
import { idIn } from '../faults.ts';
import { type FaultyBuild, parseBuildTable, queryStore, withTrigger } from '../faulty-build.ts';

const path = '/ws/v1/events/';

export const eventBuilds = parseBuildTable(
  'events',
  `
keeps no ack | settled | before delete on events | return null;
loses events without a connection | waiting again | after insert on events | delete from events where agent_id = new.agent_id and number = new.number; return null;
sends an event for granted credits | top-up | after insert on ledger_entries | if new.kind = 'grant' and new.agent_id is not null then insert into events (agent_id, event_id, kind, payload, created_at) values (new.agent_id, gen_random_uuid(), 'wallet.topped_up', '{}', now()); end if; return null;
leaves messages after a block | suppressed | before delete on events | if exists (select 1 from contacts where state = 'blocked' and old.agent_id in (first_id, second_id) and old.peer_id in (first_id, second_id)) then return null; end if; return old;
takes the news of orders with a block | orders-stay | after update on contacts | if new.state = 'blocked' then delete from events where kind = 'order.changed' and agent_id in (new.first_id, new.second_id); end if; return null;
lets an agent have three connections | third | PLATFORM_EVENT_CONNECTIONS_PER_AGENT=3
lets an agent have one connection | third | PLATFORM_EVENT_CONNECTIONS_PER_AGENT=1
tells everybody of every message | strangers | = toldToAll
settles what another agent acknowledges | foreign-ack | = foreignAcks
cuts no connection when its token ends | rotated revoked | = outlivesToken
closes without a code | tokens malformed third | = noCode
calls its answer to an ack ack | ack | = ackedAsAck
tells the state of an order as it was before | order-changed | = earlierState
sends events for refused commands | order-changed | = toldRefusals
is mute after a rotation | rotated | before insert on events | if exists (select 1 from tokens where bot_id = new.agent_id and ended_at is not null) then return null; end if; return new;
answers no ping | pings | = noPong
takes the token from the address | url | = tokenFromUrl
needs no slash | slash | = noSlash
accepts invalid tokens as the last valid one | tokens | = lastKnown
`,
  {
    toldToAll: {
      ...withTrigger(
        'events',
        'after insert',
        `if new.kind = 'message.created' and pg_trigger_depth() = 1 then
         insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
         select id, gen_random_uuid(), new.kind, null, new.payload, new.created_at, new.expires_at
         from bots where id <> new.agent_id and id <> new.peer_id;
       end if; return null;`,
      ),
      // Short ticks, because a server that is not woken looks for events only at every third tick.
      eventTickMs: 10,
    },
    foreignAcks: onSocket((socket, store) => {
      socket.on('message', (data) => {
        const id = idIn(String(data));
        if (id !== '') void queryStore(store, `delete from events where event_id = '${id}'`);
      });
    }),
    outlivesToken: onSocket((socket) => {
      const close = socket.close.bind(socket);
      let isInUse = false;
      socket.on('ping', () => {
        isInUse = true;
      });
      socket.close = (code, reason) => {
        if (code !== 4401 || !isInUse) close(code, reason);
      };
    }),
    noCode: onSocket((socket) => {
      const close = socket.close.bind(socket);
      socket.close = () => close();
    }),
    ackedAsAck: onText((text) => text.replace('"type":"acked"', '"type":"ack"')),
    earlierState: onText((text) => text.replace('"status":"rejected"', '"status":"offered"')),
    toldRefusals: {
      hooks: (http, store) => {
        http.addHook('onSend', async ({ method, url }, reply) => {
          if (method !== 'POST' || !/orders\/[^/]+\//.test(url) || reply.statusCode < 400) return;
          await queryStore(
            store,
            `insert into events (agent_id, event_id, kind, payload, created_at)
             select party.id, gen_random_uuid(), 'order.changed',
               json_build_object('order_id', orders.id, 'status', 'funded', 'version', orders.version), now()
             from orders cross join lateral (values (orders.customer_id), (orders.contractor_id)) as party(id)
             where orders.id = '${idIn(url)}'`,
          );
        });
      },
      // Short ticks, because a server that is not woken looks for events only at every third tick.
      eventTickMs: 10,
    },
    noPong: onStream((stream) => {
      stream.options.autoPong = false;
    }),
    tokenFromUrl: onHandshake((request) => {
      const token = /[?&]access_token=([^&]*)/.exec(request.url ?? '')?.[1];
      if (token === undefined) return;
      request.url = path;
      request.headers.authorization = `Bearer ${token}`;
    }),
    noSlash: onHandshake((request) => {
      if (`${request.url}/` === path) request.url = path;
    }),
    lastKnown: () => {
      let known: string | undefined;
      return onHandshake(({ headers }) => {
        known ??= headers.authorization;
        headers.authorization ??= known;
      });
    },
  },
);

/** Changes a connection request before the server accepts or refuses it. */
function onHandshake(change: (request: IncomingMessage) => void): FaultyBuild {
  return {
    hooks: ({ server }) => {
      const decide: unknown = Reflect.get(server, 'shouldUpgradeCallback');
      Reflect.set(server, 'shouldUpgradeCallback', (request: IncomingMessage) => {
        change(request);
        return typeof decide === 'function' ? decide(request) : true;
      });
    },
  };
}

/** Changes the WebSocket server of the event stream after it was created. */
function onStream(change: (stream: WebSocketServer, store: Store) => void): FaultyBuild {
  return {
    hooks: (http, store) => {
      http.addHook('onReady', async () => {
        const { websocketServer } = http as unknown as { readonly websocketServer: WebSocketServer };
        change(websocketServer, store);
      });
    },
  };
}

function onSocket(change: (socket: WebSocket, store: Store) => void): FaultyBuild {
  return onStream((stream, store) => {
    stream.on('connection', (socket) => change(socket, store));
  });
}

function onText(change: (text: string) => string): FaultyBuild {
  return onSocket((socket) => {
    const send = socket.send.bind(socket) as (data: string, done?: (error?: Error) => void) => void;
    Reflect.set(socket, 'send', (data: string, done?: (error?: Error) => void) => send(change(data), done));
  });
}
