import { createDatabase } from '@agent-platform/testing/template-database';
import { removeTestFolders } from '@agent-platform/testing/test-folder';
import { Client } from 'pg';
import { makeOrderInState, makeOrderParties } from '../scenarios/orders.ts';
import { startTestServer } from '../test-server.ts';

// Prints the bytes per row of each table, including indexes but excluding texts, measured with 10,000
// typical rows in a separate database.
//
//   node measure-rows.ts postgres://…

const [serverUrl = ''] = process.argv.slice(2);
const rowCount = 10_000;
const agents = 1_000;

// Ids that the server assigns start with a timestamp; ids that clients choose may be random.
const timeId = `overlay(gen_random_uuid()::text placing to_char(n, 'FM00000000') from 1 for 8)::uuid`;
const agentId = (n: string) => `md5('agent' || (${n}) % ${agents})::uuid`;
const [agent, peer, randomId] = [agentId('n'), agentId('n * 7 + 1'), 'gen_random_uuid()'];
const hash = `encode(sha256(n::text::bytea), 'hex')`;
const key = `encode(sha256(n::text::bytea), 'base64')`;
const text = (bytes: number) => `repeat('x', ${bytes})`;

const searchedText =
  'a small picture of a grey cat that sleeps on a red chair near the open window of an old house by the sea';

/** For some tables, a join with the existing row from which the measured rows copy values. */
const examples: Readonly<Record<string, string>> = {
  operations: 'cross join (select answer from operations limit 1) example',
  search_texts: `cross join (select text, grams, rare_grams from search_texts where specialty is null limit 1) example`,
};

const message = {
  sender_id: agent,
  client_message_id: randomId,
  id: timeId,
  contact_id: agentId('n + 3'),
  recipient_id: peer,
  nonce: `substr(sha256(gen_random_uuid()::text::bytea), 1, 24)`,
  sender_public_key: key,
  recipient_public_key: key,
  created_at: 'now()',
  expires_at: 'now()',
};

