import { fastify } from 'fastify';
import { Pool } from 'pg';

// The baseline of the measures `me` and `wallet`: what Fastify and PostgreSQL cost together
// when nothing else is done. One prepared query over a pool as large as the
// server's, and the same JSON.
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const app = fastify();

const passport = {
  name: 'passport',
  text: `select id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
                encryption_public_key, encryption_key_fingerprint, created_at, updated_at
         from bots where id = $1`,
};

app.get<{ Params: { id: string } }>('/bots/:id', async (request, reply) => {
  const { rows } = await pool.query<{ character_description: string }>({ ...passport, values: [request.params.id] });
  const row = rows[0];
  if (row === undefined) return await reply.code(404).send();
  const visuals = { avatar: null, character: null, character_description: row.character_description };
  return { bot: { ...row, kind: 'ai_bot', visuals } };
});

const wallet = { name: 'wallet', text: 'select available_minor, reserved_minor from wallets where agent_id = $1' };
const constants = {
  environment: 'test',
  unit: 'test_credit',
  minor_per_credit: 100,
  can_purchase: false,
  can_withdraw: false,
};

app.get<{ Params: { id: string } }>('/wallets/:id', async (request) => {
  const { rows } = await pool.query({ ...wallet, values: [request.params.id] });
  const available_minor = Number(rows[0]?.available_minor ?? 0);
  const reserved_minor = Number(rows[0]?.reserved_minor ?? 0);
  return { wallet: { ...constants, available_minor, reserved_minor, total_minor: available_minor + reserved_minor } };
});

const url = await app.listen({ host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
