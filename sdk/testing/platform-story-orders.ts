import { randomUUID } from 'node:crypto';
import { type ScenarioClient, type ScenarioState, textAtPath } from './story-client.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

function offerOf(ids: ScenarioState['ids']) {
  return {
    operation_id: randomUUID(),
    title: 'A thumbnail',
    deadline: inDays(1),
    amount_minor: 1_005,
    contractor_id: ids.get('bob'),
    confirmed_total_minor: 1_106,
  };
}

const act = (client: ScenarioClient, from: string, order: string, action: string, version: number, more: object = {}) =>
  client.call(from, 'POST', `/api/v1/orders/${order}/${action}`, {
    operation_id: randomUUID(),
    expected_version: version,
    ...more,
  });

export async function runPaidOrder({ client, ids, png }: ScenarioState): Promise<void> {
  const upload = async (handle: string) =>
    textAtPath(await client.upload(handle, { purpose: 'order', upload_id: randomUUID() }, png), 'attachment', 'id');
  for (const amount_minor of [1_005, 0, 1.5, '100', 1_000_000_000_000]) {
    await client.call('alice', 'POST', '/api/v1/orders/quote', { amount_minor });
  }
  const [input, result] = [await upload('alice'), await upload('bob')];
  const offer = { ...offerOf(ids), input_attachment_ids: [input] };
  const create = (body: unknown, from = 'alice') => client.call(from, 'POST', '/api/v1/orders', body);
  const fresh = (more: object) => ({ ...offerOf(ids), ...more });
  const { contractor_id: _, confirmed_total_minor: __, ...noParty } = offerOf(ids);
  const wrong = [
    fresh({ deadline: inDays(-1) }),
    fresh({ deadline: '2026-01-01' }),
    fresh({ title: '' }),
    fresh({ amount_minor: 0 }),
    fresh({ customer_id: ids.get('bob') }),
    fresh({ confirmed_total_minor: undefined }),
    fresh({ confirmed_total_minor: 1 }),
    fresh({ contractor_id: ids.get('dave') }),
    fresh({ contractor_id: ids.get('alice') }),
    fresh({ input_attachment_ids: [result] }),
    fresh({ more: 1 }),
    noParty,
  ];
  for (const body of wrong) await create(body);
  const id = textAtPath(await create(offer), 'order', 'id');
  await create(offer);
  await create({ ...offer, title: 'Other' });
  await create(fresh({ input_attachment_ids: [input] }));
  await client.call('dave', 'GET', `/api/v1/orders/${id}`);
  await act(client, 'alice', id, 'accept', 1, { confirmed_total_minor: 1_106 });
  await act(client, 'bob', id, 'cancel', 1);
  await act(client, 'bob', id, 'accept', 2);
  await act(client, 'dave', id, 'accept', 1);
  await act(client, 'bob', id, 'accept', 1);
  await client.grant('alice', 5_000);
  const accept = { operation_id: randomUUID(), expected_version: 1 };
  await client.call('bob', 'POST', `/api/v1/orders/${id}/accept`, accept);
  await client.call('bob', 'POST', `/api/v1/orders/${id}/accept`, accept);
  await client.call('bob', 'POST', `/api/v1/orders/${id}/start`, accept);
  await client.call('alice', 'GET', '/api/v1/wallet');
  await act(client, 'alice', id, 'start', 2);
  await act(client, 'bob', id, 'deliver', 2, { result_text: 'Done' });
  await act(client, 'bob', id, 'start', 2);
  await act(client, 'bob', id, 'deliver', 3);
  await act(client, 'bob', id, 'deliver', 3, { result_text: 'Done', result_attachment_ids: [input] });
  await act(client, 'bob', id, 'deliver', 3, { result_text: 'Done', result_attachment_ids: [result] });
  await client.call('alice', 'GET', `/api/v1/attachments/${result}`);
  await client.call('dave', 'GET', `/api/v1/attachments/${result}`);
  await act(client, 'bob', id, 'complete', 4);
  await act(client, 'alice', id, 'complete', 4);
  await act(client, 'alice', id, 'complete', 5);
  await client.call('bob', 'POST', `/api/v1/orders/${id}/accept`, accept);
  await client.call('alice', 'POST', `/api/v1/orders/${id}/pay`, accept);
  await client.call('alice', 'GET', `/api/v1/orders/${id}`);
  for (const handle of ['alice', 'bob']) {
    await client.call(handle, 'GET', '/api/v1/wallet');
    await client.call(handle, 'GET', '/api/v1/wallet/history');
  }
  for (const query of ['?before=0', '?limit=0', '?limit=101', '?more=1']) {
    await client.call('alice', 'GET', `/api/v1/wallet/history${query}`);
  }
  await client.call('alice', 'GET', '/api/v1/wallet?x=1');
}

export async function runUnpaidOrders({ client, ids }: ScenarioState): Promise<void> {
  const create = async (more: object, from = 'alice') =>
    textAtPath(await client.call(from, 'POST', '/api/v1/orders', { ...offerOf(ids), ...more }), 'order', 'id');
  const toAlice = { contractor_id: undefined, confirmed_total_minor: undefined, customer_id: ids.get('alice') };
  const first = await create(toAlice, 'bob');
  await act(client, 'alice', first, 'accept', 1);
  await act(client, 'alice', first, 'accept', 1, { confirmed_total_minor: 1 });
  await act(client, 'alice', first, 'accept', 1, { confirmed_total_minor: 1_106 });
  await act(client, 'bob', first, 'dispute', 2, { reason: '' });
  await act(client, 'bob', first, 'approve-refund', 2);
  await act(client, 'bob', first, 'dispute', 2, { reason: 'Unclear.' });
  await act(client, 'alice', first, 'approve-refund', 3);
  await act(client, 'alice', first, 'propose-refund', 3, { reason: 'Let it be.' });
  await act(client, 'bob', first, 'propose-refund', 4, { reason: 'Yes.' });
  await act(client, 'alice', first, 'approve-refund', 4);
  await act(client, 'bob', first, 'approve-refund', 4);
  await client.call('bob', 'GET', `/api/v1/orders/${first}`);
  await act(client, 'alice', await create({}), 'cancel', 1);
  await act(client, 'bob', await create({}), 'reject', 1);
  await act(client, 'alice', await create({}), 'reject', 1);
  for (const query of ['', '?state=closed', '?state=offered&page_size=1', '?state=x', '?page=1001']) {
    await client.call('alice', 'GET', `/api/v1/orders${query}`);
  }
  await client.call('alice', 'GET', '/api/v1/wallet/history?limit=2');
}
