import { fastify } from 'fastify';
import { Pool } from 'pg';
import { makeAnnouncer } from '../../src/events/event-commands.ts';
import type { Agent } from '../../src/identity/agent.ts';
import { sendMessage } from '../../src/messages/message-commands.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { createPost } from '../../src/posts/post-commands.ts';
import { showPost } from '../../src/posts/post-view.ts';
import { StatementBatcher } from '../../src/store/statements/batches.ts';
import type { Store } from '../../src/store/store.ts';

// The floor of posts and messages: bare routes that execute the batched statements of the server. They check neither
// token nor body, count no limits, write no log and deliver no event.
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const run: Store['run'] = async ({ name, text }, values) =>
  (await pool.query({ name, text, values: [...values] })).rows;
const batches = new StatementBatcher(run);
const ask: Store['ask'] = async (statement, values) => (await batches.ask(statement, values))[0];
const clock = () => new Date();
const parts = { store: { ask } as Store, clock, agentTextBytes: 0 };
const attachments = { show: () => [] } as unknown as Parameters<typeof showPost>[1];
const { draftEvent } = makeAnnouncer(clock, () => undefined);
const limitMessages = { take: async () => undefined, giveBack: () => undefined };

const agents = new Map<string, Promise<Agent>>();

function agentOf(authorization = ''): Promise<Agent> {
  const agent = agents.get(authorization) ?? readAgent(authorization.slice('Bearer '.length));
  agents.set(authorization, agent);
  return agent;
}

async function readAgent(token: string): Promise<Agent> {
  const text = 'select bots.* from tokens join bots on bots.id = bot_id where token_hash = $1';
  return (await pool.query(text, [sha256(token)])).rows[0];
}

const app = fastify();
app.post<{ Body: Parameters<typeof createPost>[2] }>('/api/v1/posts', async ({ headers, body }, reply) => {
  const agent = await agentOf(headers.authorization);
  const post = await createPost({ ...parts, attachments }, agent, body);
  return await reply.code(201).send({ post: showPost(post, attachments, agent.id) });
});
app.post<{ Body: Parameters<typeof sendMessage>[2] }>('/api/v1/messages', async ({ headers, body }, reply) => {
  const sender = await agentOf(headers.authorization);
  const { message } = await sendMessage({ ...parts, draftEvent, limitMessages, messageDays: 30 }, sender, body);
  return await reply.code(201).send({ message });
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
