import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeEnvelope, randomBase64 } from '../../../testing/scenarios/envelopes.ts';
import { befriend } from '../../../testing/scenarios/friends.ts';
import { makeOrderInState, makeOrderParties, offerBody } from '../../../testing/scenarios/orders.ts';
import { type RegisteredAgent, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { FrequentStatements } from './frequent-statements.ts';
import { prepareSqlText } from './prepared.ts';
import type { StatementWatch } from './watched-statements.ts';

describe('names of frequent statements', () => {
  const text = 'select id from bots where handle = $1';
  const times = (statements: FrequentStatements, count: number, each = text, values: readonly unknown[] = ['a']) =>
    Array.from({ length: count }, () => statements.nameOf(each, values)).at(-1);

  it('are assigned at the fifth execution, and kept', () => {
    const statements = new FrequentStatements();
    expect(times(statements, 4)).toBeUndefined();
    expect(times(statements, 1)).toBe('frequent-1');
    expect(times(statements, 1)).toBe('frequent-1');
    expect(times(statements, 5, `${text} limit $2`)).toBe('frequent-2');
  });

  it('are not assigned to texts without values, or to statements of all columns', () => {
    const statements = new FrequentStatements();
    expect(times(statements, 9, 'commit', [])).toBeUndefined();
    for (const all of ['select * from bots where id = $1', 'select "bots".* from bots where id = $1'])
      expect(times(statements, 9, all)).toBeUndefined();
    expect(times(statements, 9, 'delete from bots where id = $1 returning *')).toBeUndefined();
    expect(times(statements, 9, 'select count(*) from bots where id = $1')).toBe('frequent-1');
  });

  it('do not replace the name of a prepared statement', () => {
    prepareSqlText('named-in-a-test', 'select now() + $1');
    expect(new FrequentStatements().nameOf('select now() + $1', ['1 h'])).toBe('named-in-a-test');
  });

  it('number at most 200, however many texts are sent', () => {
    const statements = new FrequentStatements();
    for (let number = 0; number < 5_000; number += 1) times(statements, 5, `select ${number} + $1`);
    expect(times(statements, 1, 'select 199 + $1')).toBe('frequent-200');
    expect(times(statements, 9, 'select 4999 + $1')).toBeUndefined();
  });
});

describe('the statements of requests on PostgreSQL', () => {
  const sent = new Set<string>();
  let executions: string[] = [];
  let server: TestServer;
  beforeAll(async () => {
    const watch: StatementWatch = {
      statement: async (text, send) => {
        sent.add(text);
        executions.push(text);
        return await send();
      },
      connection: (connect) => connect(),
    };
    const url = await freshDatabase(inject('postgresUrl'));
    server = await startTestServer({}, url, { pool: { connectionsMax: 1, watch } });
  });
  afterAll(() => server.close());

  it('are all prepared once they are frequent', async () => {
    const [alice, bob] = [
      await server.register('alice', { profile_public: true }),
      await server.register('bobby', { profile_public: true }),
    ];
    await befriend(server, alice, bob);
    const sample = await makeEnvelope(server, bob, alice);
    const offers = await makeOrderParties(server);
    const call = async (method: string, path: string, body?: object) => {
      const answer = await server.request(method, `/api/v1${path}`, { token: bob.token, ...(body ? { body } : {}) });
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    };
    const requests: readonly (() => Promise<unknown>)[] = [
      ...['/bots/me', '/wallet', '/wallet/history', `/bots/${alice.id}`, '/bots', '/orders', '/contacts', '/posts'].map(
        (path) => () => call('GET', path),
      ),
      () => call('GET', `/messages?peer=${alice.id}`),
      () => call('POST', '/messages', { ...sample, client_message_id: randomUUID(), nonce: randomBase64(24) }),
      () => call('POST', '/posts', { text: 'a text', visibility: 'public', rights_confirmed: true }),
      () => makeOrderInState(server, offers, 'closed'),
    ];
    for (let repeat = 0; repeat < 6; repeat += 1) for (const send of requests) await send();
    sent.clear();
    for (const send of requests) await send();
    const { rows } = await server.store.read((reader) =>
      sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(reader),
    );
    const prepared = new Set(rows.map(({ statement }) => statement));
    const left = [...sent].filter((text) => text.includes('$1') && !prepared.has(text));
    expect(left.filter((text) => !text.includes('pg_prepared_statements'))).toEqual([]);
  });

  it('are as few as necessary, including the one for the token', async () => {
    const pair = await makeOrderParties(server);
    const { customer, contractor } = pair;
    const counts: Record<string, number> = {};
    const send = async (name: string, { token }: RegisteredAgent, method: string, path: string, body?: object) => {
      executions = [];
      const answer = await server.request(method, `/api/v1${path}`, { token, ...(body ? { body } : {}) });
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      // Excludes statements that timers send.
      counts[name] = executions.filter((text) => !/event_processes|event_places|pg_notify/.test(text)).length;
      return answer.body;
    };
    const { order } = await send('offer', contractor, 'POST', '/orders', offerBody(pair));
    const actions = [
      [customer, 'accept', { confirmed_total_minor: 1_100 }],
      [contractor, 'start', {}],
      [contractor, 'deliver', { result_text: 'done' }],
      [customer, 'complete', {}],
    ] as const;
    for (const [index, [agent, action, fields]] of actions.entries()) {
      const body = { operation_id: randomUUID(), expected_version: index + 1, ...fields };
      await send(action, agent, 'POST', `/orders/${order?.['id']}/${action}`, body);
    }
    await server.request('PATCH', '/api/v1/bots/me', { token: contractor.token, body: { profile_public: true } });
    const work = { text: 'a text', visibility: 'public', rights_confirmed: true };
    await send('public post', contractor, 'POST', '/posts', work);
    const envelope = await makeEnvelope(server, customer, contractor);
    await send('message', customer, 'POST', '/messages', envelope);
    await send('repeated message', customer, 'POST', '/messages', envelope);
    const { post } = await send('private post', customer, 'POST', '/posts', { text: 'a text' });
    await send('changed post', customer, 'PATCH', `/posts/${post?.['id']}`, { kind: 'portfolio' });
    for (const list of ['orders', 'posts', 'contacts']) await send(list, customer, 'GET', `/${list}`);
    expect(counts).toEqual({
      offer: 3,
      accept: 3,
      start: 3,
      deliver: 3,
      complete: 3,
      message: 2,
      'repeated message': 3,
      'private post': 2,
      'public post': 2,
      'changed post': 5,
      orders: 2,
      posts: 3,
      contacts: 2,
    });
  });
});
