import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

type Json = Readonly<Record<string, unknown>>;

interface ForeignAgent {
  readonly id: string;
  readonly name: string;
  send(method: string, path: string, body?: Json): Promise<Json>;
}

export interface TrafficCounts {
  requests: number;
  posts: number;
  contacts: number;
  orders: number;
  /** Contact requests to agents other than these four. */
  strangers: number;
  /** Answers with a status of 500 or more, and failed turns. */
  failures: number;
}

const names = ['ada', 'bo', 'cleo', 'dan'];
const foreignName = 'A foreign';
const pauseMs = 150;

function publicKey(): string {
  const { x } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  return Buffer.from(String(x), 'base64url').toString('base64');
}

function find(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, name)) return Reflect.get(value, name);
  return Object.values(value)
    .map((inner) => find(inner, name))
    .find((found) => found !== undefined);
}

async function register(baseUrl: string, name: string, counts: TrafficCounts): Promise<ForeignAgent> {
  const send = async (token: string, method: string, path: string, body?: Json): Promise<Json> => {
    counts.requests += 1;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token !== '') headers['authorization'] = `Bearer ${token}`;
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${baseUrl}/api/v1/${path}`, init);
    if (response.status >= 500) counts.failures += 1;
    const text = await response.text();
    return text.startsWith('{') ? JSON.parse(text) : {};
  };
  const made = await send('', 'POST', 'bots/register', {
    handle: `${name}_${randomUUID().slice(0, 8)}`,
    display_name: `${foreignName} ${name}`,
    profile_public: true,
    encryption_public_key: publicKey(),
  });
  const token = made['token'];
  if (typeof token !== 'string') throw new Error(`no foreign agent was registered: ${JSON.stringify(made)}`);
  return { id: String(find(made['bot'], 'id')), name, send: (...request) => send(token, ...request) };
}

const strangersEvery = 5;

/** In every fifth turn, sends a contact request to an agent that a search finds, which may be an agent of a run. */
async function askStranger(agent: ForeignAgent, turn: number, counts: TrafficCounts): Promise<void> {
  if (turn % strangersEvery !== 0) return;
  const found = await agent.send('GET', 'bots?page_size=50');
  const bots = Object.values(found).find((value) => Array.isArray(value)) ?? [];
  const stranger = bots[turn % bots.length];
  const { display_name: name } = Object(stranger);
  if (stranger === undefined || String(name).startsWith(foreignName)) return;
  await agent.send('POST', 'contacts/requests', { recipient_id: find(stranger, 'id') });
  counts.strangers += 1;
}

/** Performs an agent's turn: publishes a post, befriends the other agent, and makes an offer that one of them ends. */
async function takeTurn(agent: ForeignAgent, other: ForeignAgent, turn: number, counts: TrafficCounts): Promise<void> {
  const text = `The ${turn}th word of ${agent.name}: every agent, update, portfolio and text is found by such words.`;
  const post = find(await agent.send('POST', 'posts', { text, visibility: 'public' }), 'id');
  counts.posts += Number(post !== undefined);
  await agent.send('GET', 'bots?page_size=5');
  if (turn % 3 === 0 && post !== undefined) await agent.send('DELETE', `posts/${String(post)}`);
  const contact = find(await agent.send('POST', 'contacts/requests', { recipient_id: other.id }), 'contact_id');
  if (contact === undefined) return;
  counts.contacts += 1;
  await other.send('POST', `contacts/${String(contact)}/accept`, {});
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const terms = { title: `Order ${turn}`, description: 'Traffic', deadline, amount_minor: 5, customer_id: other.id };
  const { order } = await agent.send('POST', 'orders', { operation_id: randomUUID(), ...terms });
  if (order === undefined) return;
  counts.orders += 1;
  const [id, version] = [find(order, 'id'), find(order, 'version')];
  const command = { operation_id: randomUUID(), expected_version: version };
  if (turn % 2 === 0) await agent.send('POST', `orders/${String(id)}/cancel`, command);
  else await other.send('POST', `orders/${String(id)}/reject`, command);
}

/**
 * Starts four agents outside any run of the suite, which send requests until they are stopped. With `asksStrangers`,
 * they also send contact requests to agents of the run.
 */
export async function startForeignTraffic(baseUrl: string, { asksStrangers = false } = {}) {
  const counts: TrafficCounts = { requests: 0, posts: 0, contacts: 0, orders: 0, strangers: 0, failures: 0 };
  const agents: ForeignAgent[] = [];
  for (const name of names) agents.push(await register(baseUrl, name, counts));
  const stopped = new AbortController();
  const live = async (at: number) => {
    for (let turn = 1; !stopped.signal.aborted; turn += 1) {
      const [agent, other] = [agents[at], agents[(at + 1 + (turn % (names.length - 1))) % names.length]];
      if (agent === undefined || other === undefined) return;
      // An error ends only this turn, because the server may restart or be busy.
      await takeTurn(agent, other, turn, counts).catch(() => (counts.failures += 1));
      if (asksStrangers) await askStranger(agent, turn, counts).catch(() => (counts.failures += 1));
      await wait(pauseMs);
    }
  };
  const lives = names.map((_, at) => live(at));
  return {
    counts,
    stop: async (): Promise<TrafficCounts> => {
      stopped.abort();
      await Promise.all(lives);
      return counts;
    },
  };
}
