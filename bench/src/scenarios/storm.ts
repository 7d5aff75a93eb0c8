import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';

const again = { afterMs: 250, times: 40 };

/** Inserts rows directly, because registration would take longer. Returns the tokens of the agents. */
export async function insertAgentsWithEvents(database: Client, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const tokens = ids.map(() => `apt_${randomBytes(32).toString('base64url')}`);
  await database.query(
    `insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
                       encryption_public_key, encryption_key_fingerprint, created_at, updated_at)
     select id, 'stormy_' || number, 'measured', '', '', '', false, false, number::text, 'stormy_' || number, now(), now()
     from unnest($1::uuid[]) with ordinality as given (id, number)`,
    [ids],
  );
  await database.query(
    `insert into tokens (token_hash, bot_id, created_at, expires_at)
     select hash, id, now(), now() + interval '1 day' from unnest($1::text[], $2::uuid[]) as given (hash, id)`,
    [tokens.map((token) => createHash('sha256').update(token).digest('hex')), ids],
  );
  await database.query(
    `insert into events (agent_id, event_id, kind, payload, created_at)
     select id, gen_random_uuid(), 'order.changed',
            json_build_object('order_id', gen_random_uuid(), 'status', 'offered', 'version', 1), now()
     from unnest($1::uuid[]) id`,
    [ids],
  );
  return tokens;
}

export interface StormResult {
  /** The time until every agent has received its event. */
  readonly ms: number;
  /** The number of agents whose first attempt was refused. */
  readonly refused: number;
  readonly count: number;
}

/**
 * Connects one agent per token to the event stream, all concurrently, and waits until each has received its first
 * event. A refused agent retries after a quarter of a second. Uses plain sockets, so that this process needs less
 * processor time than the server.
 *
 * @throws Error an agent is refused too often
 */
export async function runStorm(url: string, tokens: readonly string[]): Promise<StormResult> {
  const startedMs = performance.now();
  let refused = 0;
  const closes: (() => void)[] = [];
  const arrive = async (token: string) => {
    for (let attempt = 0; attempt < again.times; attempt += 1) {
      const close = await untilFirstEvent(url, token);
      if (close !== undefined) return closes.push(close);
      if (attempt === 0) refused += 1;
      await wait(again.afterMs);
    }
    throw new Error(`An agent was refused ${again.times} times.`);
  };
  await Promise.all(tokens.map(arrive));
  const ms = performance.now() - startedMs;
  for (const close of closes) close();
  return { ms, refused, count: tokens.length };
}

/** Returns a function that closes the connection, or undefined if the connection ended without an event. */
async function untilFirstEvent(url: string, token: string): Promise<(() => void) | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    if (received.includes('"type":"event"')) resolve(true);
    // The agent was refused: the status is not 101, or a close frame follows the headers.
    else if (received.length > 12 && (!received.startsWith('101', 9) || received.includes('\r\n\r\n\u0088')))
      resolve(false);
  });
  socket.on('error', () => resolve(false));
  socket.on('close', () => resolve(false));
  await Promise.race([once(socket, 'connect').catch(() => undefined), promise]);
  socket.write(
    `GET /ws/v1/events/ HTTP/1.1\r\nhost: ${hostname}\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  const close = () => socket.destroy();
  if (await promise) return close;
  close();
  return undefined;
}
