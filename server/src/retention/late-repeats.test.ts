import { randomUUID } from 'node:crypto';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { readEventBacklog } from '../../testing/scenarios/friends.ts';
import {
  actionBodies,
  makeOrderParties,
  type OrderParties,
  offerBody,
  readBalances,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { day, expectRefusal, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { makeFolderStorage } from '../files/folder-storage.ts';
import { runRetention } from './retention-commands.ts';

const folder = makeTestFolder();
const terms = { unattachedFileHours: 24, detachedFileDays: 30 };
const announce = async () => undefined;
let server: TestServer;
let pair: OrderParties;
beforeAll(async () => {
  server = await startTestServer({ PLATFORM_TOKEN_LIFETIME_DAYS: '0' });
  pair = await makeOrderParties(server, 1_100);
});
afterAll(() => server.close());

const runLater = (milliseconds: number) =>
  runRetention(
    { store: server.store, storage: makeFolderStorage(folder), terms, announce },
    new Date(Date.now() + milliseconds),
  );
const tenYearsLater = () => runLater(3_650 * day);
const countOf = async (table: string) => {
  const { rows } = await server.store.read((reader) =>
    sql<{ count: number | string }>`select count(*) as count from ${sql.table(table)}`.execute(reader),
  );
  return Number(rows[0]?.count);
};

describe('retention ten years later', () => {
  it('executes no repeat again, and returns the same response to repeated order commands', async () => {
    const { customer, contractor } = pair;
    const creation = offerBody(pair, { description: 'once' });
    const created = await sendOrder(server, contractor, creation);
    const id = created.body['order']?.['id'] ?? '';
    const accept = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    const accepted = await sendAction(server, customer, id, 'accept', accept);
    const envelope = await makeEnvelope(server, customer, contractor);
    const send = (body: object) => server.request('POST', '/api/v1/messages', { token: customer.token, body });
    expect((await send(envelope)).status).toBe(201);
    const waiting = await readEventBacklog(server, contractor);
    expect(waiting.filter(({ kind }) => kind === 'order.changed')).toHaveLength(2);
    await tenYearsLater();

    const rows = async () => await Promise.all(['orders', 'ledger_entries', 'messages', 'operations'].map(countOf));
    const before = [await rows(), await readBalances(server, customer)];
    expect(await sendOrder(server, contractor, creation)).toMatchObject({ status: 200, body: created.body });
    expect(await sendAction(server, customer, id, 'accept', accept)).toMatchObject({
      status: 200,
      body: accepted.body,
    });
    expectRefusal(await send(envelope), 'message_expired');
    expectRefusal(await send({ ...envelope, client_message_id: randomUUID() }), 'nonce_reuse');
    expect([await rows(), await readBalances(server, customer)]).toEqual(before);
    const remaining = waiting.filter(({ kind }) => kind !== 'message.created');
    expect(await readEventBacklog(server, contractor)).toEqual(remaining);
  });

  it('removes deleted posts after 30 days, and no others', async () => {
    const { token } = pair.customer;
    const create = async () =>
      (await server.request('POST', '/api/v1/posts', { token, body: { text: 'x' } })).body['post']?.['id'] ?? '';
    const [kept, deleted] = [await create(), await create()];
    expect((await server.request('DELETE', `/api/v1/posts/${deleted}`, { token })).status).toBe(200);
    const removed = async (days: number, detachedFileDays = terms.detachedFileDays) => {
      const parts = {
        store: server.store,
        storage: makeFolderStorage(folder),
        terms: { ...terms, detachedFileDays },
        announce,
      };
      return (await runRetention(parts, new Date(Date.now() + days * day))).posts;
    };

    // 0 means no limit.
    expect(await removed(3_650, 0)).toBe(0);
    expect([await removed(29.9), await removed(30.1), await removed(30.1)]).toEqual([0, 1, 0]);
    expect((await server.request('GET', `/api/v1/posts/${kept}`, { token })).status).toBe(200);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const more = method === 'PATCH' ? { body: { text: 'y' } } : {};
      expectRefusal(await server.request(method, `/api/v1/posts/${deleted}`, { token, ...more }), 'not_found');
    }
  });

  it("removes tokens that are revoked or expired by the database's clock, and no valid ones", async () => {
    const own = await server.register('rotating');
    const rotate = async (token: string) =>
      (await server.request('POST', '/api/v1/tokens/rotate', { token })).body['token'] ?? '';
    const second = await rotate(own.token);
    const third = await rotate(second);
    const ofAgent = () =>
      server.store.read((reader) =>
        reader.selectFrom('tokens').where('bot_id', '=', own.id).select('token_hash').execute(),
      );
    expect(await ofAgent()).toHaveLength(3);

    expect((await runLater(-day)).tokens).toBe(0);
    expect((await tenYearsLater()).tokens).toBeGreaterThanOrEqual(2);
    expect(await ofAgent()).toHaveLength(1);
    expectRefusal(await server.request('GET', '/api/v1/bots/me', { token: second }), 'unauthorized');
    expect((await server.request('GET', '/api/v1/bots/me', { token: third })).status).toBe(200);

    // A token that is valid by the database's time is kept, because the agent could not get a new one.
    const expiring = sql`update tokens set expires_at = now() + interval '1 hour' where bot_id = ${own.id}`;
    await server.store.transact((writer) => expiring.execute(writer));
    expect((await tenYearsLater()).tokens).toBe(0);
    expect((await server.request('GET', '/api/v1/bots/me', { token: third })).status).toBe(200);

    const ended = sql`update tokens set expires_at = now() - interval '1 second' where bot_id = ${own.id}`;
    await server.store.transact((writer) => ended.execute(writer));
    expect((await tenYearsLater()).tokens).toBe(1);
    expectRefusal(await server.request('GET', '/api/v1/bots/me', { token: third }), 'unauthorized');
  });

  it('finds at most the latest 1,000 deleted posts of an agent', async () => {
    const { id, token } = pair.contractor;
    const path = '/api/v1/posts';
    const last = (await server.request('POST', path, { token, body: { text: 'last' } })).body['post']?.['id'] ?? '';
    await server.store.transact((writer) =>
      sql`insert into posts (id, author_id, kind, title, text, visibility, rights_confirmed, was_public,
                             created_at, updated_at, deleted_at)
          select gen_random_uuid(), ${id}, 'update', '', 'x', 'private', false, false, now(), now(),
                 now() - make_interval(secs => number) from generate_series(1, 1005) as number`.execute(writer),
    );
    expect((await server.request('DELETE', `${path}/${last}`, { token })).status).toBe(200);
    const deleted = await server.store.read((reader) =>
      reader.selectFrom('posts').where('author_id', '=', id).orderBy('deleted_at', 'desc').select('id').execute(),
    );
    expect([deleted.length, deleted[0]?.id]).toEqual([1_000, last]);
  });
});
