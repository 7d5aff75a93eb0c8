import { randomBytes } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { newId } from '../../src/platform/new-id.ts';
import { befriend } from '../scenarios/friends.ts';
import type { OrderParties } from '../scenarios/orders.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { recordStatements } from './record-statements.ts';

/** Prepares the work of two friends, the customer with credits, and returns it; its requests are recorded. */
type Prepare = (server: TestServer, parties: OrderParties) => Promise<() => Promise<unknown>>;

/** The statements of some work, and the ids that existed before it. */
interface Recording {
  readonly statements: Awaited<ReturnType<typeof recordStatements>>;
  readonly known: ReadonlySet<string>;
}

const creditsMinor = 1_000_000_000_000;
const poolSize = 10;
const nonceBytes = 24;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Lets pairs of agents do some work once through a server in this process, and
 * repeats the statements of that work by the driver alone, with fresh ids and
 * nonces: each pair in a loop of its own, over a pool like the server's. Prints how
 * often the work was done per second. A run of half the time comes first, so that
 * connections, plans and compiled code exist before the measurement.
 */
export async function measureReplay([url = '', seconds = '1', loops = '1']: readonly string[], prepare: Prepare) {
  const recordings = await record(url, Number(loops), prepare);
  const pool = new Pool({ connectionString: url, max: poolSize });
  await run(Number(seconds) / 2);
  process.stdout.write(`${JSON.stringify({ perSecond: await run(Number(seconds)) })}\n`);
  await pool.end();

  async function run(forSeconds: number): Promise<number> {
    const started = performance.now();
    const endsAt = started + forSeconds * 1_000;
    let done = 0;
    const repeat = async (recording: Recording) => {
      for (; performance.now() < endsAt; done += 1) await replay(pool, recording);
    };
    await Promise.all(recordings.map(repeat));
    return (done * 1_000) / (performance.now() - started);
  }
}

async function replay(pool: Pool, { statements, known }: Recording): Promise<void> {
  const fresh = new Map<string, string>();
  const freshId = (id: string): string => {
    if (!known.has(id) && !fresh.has(id)) fresh.set(id, newId());
    return fresh.get(id) ?? id;
  };
  const refresh = (value: unknown): unknown => {
    if (value instanceof Uint8Array && value.length === nonceBytes) return randomBytes(nonceBytes);
    return typeof value === 'string' ? value.replaceAll(uuid, freshId) : value;
  };
  let client: PoolClient | undefined;
  for (const { values = [], ...statement } of statements) {
    if (statement.text === 'begin') client = await pool.connect();
    await (client ?? pool).query({ ...statement, values: values.map(refresh) });
    if (statement.text !== 'commit') continue;
    client?.release();
    client = undefined;
  }
}

async function record(url: string, pairs: number, prepare: Prepare): Promise<readonly Recording[]> {
  const server = await startTestServer({ LOG_LEVEL: 'silent' }, url);
  const request: TestServer['request'] = async (method, path, { token, body } = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { method: method === 'POST' ? method : 'GET', url: path, headers } as const;
    const answer = await server.app.http.inject({ ...options, payload: JSON.stringify(body) });
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.body}`);
    return { status: answer.statusCode, headers: new Headers(), body: answer.json() };
  };
  const recordings: Recording[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const name = randomBytes(8).toString('hex');
    const customer = await server.register(`customer_${name}`);
    const contractor = await server.register(`contractor_${name}`);
    const contactId = await befriend(server, customer, contractor);
    await server.grant(customer.id, creditsMinor);
    const work = await prepare({ ...server, request }, { customer, contractor, contactId });
    const sent = await recordStatements(work);
    // Without wake-ups: under load one stands for many commands.
    const statements = sent.filter(({ text }) => !text.includes('pg_notify'));
    recordings.push({ statements, known: new Set([customer.id, contractor.id, contactId]) });
  }
  await server.close();
  return recordings;
}
