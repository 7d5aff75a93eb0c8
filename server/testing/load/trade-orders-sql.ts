import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { friendshipOfPair } from '../../src/contacts/contact-queries.ts';
import { insertEvent } from '../../src/events/event-commands.ts';
import { callerByToken } from '../../src/identity/tokens/token-queries.ts';
import { drawWallet, fillWallet, recordTransaction } from '../../src/ledger/ledger-commands.ts';
import { claimOperation, keepAnswer } from '../../src/orders/once-commands.ts';
import { orderForChange, participants } from '../../src/orders/order-queries.ts';
import { addOrder, changeOrder } from '../../src/orders/order-record-commands.ts';
import { newId } from '../../src/platform/new-id.ts';
import { measureRate, statement } from './measure-rate.ts';

// The statements behind a whole order (create, accept, start, deliver,
// complete), run by the driver alone: as many loops at the same time as a load
// has connections, over a pool like the server's, between the friends that the
// database holds. It prints how many orders a second that makes.
//
//   node trade-orders-sql.ts postgres://… <seconds> <loops>

const [url = '', seconds = '1', loops = '1'] = process.argv.slice(2);
const poolSize = 10;
const [amountMinor, feeMinor, totalMinor] = [1_000, 100, 1_100];

interface Pair {
  readonly first_id: string;
  readonly second_id: string;
  readonly customer_id: string;
  readonly contractor_id: string;
  readonly customer_token: string;
  readonly contractor_token: string;
}

const pool = new Pool({ connectionString: url, max: poolSize });
const { rows: pairs } = await pool.query<Pair>(`
  select first_id, second_id, requester_id as customer_id, other.bot_id as contractor_id,
         mine.token_hash as customer_token, other.token_hash as contractor_token
  from contacts
  join tokens mine on mine.bot_id = requester_id
  join tokens other on other.bot_id in (first_id, second_id) and other.bot_id <> requester_id
  where contacts.state = 'friends'`);

interface Command {
  readonly agentId: string;
  readonly tokenHash: string;
  readonly orderId: string;
  readonly state: string;
  readonly version: number;
}

/** What every command costs around what it does: the caller, the claim, two events, the answer. */
async function command(pair: Pair, { agentId, tokenHash, orderId, state, version }: Command, work: Work) {
  await pool.query(statement(callerByToken, [tokenHash, new Date()]));
  const operationId = randomUUID();
  const now = new Date();
  const client = await pool.connect();
  await client.query('begin');
  await client.query(statement(claimOperation, [agentId, operationId, 'f'.repeat(64), now]));
  await work(client, operationId, now);
  const payload = JSON.stringify({ order_id: orderId, status: state, version });
  for (const receiver of [pair.customer_id, pair.contractor_id]) {
    await client.query(statement(insertEvent, [receiver, newId(), 'order.changed', null, payload, now, null]));
  }
  await client.query(statement(keepAnswer, [agentId, operationId, answerOf(pair, orderId, state, version)]));
  await client.query('commit');
  client.release();
}

type Work = (client: PoolClient, operationId: string, now: Date) => Promise<void>;

async function wholeOrder(pair: Pair): Promise<void> {
  const { customer_id, contractor_id } = pair;
  const customer = { agentId: customer_id, tokenHash: pair.customer_token };
  const contractor = { agentId: contractor_id, tokenHash: pair.contractor_token };
  const orderId = newId();
  const friends = statement(friendshipOfPair, [pair.first_id, pair.second_id]);

  await command(pair, { ...contractor, orderId, state: 'offered', version: 1 }, async (client, _, now) => {
    await client.query(friends);
    await client.query(statement(participants, [customer_id, contractor_id]));
    const ids = [orderId, contractor_id, customer_id, contractor_id];
    const terms = ['offered', 1, 'A picture', '', new Date(now.getTime() + 3_600_000)];
    const priced = [amountMinor, feeMinor, totalMinor, 1_000, 0, now, contractor_id];
    await client.query(statement(addOrder, [...ids, ...terms, ...priced]));
  });
  await command(pair, { ...customer, orderId, state: 'funded', version: 2 }, async (client, operationId, now) => {
    await client.query(statement(orderForChange, [orderId, customer_id]));
    await client.query(friends);
    await client.query(statement(drawWallet, [customer_id, -totalMinor, totalMinor]));
    const deltas = [-totalMinor, totalMinor];
    const lines = [[customer_id, customer_id], ['available', 'reserved'], ['reserve', 'reserve'], deltas];
    await client.query(statement(recordTransaction, [newId(), 'reserve', orderId, operationId, now, ...lines]));
    await change(client, orderId, 2, 'funded', 'accept', customer_id, now);
  });
  for (const [action, state, version] of [
    ['start', 'in_progress', 3],
    ['deliver', 'delivered', 4],
  ] as const) {
    await command(pair, { ...contractor, orderId, state, version }, async (client, _, now) => {
      await client.query(statement(orderForChange, [orderId, contractor_id]));
      await change(client, orderId, version, state, action, contractor_id, now);
    });
  }
  await command(pair, { ...customer, orderId, state: 'closed', version: 5 }, async (client, operationId, now) => {
    await client.query(statement(orderForChange, [orderId, customer_id]));
    const draw = statement(drawWallet, [customer_id, 0, -totalMinor]);
    const fill = statement(fillWallet, [contractor_id, amountMinor, 0]);
    for (const wallet of customer_id < contractor_id ? [draw, fill] : [fill, draw]) await client.query(wallet);
    const lines = [
      [customer_id, contractor_id, customer_id, null],
      ['reserved', 'available', 'reserved', 'fees'],
      ['payout', 'payout', 'fee', 'fee'],
      [-amountMinor, amountMinor, -feeMinor, feeMinor],
    ];
    await client.query(statement(recordTransaction, [newId(), 'payout', orderId, operationId, now, ...lines]));
    await change(client, orderId, 5, 'closed', 'complete', customer_id, now);
  });
}

async function change(
  client: PoolClient,
  orderId: string,
  version: number,
  state: string,
  action: string,
  agentId: string,
  now: Date,
): Promise<void> {
  const outcome = state === 'closed' ? 'accepted' : null;
  const result = version >= 4 ? 'done' : null;
  const values = [orderId, version, state, outcome, result, null, null, null, 0, now, action, agentId, null];
  await client.query(statement(changeOrder, values));
}

/** As long as the answers of the server, which are kept, too. */
function answerOf(pair: Pair, id: string, state: string, version: number): string {
  const participant = (agentId: string) => ({
    id: agentId,
    handle: 'customer_10',
    display_name: 'A bot to be measured',
  });
  const at = new Date().toISOString();
  return JSON.stringify({
    id,
    state,
    version,
    author_id: pair.contractor_id,
    customer: participant(pair.customer_id),
    contractor: participant(pair.contractor_id),
    title: 'A picture',
    description: '',
    deadline: at,
    amount_minor: amountMinor,
    fee_minor: feeMinor,
    total_minor: totalMinor,
    fee_bps: 1_000,
    fee_mode: 'on_top',
    input_attachments: [],
    result_attachments: [],
    result_text: version >= 4 ? 'done' : null,
    refund_proposal: null,
    outcome: state === 'closed' ? 'accepted' : null,
    created_at: at,
    updated_at: at,
  });
}

await measureRate(pairs, { seconds, loops }, wholeOrder);
await pool.end();