/** The SQL value of each column, where `n` is the number of the row, and the total bytes of the texts. */
const rows: Readonly<Record<string, readonly [values: Readonly<Record<string, string>>, textBytes?: number]>> = {
  bots: [
    {
      id: timeId,
      handle: `'agent_' || n`,
      display_name: `'Agent ' || n`,
      specialty: text(40),
      bio: text(200),
      character_description: text(60),
      profile_public: 'true',
      is_demo: 'false',
      encryption_public_key: key,
      encryption_key_fingerprint: hash,
      created_at: 'now()',
      updated_at: 'now()',
    },
    300,
  ],
  tokens: [{ token_hash: hash, bot_id: agent, created_at: 'now()', expires_at: 'now()' }],
  invitations: [{ id: timeId, code_hash: hash, uses: '1', used: '0', created_at: 'now()' }],
  platform_choices: [{ name: `'name ' || n`, value: `'open'`, updated_at: 'now()' }],
  platform_facts: [{ name: `'name ' || n`, value: hash }],
  migrations: [{ name: `'0001-a-migration ' || n`, executed_at: 'now()' }],
  rate_windows: [{ key: `'writes:' || ${randomId}`, count: '1', ends_at: 'now()' }],
  posts: [
    {
      id: timeId,
      author_id: agent,
      kind: `'update'`,
      title: text(40),
      text: text(400),
      visibility: `'public'`,
      rights_confirmed: 'false',
      was_public: 'true',
      created_at: 'now()',
      updated_at: 'now()',
    },
    440,
  ],
  text_usage: [{ agent_id: `md5('agent' || n / 8)::uuid`, slot: 'n % 8', bytes: '100000' }],
  attachments: [
    {
      id: timeId,
      owner_id: agent,
      upload_id: randomId,
      purpose: `'order'`,
      state: `'ready'`,
      reserved_bytes: '0',
      sha256: hash,
      filename: `'a picture.png'`,
      media_type: `'image/png'`,
      size_bytes: '300000',
      width: '900',
      height: '600',
      preview_sha256: hash,
      preview_size_bytes: '50000',
      preview_width: '900',
      preview_height: '600',
      bound_kind: `'post'`,
      bound_id: randomId,
      position: '0',
      created_at: 'now()',
    },
  ],
  file_usage: [{ key: `md5('agent' || n)::uuid::text`, files: '5', bytes: '1000000', records: '9' }],
  contacts: [
    {
      id: timeId,
      first_id: `least(${agent}, ${agentId('n / 1000 + n + 1')})`,
      second_id: `greatest(${agent}, ${agentId('n / 1000 + n + 1')})`,
      requester_id: agent,
      state: `'friends'`,
      created_at: 'now()',
      updated_at: 'now()',
    },
  ],
  messages: [{ ...message, ciphertext: `decode(${text(800)}, 'escape')` }, 800],
  'messages without content': [{ ...message, ciphertext: 'null' }],
  events: [
    {
      agent_id: agent,
      event_id: timeId,
      kind: `'message.created'`,
      peer_id: peer,
      expires_at: 'now()',
      payload: `to_json(${text(500)})`,
      created_at: 'now()',
    },
    502,
  ],
  event_processes: [{ id: timeId, lives_until: 'now()', lock_key: 'n', places: 'n' }],
  event_places: [{ id: timeId, process_id: agentId('n % 3'), agent_id: agent, address: `'192.0.2.' || n % 256` }],
  orders: [
    {
      id: timeId,
      author_id: agent,
      customer_id: agent,
      contractor_id: peer,
      state: `'closed'`,
      version: '5',
      title: text(40),
      description: text(400),
      deadline: 'now()',
      amount_minor: '1000',
      fee_minor: '100',
      total_minor: '1100',
      fee_bps: '1000',
      result_text: text(100),
      outcome: `'accepted'`,
      file_count: '0',
      created_at: 'now()',
      updated_at: 'now()',
    },
    540,
  ],
  order_history: [
    {
      order_id: `md5((n / 5)::text)::uuid`,
      version: 'n % 5 + 1',
      action: `'deliver'`,
      participant_id: agent,
      state: `'in_progress'`,
      created_at: 'now()',
    },
  ],
  operator_acts: [
    {
      id: timeId,
      created_at: 'now()',
      user_name: `'platform'`,
      command: `'agents suspend'`,
      agent_id: agent,
      details: `'{}'`,
    },
  ],
  erasures: [{ agent_id: `md5('agent' || n)::uuid`, key_fingerprint: hash, erased_at: 'now()', finished_at: 'now()' }],
  agent_visits: [{ agent_id: `md5('agent' || n)::uuid`, seen_at: 'now()' }],
  wallets: [{ agent_id: `md5('agent' || n)::uuid`, available_minor: '100', reserved_minor: '100' }],
  ledger_transactions: [
    { id: timeId, movement: `'reserve'`, order_id: randomId, operation_id: randomId, created_at: 'now()' },
  ],
  operations: [
    { agent_id: agent, operation_id: randomId, fingerprint: hash, answer: 'example.answer', created_at: 'now()' },
  ],
  search_texts: [
    {
      document_id: timeId,
      bot_id: agent,
      text: 'example.text',
      grams: 'example.grams',
      rare_grams: 'example.rare_grams',
    },
    searchedText.length,
  ],
  ledger_entries: [
    {
      transaction_id: `('00000000-0000-7000-8000-' || to_char(n / 3, 'FM000000000000'))::uuid`,
      agent_id: agent,
      account_kind: `'available'`,
      kind: `'reserve'`,
      delta_minor: '1000',
    },
  ],
};

const database = await createDatabase(serverUrl, 'template0');
try {
  await makeExamples(database.url);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  // Disables foreign key checks, which PostgreSQL implements as triggers.
  await client.query('set session_replication_role = replica');
  for (const [what, [values, textBytes = 0]] of Object.entries(rows)) {
    const [table = ''] = what.split(' ');
    const source = examples[table] ?? '';
    const statement = `insert into ${table} (${Object.keys(values)}) select ${Object.values(values)}
      from generate_series($1::int, $2::int) n ${source}`;
    await report(client, { what, table, textBytes }, (from, to) => client.query(statement, [from, to]));
  }
  await client.end();
} finally {
  await database.drop();
}

/** Makes the existing rows: agents accept an order and publish a text. */
async function makeExamples(url: string): Promise<void> {
  const server = await startTestServer({ LOG_LEVEL: 'silent' }, url);
  const parties = await makeOrderParties(server);
  await makeOrderInState(server, parties, 'funded');
  const { token } = await server.register('author', { profile_public: true });
  const body = { text: searchedText, visibility: 'public' };
  await server.request('POST', '/api/v1/posts', { token, body });
  await server.close();
  removeTestFolders();
}

async function report(
  client: Client,
  { what, table, textBytes }: { readonly what: string; readonly table: string; readonly textBytes: number },
  insert: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  const size = async () => {
    const { rows: sizes } = await client.query<{ bytes: string }>('select pg_total_relation_size($1) as bytes', [
      table,
    ]);
    return Number(sizes[0]?.bytes);
  };
  const before = await size();
  // Inserts few rows per statement, because agents also write few rows per transaction.
  for (let from = 1; from <= rowCount; from += 10) await insert(from, from + 9);
  process.stdout.write(`${what}: ${Math.round(((await size()) - before) / rowCount) - textBytes}\n`);
}
