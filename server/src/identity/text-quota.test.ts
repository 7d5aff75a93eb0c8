import type { OrderAction } from '@agent-platform/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import {
  advanceOrder,
  makeOffer,
  makeOrderParties,
  offerBody,
  orderIn,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { readTextBytes } from '../../testing/scenarios/text-usage.ts';
import {
  type Answer,
  expectRefusal,
  type RegisteredAgent,
  startTestServer,
  type TestServer,
} from '../../testing/test-server.ts';
import { removeExpiredMessageContent } from '../messages/message-retention-commands.ts';
import { computeUsageRowMaxBytes } from './text-usage.ts';

const quota = 7_000;

describe.each(['embedded', 'copied'])('text of an agent on the database %s', (database) => {
  let server: TestServer;
  let made = 0;
  beforeAll(async () => {
    server = await startTestServer(
      { PLATFORM_AGENT_TEXT_BYTES: `${quota}`, PLATFORM_TOKEN_LIFETIME_DAYS: '0' },
      database,
    );
  });
  afterAll(() => server.close());

  const register = () => {
    made += 1;
    return server.register(`agent_${made}`, { profile_public: true, display_name: 'Ä', bio: 'é' });
  };
  const post = ({ token }: RegisteredAgent, bytes: number, more: object = {}) =>
    server.request('POST', '/api/v1/posts', { token, body: { text: 'x'.repeat(bytes), ...more } });
  const patch = ({ token }: RegisteredAgent, path: string, body: object) =>
    server.request('PATCH', `/api/v1/${path}`, { token, body });
  const idOf = (answer: Answer) => answer.body['post']?.['id'] ?? '';
  const expectFull = (answer: Answer) => {
    expectRefusal(answer, 'storage_quota_exceeded');
    expect(answer.headers.has('retry-after')).toBe(false);
  };
  const usedBy = async (agent: RegisteredAgent) => {
    const { counted, kept } = await readTextBytes(server, agent);
    expect(counted).toBe(kept);
    return counted;
  };

  it('is taken up to the last byte of the quota, and not beyond it', async () => {
    const agent = await register();
    expect(await usedBy(agent)).toBe(4);
    expect((await post(agent, 5_000, { title: 'ü', visibility: 'public' })).status).toBe(201);
    expectFull(await post(agent, quota - 5_005));
    expect((await post(agent, quota - 5_006)).status).toBe(201);
    expect(await usedBy(agent)).toBe(quota);
    expectFull(await post(agent, 1));
    expectFull(await patch(agent, 'bots/me', { bio: 'éé' }));
    expect(await usedBy(agent)).toBe(quota);
  });

  it('of a new profile leaves to each row no more than its part of the quota', async () => {
    const { id } = await server.register('long', { bio: 'x'.repeat(4_000) });
    const { most } = await server.store.read((reader) =>
      reader
        .selectFrom('text_usage')
        .where('agent_id', '=', id)
        .select(({ fn }) => fn.max<number | string>('bytes').as('most'))
        .executeTakeFirstOrThrow(),
    );

    expect(Number(most)).toBeLessThanOrEqual(computeUsageRowMaxBytes(quota));
  });

  it('can be deleted, shortened and repeated always, which makes room', async () => {
    const agent = await register();
    const id = idOf(await post(agent, quota - 4));
    expectFull(await patch(agent, `posts/${id}`, { title: 't' }));
    expect((await patch(agent, `posts/${id}`, { text: 'x'.repeat(quota - 4) })).status).toBe(200);
    expect((await patch(agent, `posts/${id}`, { text: 'x'.repeat(quota - 6), title: 'tt' })).status).toBe(200);
    expect((await patch(agent, 'bots/me', { bio: '' })).status).toBe(200);
    expect((await patch(agent, `posts/${id}`, { text: 'x', visibility: 'public' })).status).toBe(200);
    expect(await usedBy(agent)).toBe(2 + 2 + 1);
    const path = `/api/v1/posts/${id}`;
    expect((await server.request('DELETE', path, { token: agent.token })).status).toBe(200);
    expect(await usedBy(agent)).toBe(2);
    expect((await post(agent, quota - 2)).status).toBe(201);
  });

  it('includes the texts of orders, each for its author, and hinders no action without a text', async () => {
    const pair = await makeOrderParties(server);
    const { customer, contractor } = pair;
    const act = async (agent: RegisteredAgent, order: string, action: OrderAction, body: object) =>
      await sendAction(server, agent, order, action, body);
    const reason = { reason: 'é'.repeat(2_000) };
    const offer = offerBody(pair, { title: 'é', description: 'x'.repeat(4_000) });
    const first = await sendOrder(server, contractor, offer);
    const [id, second] = [orderIn(first)['id'] ?? '', await makeOffer(server, pair)];
    const used = await usedBy(contractor);
    expect(used).toBe(contractor.handle.length + 2 + 4_000 + 'A picture'.length);
    expectFull(
      await sendOrder(server, contractor, offerBody(pair, { title: 'x', description: 'x'.repeat(quota - used) })),
    );
    expect((await post(contractor, quota - used)).status).toBe(201);

    expectFull(await sendOrder(server, contractor, offerBody(pair, { title: 'x' })));
    expect((await sendOrder(server, contractor, offer)).body).toEqual(first.body);
    expect((await act(contractor, second, 'cancel', { expected_version: 1 })).status).toBe(200);
    await advanceOrder(server, pair, id, ['accept', 'start']);
    expectFull(await act(contractor, id, 'deliver', { expected_version: 3, result_text: 'x' }));
    expectFull(await act(contractor, id, 'dispute', { expected_version: 3, reason: 'x' }));
    expectFull(await act(contractor, id, 'propose-refund', { expected_version: 3, reason: 'x' }));
    expect((await act(customer, id, 'propose-refund', { expected_version: 3, ...reason })).status).toBe(200);
    expect((await act(contractor, id, 'approve-refund', { expected_version: 4 })).status).toBe(200);
    expect(await usedBy(contractor)).toBe(quota);
    expect(await usedBy(customer)).toBe(customer.handle.length + 4_000);
  });

  it('includes the messages that it sent until their content expires', async () => {
    const [alice, bob] = [await register(), await register()];
    await befriend(server, alice, bob);
    const send = async (bytes: number) => {
      const body = { ...(await makeEnvelope(server, alice, bob)), ciphertext: randomBase64(bytes) };
      return [body, await server.request('POST', '/api/v1/messages', { token: alice.token, body })] as const;
    };
    const [envelope, first] = await send(quota - 4);
    expect(first.status).toBe(201);
    expectFull((await send(16))[1]);
    expectFull(await post(alice, 1));
    const repeat = await server.request('POST', '/api/v1/messages', { token: alice.token, body: envelope });
    expect([repeat.status, repeat.body]).toEqual([200, first.body]);
    expect(await usedBy(bob)).toBe(4);
    expect((await post(bob, quota - 4)).status).toBe(201);

    await server.store.transact((writer) => writer.updateTable('messages').set({ expires_at: new Date() }).execute());
    expect(await usedBy(alice)).toBe(quota);
    expect((await send(16))[1].status).toBe(201);
    expectFull(await post(alice, quota - 4 - 15));
    expect((await post(alice, quota - 4 - 16)).status).toBe(201);
    await removeExpiredMessageContent(server.store, new Date());
    expect(await usedBy(alice)).toBe(quota);
  });
});
