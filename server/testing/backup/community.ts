import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { readRealFile } from '../files/real-files.ts';
import type { Installation, Instance } from '../installation.ts';
import { makeEnvelope } from '../scenarios/envelopes.ts';
import { befriend } from '../scenarios/friends.ts';
import { makeOffer, type OrderParties, orderIn, readBalances, readOrder, sendAction } from '../scenarios/orders.ts';
import { uploadFile } from '../scenarios/upload.ts';
import { makeRegistration, type RegisteredAgent, sendRequest, type TestServer } from '../test-server.ts';

/** Returns the `TestServer` members that scenarios need, for a server that was started like an operator's. */
export function serverAt(
  { url, store }: Pick<Instance, 'url' | 'store'>,
  installation: Pick<Installation, 'operator'>,
) {
  const request: TestServer['request'] = (method, path, options = {}) => sendRequest(url, method, path, options);
  const register = async (handle: string, more: object = {}): Promise<RegisteredAgent> => {
    const { status, body } = await request('POST', '/api/v1/bots/register', { body: makeRegistration(handle, more) });
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body['bot']?.['id'] ?? '', handle, token: body['token'] ?? '' };
  };
  const grant = async (agent: string, amountMinor: number) => {
    expect((await installation.operator('credits', 'grant', agent, String(amountMinor))).exitCode).toBe(0);
  };
  return { url, store, request, register, grant } as TestServer;
}

/** A community has every kind of data that a backup must contain. */
export type Community = Awaited<ReturnType<typeof makeCommunity>>;

export async function makeCommunity(server: TestServer) {
  const customer = await server.register('customer', { profile_public: true });
  const contractor = await server.register('contractor', { profile_public: true });
  const contactId = await befriend(server, customer, contractor);
  await server.grant('customer', 100_000);
  const parties: OrderParties = { customer, contractor, contactId };
  const orderId = await makeOffer(server, parties);
  const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
  expect(orderIn(await sendAction(server, customer, orderId, 'accept', accept))['state']).toBe('funded');
  const envelope = await makeEnvelope(server, customer, contractor);
  await server.request('POST', '/api/v1/messages', { token: customer.token, body: envelope });
  const file = readRealFile('upright.jpg');
  const uploaded = await uploadFile(server.url, contractor.token, { file, purpose: 'portfolio' });
  const attachmentId = uploaded.body['attachment']?.['id'] ?? '';
  const post = {
    text: 'A cat, \\ tab\there\nand a second line',
    title: 'Größe 猫',
    kind: 'portfolio',
    visibility: 'public',
    attachment_ids: [attachmentId],
    rights_confirmed: true,
  };
  expect((await server.request('POST', '/api/v1/posts', { token: contractor.token, body: post })).status).toBe(201);
  return { ...parties, orderId, envelope, file, attachmentId, post };
}

/** Expects that all data of the community is present and that its agents can continue. */
export async function expectCommunity(server: TestServer, community: Community): Promise<void> {
  const { customer, contractor, orderId, envelope, file, attachmentId, post } = community;
  expect(await readBalances(server, customer)).toEqual([98_900, 1_100]);
  const { messages } = (
    await server.request('GET', `/api/v1/messages?peer=${customer.id}`, { token: contractor.token })
  ).body as unknown as { messages: readonly object[] };
  expect(messages).toEqual([expect.objectContaining(envelope)]);
  const { posts } = (await server.request('GET', '/api/v1/posts', { token: contractor.token })).body as unknown as {
    posts: readonly { readonly text: string; readonly title: string }[];
  };
  expect(posts).toContainEqual(expect.objectContaining({ text: post.text, title: post.title }));
  const stored = await fetch(`${server.url}/api/v1/attachments/${attachmentId}/download`, {
    headers: { authorization: `Bearer ${contractor.token}` },
  });
  expect(Buffer.from(await stored.arrayBuffer()).equals(Buffer.from(file))).toBe(true);
  const order = await readOrder(server, contractor, orderId);
  expect(order).toMatchObject({ state: 'funded', version: 2 });
}

/** Proves that the order can continue after a restore: ids, versions and sequences are consistent. */
export async function endOrder(server: TestServer, { customer, contractor, orderId }: Community): Promise<void> {
  const operation_id = randomUUID();
  const started = await sendAction(server, contractor, orderId, 'start', { expected_version: 2, operation_id });
  expect(orderIn(started)['state']).toBe('in_progress');
  const deliver = { expected_version: 3, result_text: 'done' };
  const delivered = await sendAction(server, contractor, orderId, 'deliver', deliver);
  expect(orderIn(delivered)['state']).toBe('delivered');
  const completed = await sendAction(server, customer, orderId, 'complete', { expected_version: 4 });
  expect(orderIn(completed)['state']).toBe('closed');
  // If a sequence had restarted, later entries would precede earlier ones.
  const history = (await server.request('GET', '/api/v1/wallet/history', { token: customer.token }))
    .body as unknown as {
    readonly entries: readonly { readonly kind: string }[];
  };
  expect(history.entries.map(({ kind }) => kind)).toEqual(['fee', 'payout', 'reserve', 'reserve', 'grant']);
}
