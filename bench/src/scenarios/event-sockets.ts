import { once } from 'node:events';
import type { Client } from 'pg';
import { WebSocket } from 'ws';

/** Lets events of orders wait for an agent. */
export async function insertBacklog(database: Client, agentId: string, count: number): Promise<void> {
  await database.query(
    `insert into events (agent_id, event_id, kind, payload, created_at)
     select $1::uuid, gen_random_uuid(), 'order.changed',
            json_build_object('order_id', gen_random_uuid(), 'status', 'offered', 'version', version), now()
     from generate_series(1, $2::int) as version`,
    [agentId, count],
  );
}

/** Lets an event of an order wait for each agent. */
export async function insertEvent(database: Client, agentIds: readonly string[]): Promise<void> {
  await database.query(
    `insert into events (agent_id, event_id, kind, payload, created_at)
     select id, gen_random_uuid(), 'order.changed',
            json_build_object('order_id', gen_random_uuid(), 'status', 'offered', 'version', 1), now()
     from unnest($1::uuid[]) id`,
    [agentIds],
  );
}

/** Opens a WebSocket; with a token, to the event stream. */
export async function openSocket(url: string, token?: string): Promise<WebSocket> {
  const address = url.replace(/^http/, 'ws') + (token === undefined ? '/' : '/ws/v1/events/');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

/** Acknowledges every event of a stream, and hands every frame on. */
export function acknowledge(socket: WebSocket, onFrame: (type: string, text: string) => void): void {
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    const frame: { readonly type: string; readonly event_id: string } = JSON.parse(text);
    if (frame.type === 'event') socket.send(JSON.stringify({ type: 'ack', event_id: frame.event_id }));
    onFrame(frame.type, text);
  });
}
