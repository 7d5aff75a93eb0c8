import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from 'pg';
import { request } from 'undici';
import { WebSocket } from 'ws';

/** An agent with what its connections need. */
export interface EventAgent {
  readonly id: string;
  readonly token: string;
}

/** Puts agents with tokens into a database of the server, faster than they could register. */
export async function insertAgents(database: Client, prefix: string, count: number): Promise<readonly EventAgent[]> {
  const agents = Array.from({ length: count }, () => ({
    id: randomUUID(),
    token: `apt_${randomBytes(32).toString('base64url')}`,
  }));
  await database.query(
    `insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
                       encryption_public_key, encryption_key_fingerprint, created_at, updated_at)
     select id, $2::text || number, 'measured', '', '', '', false, false, number::text, number::text, now(), now()
     from unnest($1::uuid[]) with ordinality as given (id, number)`,
    [agents.map(({ id }) => id), prefix],
  );
  await database.query(
    `insert into tokens (token_hash, bot_id, created_at, expires_at)
     select hash, id, now(), now() + interval '1 day' from unnest($1::text[], $2::uuid[]) as given (hash, id)`,
    [agents.map(({ token }) => createHash('sha256').update(token).digest('hex')), agents.map(({ id }) => id)],
  );
  return agents;
}

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

/** Opens a WebSocket; with a token, to the event stream. */
export async function openSocket(url: string, token?: string): Promise<WebSocket> {
  const address = url.replace(/^http/, 'ws') + (token === undefined ? '/' : '/ws/v1/events/');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

/** Posts JSON as an agent and returns the answer; throws when it is not a good one. */
export async function post<T>(url: string, token: string, path: string, body: object): Promise<T> {
  const answer = await request(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
}
