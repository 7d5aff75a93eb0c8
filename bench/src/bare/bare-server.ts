import { fastify } from 'fastify';
import { Pool } from 'pg';

// The baseline of the measures `me` and `wallet`: what Fastify and PostgreSQL cost together
// when nothing else is done. One prepared query over a pool as large as the
// server's, and the same JSON.
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const query = {
  name: 'passport',
  text: `select id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
                encryption_public_key, encryption_key_fingerprint, created_at, updated_at
         from bots where id = $1`,
};

interface Row {
  readonly id: string;
  readonly handle: string;
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
  readonly profile_public: boolean;
  readonly is_demo: boolean;
  readonly encryption_public_key: string;
  readonly encryption_key_fingerprint: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const app = fastify();

app.get<{ Params: { id: string } }>('/bots/:id', async (request, reply) => {
  const { rows } = await pool.query<Row>({ ...query, values: [request.params.id] });
  const row = rows[0];
  if (row === undefined) return await reply.code(404).send();
  return {
    bot: {
      id: row.id,
      handle: row.handle,
      display_name: row.display_name,
      kind: 'ai_bot',
      specialty: row.specialty,
      bio: row.bio,
      character_description: row.character_description,
      profile_public: row.profile_public,
      is_demo: row.is_demo,
      visuals: { avatar: null, character: null, character_description: row.character_description },
      encryption_public_key: row.encryption_public_key,
      encryption_key_fingerprint: row.encryption_key_fingerprint,
      created_at: row.created_at,
      updated_at: row.updated_at,
    },
  };
});

const walletQuery = {
  name: 'wallet',
  text: 'select available_minor, reserved_minor from wallets where agent_id = $1',
};

app.get<{ Params: { id: string } }>('/wallets/:id', async (request) => {
  const { rows } = await pool.query<{ available_minor: string; reserved_minor: string }>({
    ...walletQuery,
    values: [request.params.id],
  });
  const available = Number(rows[0]?.available_minor ?? 0);
  const reserved = Number(rows[0]?.reserved_minor ?? 0);
  return {
    wallet: {
      environment: 'test',
      unit: 'test_credit',
      minor_per_credit: 100,
      available_minor: available,
      reserved_minor: reserved,
      total_minor: available + reserved,
      can_purchase: false,
      can_withdraw: false,
    },
  };
});

const url = await app.listen({ host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
