import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import { baselineRoutes } from './least-statements.ts';

// The baseline: each request executes one prepared statement on the server's tables, with as many connections as
// the server's pool. It has no limits, validation or log, and a refusal gives no reason.
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));

const hashOf = (authorization = '') => createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex');

for (const { method, path, sql } of baselineRoutes) {
  app.route<{ Params: { id?: string } }>({
    method,
    url: path,
    handler: async ({ headers, params, body }, reply) => {
      const given = [body, params.id].filter((value) => value !== undefined && value !== null);
      const values = [hashOf(headers.authorization), ...given];
      const { rows } = await pool.query<{ body: string }>({ name: `${method} ${path}`, text: sql, values });
      const [row] = rows;
      if (row === undefined) return await reply.code(404).send();
      return await reply
        .code(method === 'GET' ? 200 : 201)
        .type('application/json; charset=utf-8')
        .send(row.body);
    },
  });
}

// Finds the agent that owns the token, and its waiting events.
const waiting = {
  name: 'waiting',
  text: `select event_id, kind, payload::text as payload from tokens left join events on agent_id = bot_id
         where token_hash = $1 and tokens.expires_at > now() and ended_at is null order by number limit 64`,
};

async function admit(socket: WebSocket, authorization: string | undefined): Promise<void> {
  const { rows } = await pool.query({ ...waiting, values: [hashOf(authorization)] });
  if (rows.length === 0) socket.close(4401);
  for (const { event_id, kind, payload } of rows)
    if (event_id !== null)
      socket.send(`{"type":"event","event_id":"${event_id}","kind":"${kind}","payload":${payload}}`);
}

const url = await app.listen({ host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
new WebSocketServer({ server: app.server, perMessageDeflate: false, maxPayload: 65_536 }).on(
  'connection',
  (socket, request) => void admit(socket, request.headers.authorization),
);
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
