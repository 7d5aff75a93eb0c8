import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';

const server = useTestServer();
let alice: RegisteredAgent;
let bob: RegisteredAgent;
beforeAll(async () => {
  alice = await server().register('alice');
  bob = await server().register('bob_');
  for (let amount = 1; amount <= 7; amount += 1) await server().grant('alice', amount);
});

const get = (path: string, agent = alice) => server().request('GET', `/api/v1/wallet${path}`, { token: agent.token });

async function history(query: string, agent = alice): Promise<{ deltas: number[]; next: number | null }> {
  const answer = await get(`/history${query}`, agent);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const entries: { delta_minor: number }[] = [...(answer.body['entries'] ?? [])].map((entry) => ({
    delta_minor: Number(entry['delta_minor']),
  }));
  return { deltas: entries.map(({ delta_minor }) => delta_minor), next: answer.body['next_before'] ?? null };
}

describe('the wallet', () => {
  it('of an agent without credits is zero', async () => {
    expect((await get('', bob)).body).toEqual({
      wallet: {
        environment: 'test',
        unit: 'test_credit',
        minor_per_credit: 100,
        available_minor: 0,
        reserved_minor: 0,
        total_minor: 0,
        can_purchase: false,
        can_withdraw: false,
      },
    });
    expect(await history('', bob)).toEqual({ deltas: [], next: null });
  });

  it('shows what was granted', async () => {
    expect((await get('')).body['wallet']).toMatchObject({ available_minor: 28, reserved_minor: 0, total_minor: 28 });
  });

  it.each(['?x=1', '?page=1', '?='])('takes no query, %s neither', async (query) => {
    expectRefusal(await get(query), 'invalid_input');
  });

  it.each(['', '/history'])('needs a token%s', async (path) => {
    expectRefusal(await server().request('GET', `/api/v1/wallet${path}`), 'unauthorized');
  });
});

describe('the history of the wallet', () => {
  it('shows every member of a grant that §6.7 requires', async () => {
    const operationId = newId();
    const carol = await server().register('carol');
    await server().grant(carol.id, 12_345, operationId);
    const answer = await get('/history', carol);

    expect(answer.body).toEqual({
      entries: [
        {
          transaction_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          operation_id: operationId,
          kind: 'grant',
          account_kind: 'available',
          order_id: null,
          delta_minor: 12_345,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
      next_before: null,
    });
  });

  it('is paged by its bounds, newest first', async () => {
    const first = await history('?limit=3');
    expect(first.deltas).toEqual([7, 6, 5]);
    const second = await history(`?limit=3&before=${first.next}`);
    expect(second.deltas).toEqual([4, 3, 2]);
    const third = await history(`?limit=3&before=${second.next}`);
    expect(third).toEqual({ deltas: [1], next: null });
  });

  it('ends with null also when its last page is full', async () => {
    expect(await history('?limit=7')).toEqual({ deltas: [7, 6, 5, 4, 3, 2, 1], next: null });
    expect((await history('?limit=6')).next).not.toBeNull();
  });

  it('accepts any bound of 64 bits, even if no entry has that number', async () => {
    for (const before of ['9223372036854775807', '9007199254740993', '1000000']) {
      expect((await history(`?before=${before}`)).deltas).toEqual([7, 6, 5, 4, 3, 2, 1]);
    }
    expect(await history('?before=1')).toEqual({ deltas: [], next: null });
  });

  it.each([
    'before=0',
    'before=-1',
    'before=9223372036854775808',
    'before=x',
    'before=1.5',
    'before=',
    'before=1&before=2',
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=1&limit=2',
    'page=1',
    'after=1',
  ])('refuses %s', async (query) => {
    expectRefusal(await get(`/history?${query}`), 'invalid_input');
  });

  it('accepts limits from 1 to 100', async () => {
    expect((await history('?limit=1')).deltas).toEqual([7]);
    expect((await history('?limit=100')).deltas).toHaveLength(7);
  });
});

describe('a grant', () => {
  it('happens once for an operation id', async () => {
    const dave = await server().register('dave');
    const operationId = newId();
    for (let time = 0; time < 3; time += 1) await server().grant('dave', 50, operationId);
    expect((await get('', dave)).body['wallet']).toMatchObject({ available_minor: 50 });

    await expect(server().grant('dave', 51, operationId)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    await expect(server().grant('alice', 50, operationId)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect((await get('', dave)).body['wallet']).toMatchObject({ available_minor: 50 });
  });

  it.each([0, -1, 1.5, 1_000_000_000_001, Number.NaN])('of %s is refused', async (amount) => {
    await expect(server().grant('bob_', amount)).rejects.toThrow(Refusal);
  });

  it('needs an agent', async () => {
    await expect(server().grant('nobody', 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('never makes more credits than an exact integer can represent', async () => {
    // Writes the balance directly, to bring it close to the limit.
    await server().store.transact((writer) =>
      writer
        .insertInto('ledger_entries')
        .values({
          transaction_id: writer.selectFrom('ledger_transactions').select('id').limit(1),
          agent_id: null,
          account_kind: 'issuance',
          kind: 'grant',
          delta_minor: -(Number.MAX_SAFE_INTEGER - 1_000_000),
        })
        .execute(),
    );
    await expect(server().grant('bob_', 1_000_000)).rejects.toMatchObject({ code: 'invalid_input' });
    await server().grant('bob_', 1);
  });
});
