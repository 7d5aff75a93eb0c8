import { randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { callerByToken } from '../../src/identity/tokens/token-queries.ts';
import { insertMessage } from '../../src/messages/message-commands.ts';
import { messageContext } from '../../src/messages/message-queries.ts';
import { day } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/new-id.ts';
import { measureRate, statement } from './measure-rate.ts';

// The statements behind POST /messages, run by the driver alone: as many loops
// at the same time as a load has connections, over a pool like the server's,
// between the friends that the database holds.
//
//   node send-messages-sql.ts postgres://… <seconds> <loops> <bytes of a ciphertext>

const [url = '', seconds = '1', loops = '1', bytes = '1024'] = process.argv.slice(2);
const poolSize = 10;

interface Friends {
  readonly token_hash: string;
  readonly contact_id: string;
  readonly first_id: string;
  readonly second_id: string;
  readonly first_key: string;
  readonly second_key: string;
}

const pool = new Pool({ connectionString: url, max: poolSize });
const { rows: friends } = await pool.query<Friends>(`
  select tokens.token_hash, contacts.id as contact_id, first_id, second_id,
    one.encryption_public_key as first_key, other.encryption_public_key as second_key
  from contacts join bots one on one.id = first_id join bots other on other.id = second_id
  join tokens on tokens.bot_id = first_id
  where contacts.state = 'friends'`);
const ciphertext = randomBytes(Number(bytes));

async function send({ token_hash, contact_id, first_id, second_id, first_key, second_key }: Friends): Promise<void> {
  const clientMessageId = randomUUID();
  await pool.query(statement(callerByToken, [token_hash, new Date()]));
  await pool.query(statement(messageContext, [first_id, clientMessageId, first_id, second_id, second_id]));
  const now = new Date();
  const expires = new Date(now.getTime() + 90 * day);
  const nonce = randomBytes(24);
  const message = {
    id: newId(),
    sender_id: first_id,
    recipient_id: second_id,
    client_message_id: clientMessageId,
    encryption_version: 'box-v1',
    nonce: nonce.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    sender_public_key: first_key,
    recipient_public_key: second_key,
    created_at: now.toISOString(),
    expires_at: expires.toISOString(),
  };
  const envelope = [contact_id, message.id, first_id, second_id, clientMessageId, nonce, ciphertext];
  const event = [second_id, newId(), 'message.created', first_id, JSON.stringify(message), now, expires];
  await pool.query(statement(insertMessage, [...envelope, first_key, second_key, now, expires, ...event]));
}

await measureRate(friends, { seconds, loops }, send);
await pool.end();
