import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { readEventBacklog, sendContactBlock } from '../../testing/scenarios/friends.ts';
import {
  actionBodies,
  advanceOrder,
  makeOffer,
  makeOrderParties,
  type OrderParties,
  offerBody,
  oneHourFromNow,
  orderIn,
  readBalances,
  readOrder,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { expectRefusal, hour, openTestServer, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

const events = async (mine: OrderParties) =>
  (await readEventBacklog(server(), mine.customer)).filter(({ kind }) => kind === 'order.changed').length;

describe('a repeat', () => {
  it('of a creation returns 200 with the same order and creates none', async () => {
    const mine = await makeOrderParties(server());
    const body = offerBody(mine, { description: 'd', input_attachment_ids: [] });
    const first = await sendOrder(server(), mine.contractor, body);
    const again = await sendOrder(server(), mine.contractor, body);
    const inAnotherOrder = await sendOrder(
      server(),
      mine.contractor,
      Object.fromEntries(Object.entries(body).reverse()),
    );

    expect([first.status, again.status, inAnotherOrder.status]).toEqual([201, 200, 200]);
    expect(again.body).toEqual(first.body);
    expect(inAnotherOrder.body).toEqual(first.body);
    expect(await events(mine)).toBe(1);
  });

  it('is recognized if its ids are in upper case', async () => {
    const body = offerBody(pair);
    const first = await sendOrder(server(), pair.contractor, body);
    const shout = JSON.parse(
      JSON.stringify(body).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => id.toUpperCase()),
    ) as object;
    const again = await sendOrder(server(), pair.contractor, shout);

    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('of an action returns the original response after later changes of the order', async () => {
    const mine = await makeOrderParties(server(), 1_100);
    const creation = offerBody(mine);
    const created = await sendOrder(server(), mine.contractor, creation);
    const id = created.body['order']?.['id'] ?? '';
    const accept = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    const accepted = await sendAction(server(), mine.customer, id, 'accept', accept);
    const start = { operation_id: randomUUID(), expected_version: 2 };
    const started = await sendAction(server(), mine.contractor, id, 'start', start);
    await advanceOrder(server(), mine, id, ['propose-refund', 'approve-refund']);
    const before = [await readBalances(server(), mine.customer), await events(mine)];

    expect(await sendAction(server(), mine.customer, id, 'accept', accept)).toMatchObject({
      status: 200,
      body: accepted.body,
    });
    expect(await sendAction(server(), mine.contractor, id, 'start', start)).toMatchObject({
      status: 200,
      body: started.body,
    });
    expect((await sendOrder(server(), mine.contractor, creation)).body).toEqual(created.body);
    expect(started.body['order']).toMatchObject({ version: 3, state: 'in_progress' });
    expect(await readOrder(server(), mine.customer, id)).toMatchObject({ version: 5, state: 'closed' });
    expect([await readBalances(server(), mine.customer), await events(mine)]).toEqual(before);
  });

  it('returns the original response, of which only the display names are stored', async () => {
    const mine = await makeOrderParties(server(), 1_100);
    const creation = offerBody(mine, { description: '語'.repeat(8_000) });
    const created = await sendOrder(server(), mine.contractor, creation);
    const id = created.body['order']?.['id'] ?? '';
    await advanceOrder(server(), mine, id, ['accept', 'start']);
    const deliver = { operation_id: randomUUID(), expected_version: 3, result_text: '書'.repeat(8_000) };
    const delivered = await sendAction(server(), mine.contractor, id, 'deliver', deliver);
    const propose = { operation_id: randomUUID(), expected_version: 4, reason: '止'.repeat(2_000) };
    const proposed = await sendAction(server(), mine.customer, id, 'propose-refund', propose);
    await advanceOrder(server(), mine, id, ['approve-refund']);
    const body = { display_name: 'Another name' };
    expect((await server().request('PATCH', '/api/v1/bots/me', { token: mine.customer.token, body })).status).toBe(200);

    const repeats = [
      await sendOrder(server(), mine.contractor, creation),
      await sendAction(server(), mine.contractor, id, 'deliver', deliver),
      await sendAction(server(), mine.customer, id, 'propose-refund', propose),
    ];
    expect(repeats.map(({ body }) => JSON.stringify(body))).toEqual(
      [created, delivered, proposed].map(({ body }) => JSON.stringify(body)),
    );
    const { rows } = await server().store.read((reader) =>
      sql<{ bytes: number }>`
        select max(octet_length(answer::text)) as bytes from operations
        where agent_id in (${mine.customer.id}, ${mine.contractor.id})`.execute(reader),
    );
    expect(rows[0]?.bytes).toBeLessThan(60);
  });

  it('is answered before deadline, friendship and funds are checked', async () => {
    const late = await openTestServer();
    const mine = await makeOrderParties(late, 1_100);
    const creation = offerBody(mine);
    const created = await sendOrder(late, mine.contractor, creation);
    const accept = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    const id = created.body['order']?.['id'] ?? '';
    const accepted = await sendAction(late, mine.customer, id, 'accept', accept);
    late.pass(2 * hour);
    await sendContactBlock(late, mine.contractor, mine.contactId);

    expect(await sendOrder(late, mine.contractor, creation)).toMatchObject({ status: 200, body: created.body });
    expect(await sendAction(late, mine.customer, id, 'accept', accept)).toMatchObject({
      status: 200,
      body: accepted.body,
    });
  });
});

describe('an operation id', () => {
  it('is a conflict for a creation with any change', async () => {
    const body = offerBody(pair, { description: 'd', input_attachment_ids: [], confirmed_total_minor: 1_100 });
    await sendOrder(server(), pair.contractor, body);
    const third = await makeOrderParties(server());
    const changes: readonly object[] = [
      { title: 'Another' },
      { description: 'e' },
      { description: undefined },
      { deadline: oneHourFromNow() },
      { amount_minor: 1_001 },
      { customer_id: third.customer.id },
      { customer_id: undefined, contractor_id: pair.customer.id },
      { confirmed_total_minor: 1_101 },
      { confirmed_total_minor: undefined },
      { input_attachment_ids: [randomUUID()] },
      { input_attachment_ids: undefined },
    ];
    for (const change of changes) {
      const answer = await sendOrder(server(), pair.contractor, { ...body, ...change });
      expect([change, answer.body['error']?.['code']]).toEqual([change, 'idempotency_conflict']);
    }
    expect((await sendOrder(server(), pair.contractor, body)).status).toBe(200);
  });

  it('is a conflict for another version, action, order or member', async () => {
    const [first, second] = [await makeOffer(server(), pair), await makeOffer(server(), pair)];
    const body = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    expect((await sendAction(server(), pair.customer, first, 'accept', body)).status).toBe(200);

    const conflicts = [
      sendAction(server(), pair.customer, first, 'accept', { ...body, expected_version: 2 }),
      sendAction(server(), pair.customer, first, 'accept', { ...body, confirmed_total_minor: undefined }),
      sendAction(server(), pair.customer, first, 'reject', { operation_id: body.operation_id, expected_version: 1 }),
      sendAction(server(), pair.customer, second, 'accept', body),
      sendOrder(server(), pair.customer, {
        ...offerBody(pair),
        customer_id: undefined,
        contractor_id: pair.contractor.id,
        confirmed_total_minor: 1_100,
        operation_id: body.operation_id,
      }),
    ];
    for (const answer of await Promise.all(conflicts)) expectRefusal(answer, 'idempotency_conflict');
    expect(await readOrder(server(), pair.customer, second)).toMatchObject({ state: 'offered' });
  });

  it('of a creation is a conflict for an action', async () => {
    const operation_id = randomUUID();
    const id = orderIn(await sendOrder(server(), pair.contractor, offerBody(pair, { operation_id })))['id'] ?? '';
    expectRefusal(
      await sendAction(server(), pair.contractor, id, 'cancel', { operation_id, expected_version: 1 }),
      'idempotency_conflict',
    );
  });

  it('is separate for each agent: another agent may use the same id', async () => {
    const operation_id = randomUUID();
    const id = orderIn(await sendOrder(server(), pair.contractor, offerBody(pair, { operation_id })))['id'] ?? '';
    const accept = { operation_id, expected_version: 1, ...actionBodies.accept };
    expect((await sendAction(server(), pair.customer, id, 'accept', accept)).status).toBe(200);
  });

  it('of a refused command may be used again', async () => {
    const mine = await makeOrderParties(server(), 0);
    const id = await makeOffer(server(), mine);
    const body = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    expectRefusal(await sendAction(server(), mine.customer, id, 'accept', body), 'insufficient_funds');
    expectRefusal(
      await sendAction(server(), mine.customer, id, 'reject', {
        ...body,
        confirmed_total_minor: undefined,
        expected_version: 9,
      }),
      'version_conflict',
    );
    await server().grant(mine.customer.id, 1_100);
    expect((await sendAction(server(), mine.customer, id, 'accept', body)).status).toBe(200);
  });
});

describe('the write limit', () => {
  it('counts refused commands and repeats, but no quotes', async () => {
    const narrow = await openTestServer({ PLATFORM_WRITES_PER_MINUTE: '4' });
    const mine = await makeOrderParties(narrow);
    const body = offerBody(mine);
    const quote = () =>
      narrow.request('POST', '/api/v1/orders/quote', { token: mine.contractor.token, body: { amount_minor: 5 } });
    for (let time = 0; time < 8; time += 1) expect((await quote()).status).toBe(200);
    // The acceptance of the contact request was counted as a write, too.
    expect((await sendOrder(narrow, mine.contractor, body)).status).toBe(201);
    expect((await sendOrder(narrow, mine.contractor, body)).status).toBe(200);
    expectRefusal(await sendOrder(narrow, mine.contractor, { ...body, title: '' }), 'invalid_input');
    expectRefusal(await sendOrder(narrow, mine.contractor, body), 'write_limited');
    expect((await quote()).status).toBe(200);
  });
});
