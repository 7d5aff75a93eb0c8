import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@agent-platform/testing/template-database';
import { sql } from 'kysely';
import { eraseAgent } from '../../src/agent-data/erase-commands.ts';
import { exportAgent } from '../../src/agent-data/export-commands.ts';
import { openStorage } from '../../src/attachments/attachments-setup.ts';
import { announcer } from '../../src/events/event-commands.ts';
import { listAgents } from '../../src/identity/agent-list-queries.ts';
import { runOperator } from '../../src/operator/run-operator.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openPgliteStore, openPostgresStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

// Measures the care for agents: a bulk suspension, lists with filters among very many agents, an export of 100,000
// messages, and the erasure of an agent with very many posts, offers and contacts.
//
//   node measure-care.ts [postgres://…]

const [serverUrl] = process.argv.slice(2);
const print = (...words: readonly string[]) => process.stdout.write(`${words.join(' ')}\n`);

const bulk = 10_000;
const many = 100_000;

const folder = mkdtempSync(join(tmpdir(), 'care-'));
const url = serverUrl === undefined ? undefined : (await createDatabase(serverUrl, 'template0')).url;
const env = { PLATFORM_DATA_DIR: folder, ...(url === undefined ? {} : { DATABASE_URL: url }) };

async function open(): Promise<Store> {
  return url === undefined
    ? await openPgliteStore(join(folder, 'database'))
    : await openPostgresStore(url, () => undefined);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await work();
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  print(`${what}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s, resident ${memory} MiB`);
  return result;
}

const agentIds = `md5('agent' || n)::uuid`;

async function seed(store: Store): Promise<void> {
  await store.migrate();
  const run = (statement: string) => store.transact((writer) => sql.raw(statement).execute(writer));
  const key = `encode(sha256(n::text::bytea), 'base64')`;
  for (let from = 1; from <= many; from += 10_000) {
    const series = `generate_series(${from}, ${from + 9_999}) as n`;
    await run(`
      insert into bots (id, handle, display_name, specialty, bio, character_description, profile_public, is_demo,
        encryption_public_key, encryption_key_fingerprint, created_at, updated_at)
      select ${agentIds}, 'agent_' || n, 'Agent ' || n, '', '', '', true, false, ${key}, ${key}, now() - interval '1 year', now()
      from ${series}`);
    await run(`insert into text_usage select ${agentIds}, 0, n from ${series}`);
  }
  // The first agent has a dialog, posts, offers and friends.
  const first = `md5('agent1')::uuid`;
  await run(`
    insert into contacts (id, first_id, second_id, requester_id, state, created_at, updated_at)
    select gen_random_uuid(), least(${first}, ${agentIds}), greatest(${first}, ${agentIds}), ${first}, 'friends', now(), now()
    from generate_series(2, 10001) as n`);
  for (let from = 1; from <= many; from += 5_000) {
    const series = `generate_series(${from}, ${from + 4_999}) as n`;
    await run(`
      insert into messages (sender_id, client_message_id, id, contact_id, recipient_id, nonce, ciphertext,
        sender_public_key, recipient_public_key, created_at, expires_at)
      select ${first}, gen_random_uuid(), gen_random_uuid(), (select id from contacts limit 1), md5('agent2')::uuid,
        decode(md5(n::text) || '0011223344556677', 'hex'), decode(repeat(md5(n::text), 64), 'hex'), 'a', 'b', now(),
        now() + interval '90 days' from ${series}`);
  }
  await run(`
    insert into posts (id, author_id, kind, title, text, visibility, rights_confirmed, was_public, created_at, updated_at)
    select gen_random_uuid(), ${first}, 'update', '', repeat('text ', 100), 'private', false, false, now(), now()
    from generate_series(1, 20000)`);
  await run(`
    with made as (
      insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
        amount_minor, fee_minor, total_minor, fee_bps, file_count, created_at, updated_at)
      select gen_random_uuid(), ${first}, md5('agent2')::uuid, ${first}, 'offered', 1, 'x', '', now(), 1000, 100, 1100,
        1000, 0, now(), now() from generate_series(1, 5000) returning id
    ) insert into order_history (order_id, version, action, participant_id, state, created_at)
    select id, 1, 'create', ${first}, 'offered', now() from made`);
}

let store = await open();
await timed(`seed ${many} agents and messages`, () => seed(store));
const now = new Date();
await timed('agents list', () => listAgents(store, { limit: 100 }, now));
await timed('agents list --idle-days 30 --min-bytes 99990 (few match)', () =>
  listAgents(store, { limit: 100, minBytes: 99_990 }, now),
);
await timed('agents list --idle-days 3000 (none match)', () => listAgents(store, { limit: 100, idleDays: 3_000 }, now));
const storage = openStorage(readSettings(env));
const record = async () => undefined;
const out = join(folder, 'export');
const parts = { store, storage, clock: () => new Date(), record };
const { counts } = await timed(`export of ${many} messages`, () =>
  exportAgent({ ...parts, note: () => undefined }, 'agent_1', out),
);
print(JSON.stringify(counts), `messages.json ${Math.round(statSync(join(out, 'messages.json')).size / 2 ** 20)} MiB`);
const { announce } = announcer(parts.clock, () => undefined);
await timed('erasure of 20,000 posts, 5,000 offers, 10,000 contacts', () =>
  eraseAgent({ ...parts, announce, accessChanged: () => undefined }, 'agent_1'),
);
await store.close();

const names = Array.from({ length: bulk }, (_, index) => `agent_${index + 2}`);
const operate = (...words: string[]) =>
  runOperator(words, {
    ...{ env, nodeVersion: process.version, uid: process.getuid?.(), clock: () => new Date() },
    ...{ out: () => undefined, err: (text) => process.stderr.write(text), errorStream: process.stderr },
  });
await timed(`agents suspend of ${bulk}, without a server`, () => operate('agents', 'suspend', ...names));
await timed(`agents reactivate of ${bulk}, without a server`, () => operate('agents', 'reactivate', ...names));
store = await open();
const { rows } = await store.read((reader) => sql`select count(*)::int as acts from operator_acts`.execute(reader));
print(JSON.stringify(rows));
await store.close();
rmSync(folder, { recursive: true, force: true });
