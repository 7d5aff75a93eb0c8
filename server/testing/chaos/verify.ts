import { createHash } from 'node:crypto';
import type { LoadAgent } from '../rolling-restart/agents.ts';
import type { TrustedAddress } from '../rolling-restart/balancer.ts';
import { type KeepAliveClient, makeKeepAliveClient } from '../rolling-restart/keep-alive-client.ts';
import type { Json } from '../test-server.ts';
import { type AcknowledgedOrder, type FriendPair, grantedCreditsMinor } from './work/community.ts';
import type { EventSockets } from './work/event-sockets.ts';

type Problem = (text: string) => void;

const lanes = 8;
const postsPage = 50;

/** Compares the stored data with the acknowledged changes. Returns the number of compared records. */
export async function verifyRecords(
  address: TrustedAddress,
  pairs: readonly FriendPair[],
  sockets: EventSockets,
  problem: Problem,
): Promise<number> {
  const left = pairs.values();
  let compared = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const client = makeKeepAliveClient(address);
      for (const pair of left) {
        await verifyPosts(client, pair, problem);
        await verifyMessages(client, pair, sockets, problem);
        await verifyOrders(client, pair, sockets, problem);
        await verifyFiles(client, pair, problem);
        compared += pair.posts.length + pair.messages.length + pair.orders.length + pair.files.length;
      }
      client.close();
    }),
  );
  verifySubjects(pairs, sockets, problem);
  return compared;
}

async function verifyPosts(client: KeepAliveClient, pair: FriendPair, problem: Problem): Promise<void> {
  for (const [agent, bio] of pair.bios) {
    const { bot } = await client.expect(200, 'GET', '/api/v1/bots/me', { token: agent.token });
    const text = String(bot?.['bio']);
    if (text !== bio.stored && !bio.unknown.has(text)) problem(`the acknowledged profile of ${agent.id} is lost`);
    const own = pair.posts.filter(({ author }) => author === agent);
    const found = await readOwnPosts(client, agent);
    for (const { id, text: posted } of own) {
      const copies = found.filter((one) => one['text'] === posted);
      if (id !== undefined && !copies.some((one) => one['id'] === id)) problem(`post ${id} is lost`);
      if (copies.length > 1) problem(`a post exists ${copies.length} times: ${posted}`);
    }
    const known = new Set(own.map(({ text: posted }) => posted));
    for (const one of found) if (!known.has(String(one['text']))) problem(`post ${one['id']} was never sent`);
  }
}

async function readOwnPosts(client: KeepAliveClient, agent: LoadAgent): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (let page: unknown = 1; page !== null; ) {
    const path = `/api/v1/bots/${agent.id}?page=${page}&page_size=${postsPage}`;
    const works = (await client.expect(200, 'GET', path, { token: agent.token }))['bot']?.['works'];
    found.push(...((works?.['posts'] ?? []) as readonly Json[]));
    page = works?.['next_page'] ?? null;
  }
  return found;
}

async function verifyMessages(
  client: KeepAliveClient,
  { customer, contractor, messages }: FriendPair,
  sockets: EventSockets,
  problem: Problem,
): Promise<void> {
  const stored: Json[] = [];
  for (let before = ''; ; ) {
    const path = `/api/v1/messages?peer=${contractor.id}${before}`;
    const page = await client.expect(200, 'GET', path, { token: customer.token });
    stored.push(...(page['messages'] as unknown as readonly Json[]));
    if ((page['next_before'] ?? null) === null) break;
    before = `&before=${page['next_before']}`;
  }
  const ids = new Map(stored.map((message) => [String(message['id']), String(message['client_message_id'])]));
  for (const { id, clientMessageId, to, text } of messages) {
    if (ids.get(id) !== clientMessageId) problem(`message ${id} is lost`);
    if (!sockets.has(to, `message ${id}`)) problem(`no event of message ${id}`);
    else if (sockets.textOf(to, id) !== text) problem(`message ${id} does not decrypt to its text`);
  }
  if (stored.length !== messages.length)
    problem(`${customer.id} has ${stored.length} messages, of which ${messages.length} were sent`);
}

async function verifyOrders(
  client: KeepAliveClient,
  { customer, contractor, orders }: FriendPair,
  sockets: EventSockets,
  problem: Problem,
): Promise<void> {
  for (const { id, state, version } of orders) {
    const { order, events } = await client.expect(200, 'GET', `/api/v1/orders/${id}`, { token: customer.token });
    if (order?.['state'] !== state || order?.['version'] !== version)
      problem(`order ${id} is ${order?.['state']} ${order?.['version']} and not ${state} ${version}`);
    if ((events as unknown as readonly Json[]).length !== version) problem(`the history of order ${id} has gaps`);
    for (let number = 1; number <= version; number += 1)
      for (const agent of [customer, contractor])
        if (!sockets.has(agent, `order ${id} ${number}`)) problem(`no event of version ${number} of order ${id}`);
  }
  const sum = (part: (order: AcknowledgedOrder) => number) => orders.reduce((total, order) => total + part(order), 0);
  const paid = sum(({ outcome, totalMinor }) => (outcome === 'accepted' ? totalMinor : 0));
  const earned = sum(({ outcome, amountMinor }) => (outcome === 'accepted' ? amountMinor : 0));
  const reserved = sum(({ state, totalMinor }) => (openStates.has(state) ? totalMinor : 0));
  await expectWallet(client, customer, grantedCreditsMinor - paid - reserved, reserved, problem);
  await expectWallet(client, contractor, earned, 0, problem);
}

const openStates: ReadonlySet<string> = new Set(['funded', 'in_progress', 'delivered', 'disputed']);

async function expectWallet(
  client: KeepAliveClient,
  agent: LoadAgent,
  available: number,
  reserved: number,
  problem: Problem,
): Promise<void> {
  const { wallet } = await client.expect(200, 'GET', '/api/v1/wallet', { token: agent.token });
  const found = [wallet?.['available_minor'], wallet?.['reserved_minor']].join(' + ');
  if (found !== `${available} + ${reserved}`)
    problem(`the wallet of ${agent.id} has ${found} and not ${available} + ${reserved}`);
}

async function verifyFiles(client: KeepAliveClient, { files }: FriendPair, problem: Problem): Promise<void> {
  if (new Set(files.map(({ id }) => id)).size !== files.length) problem('two uploads share one file');
  for (const { owner, id, sha256 } of files) {
    const answer = await client.send('GET', `/api/v1/attachments/${id}/download`, { token: owner.token });
    const found = createHash('sha256').update(answer.body).digest('hex');
    if (answer.status !== 200 || found !== sha256) problem(`file ${id} is lost: ${answer.status}`);
  }
}

/** Every event must refer to an acknowledged record; a duplicate message would have an unknown id. */
function verifySubjects(pairs: readonly FriendPair[], sockets: EventSockets, problem: Problem): void {
  const known = new Set<string>();
  for (const { customer, contractor, messages, orders } of pairs) {
    for (const { id, to } of messages) known.add(`${to.id} message ${id}`);
    for (const { id, version } of orders)
      for (let number = 1; number <= version; number += 1)
        for (const agent of [customer, contractor]) known.add(`${agent.id} order ${id} ${number}`);
  }
  for (const subject of sockets.subjects())
    if (!/ contact\.\w+ /.test(subject) && !known.has(subject)) problem(`an event about something unknown: ${subject}`);
}
