import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import {
  actionBodies,
  advanceOrder,
  makeOrderParties,
  type OrderParties,
  offerBody,
  orderIn,
  readOrder,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { suspendAgent } from '../../testing/scenarios/suspension.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { expectRefusal, type Json, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

const photo = readRealFile('upright.jpg');
const document = readRealFile('pdftex.pdf');
const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

async function upload({ token }: RegisteredAgent, purpose = 'order', file: Uint8Array = photo): Promise<string> {
  const answer = await uploadFile(server().url, token, {
    file,
    purpose,
    filename: 'source.jpg',
    uploadId: randomUUID(),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return String(answer.body['attachment']?.['id']);
}

async function statusOf(id: string, what: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server().url}/api/v1/attachments/${id}${what}`, { headers });
  await answer.body?.cancel();
  return answer.status;
}

describe('the files of an order', () => {
  it('are fixed at creation and at delivery, in the order sent, and shown completely to both agents', async () => {
    const [first, second] = [await upload(pair.contractor), await upload(pair.contractor)];
    const result = await upload(pair.contractor, 'order', document);
    const created = orderIn(
      await sendOrder(server(), pair.contractor, offerBody(pair, { input_attachment_ids: [second, first] })),
    );
    const id = created['id'] ?? '';
    await advanceOrder(server(), pair, id, ['accept', 'start']);
    const delivered = orderIn(
      await sendAction(server(), pair.contractor, id, 'deliver', {
        expected_version: 3,
        result_attachment_ids: [result],
      }),
    );

    expect(delivered).toMatchObject({ state: 'delivered', result_text: null });
    for (const order of [delivered, await readOrder(server(), pair.customer, id)]) {
      expect([...order['input_attachments']].map((file) => file['id'])).toEqual([second, first]);
      expect(order['input_attachments'][0]).toMatchObject({
        purpose: 'order',
        available: true,
        filename: 'source.jpg',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        preview_url: `/api/v1/attachments/${second}/preview`,
        download_url: `/api/v1/attachments/${second}/download`,
      });
      // Each file was sent as source.jpg. For the other participant, the name has the extension of the actual type.
      const filename = order === delivered ? 'source.jpg' : 'source.jpg.pdf';
      expect(order['result_attachments']).toMatchObject([{ id: result, media_type: 'application/pdf', filename }]);
    }
    const list = await server().request('GET', '/api/v1/orders?page_size=1', { token: pair.customer.token });
    expect(list.body['orders']?.[0]?.['input_attachments']).toHaveLength(2);
    expect(list.body['orders']?.[0]?.['result_attachments']).toMatchObject([{ filename: 'source.jpg.pdf' }]);
    const record = await server().request('GET', `/api/v1/attachments/${result}`, { token: pair.customer.token });
    expect(record.body).toMatchObject({ attachment: { filename: 'source.jpg.pdf' } });
  });

  it('can only be read by the two participants, as they were sent', async () => {
    const file = await upload(pair.contractor);
    const stranger = await server().register('file_stranger');
    const paths = ['', '/preview', '/download'];
    for (const path of paths) expect(await statusOf(file, path, pair.customer.token)).toBe(404);
    await sendOrder(server(), pair.contractor, offerBody(pair, { input_attachment_ids: [file] }));

    for (const path of paths) {
      expect(await statusOf(file, path, pair.customer.token)).toBe(200);
      expect(await statusOf(file, path, pair.contractor.token)).toBe(200);
      expect(await statusOf(file, path, stranger.token)).toBe(404);
      expect(await statusOf(file, path)).toBe(404);
    }
    const download = await fetch(`${server().url}/api/v1/attachments/${file}/download`, {
      headers: { authorization: `Bearer ${pair.customer.token}` },
    });
    expect(Buffer.from(await download.arrayBuffer()).equals(Buffer.from(photo))).toBe(true);
    expect(download.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('stay readable for one participant when the other is suspended', async () => {
    const mine = await makeOrderParties(server());
    const file = await upload(mine.contractor);
    await sendOrder(server(), mine.contractor, offerBody(mine, { input_attachment_ids: [file] }));
    await suspendAgent(server().store, () => new Date(), mine.contractor.id);

    expect(await statusOf(file, '/download', mine.customer.token)).toBe(200);
  });

  it("must be the agent's own, ready and for orders", async () => {
    const foreign = await upload(pair.customer);
    const portfolio = await upload(pair.contractor, 'portfolio');
    for (const id of [foreign, portfolio, randomUUID()]) {
      const body = offerBody(pair, { input_attachment_ids: [id] });
      expectRefusal(await sendOrder(server(), pair.contractor, body), 'invalid_attachment');
    }
  });

  it('are bound permanently, to one order', async () => {
    const file = await upload(pair.contractor);
    const body = () => offerBody(pair, { input_attachment_ids: [file] });
    expect((await sendOrder(server(), pair.contractor, body())).status).toBe(201);
    expectRefusal(await sendOrder(server(), pair.contractor, body()), 'attachment_already_bound');
  });

  it('stay unbound when the command with them is refused', async () => {
    const file = await upload(pair.contractor);
    const wrong = offerBody(pair, { input_attachment_ids: [file, randomUUID()] });
    expectRefusal(await sendOrder(server(), pair.contractor, wrong), 'invalid_attachment');
    expect((await sendOrder(server(), pair.contractor, offerBody(pair, { input_attachment_ids: [file] }))).status).toBe(
      201,
    );
  });

  it.each([[['same', 'same']], [['same', 'SAME']]])('must all be different: %j is invalid_input', async (named) => {
    const file = await upload(pair.contractor);
    const input_attachment_ids = named.map((name) => (name === 'same' ? file : file.toUpperCase()));
    expectRefusal(
      await sendOrder(server(), pair.contractor, offerBody(pair, { input_attachment_ids })),
      'invalid_input',
    );
  });

  it('of a delivery have the same rules', async () => {
    const mine = await makeOrderParties(server());
    const id = orderIn(await sendOrder(server(), mine.contractor, offerBody(mine)))['id'] ?? '';
    await advanceOrder(server(), mine, id, ['accept', 'start']);
    const deliver = (ids: readonly string[]) =>
      sendAction(server(), mine.contractor, id, 'deliver', { expected_version: 3, result_attachment_ids: ids });
    const foreign = await upload(mine.customer);
    const used = await upload(mine.contractor);
    await sendOrder(server(), mine.contractor, offerBody(mine, { input_attachment_ids: [used] }));

    expectRefusal(await deliver([foreign]), 'invalid_attachment');
    expectRefusal(await deliver([used]), 'attachment_already_bound');
    expect(await readOrder(server(), mine.customer, id)).toMatchObject({ state: 'in_progress', version: 3 });
  });

  it('are marked for removal when the order ends, not before', async () => {
    const mine = await makeOrderParties(server());
    const file = await upload(mine.contractor);
    const id =
      orderIn(await sendOrder(server(), mine.contractor, offerBody(mine, { input_attachment_ids: [file] })))['id'] ??
      '';
    const detached = () =>
      server().store.read((reader) =>
        reader.selectFrom('attachments').where('id', '=', file).select('detached_at').executeTakeFirstOrThrow(),
      );
    await advanceOrder(server(), mine, id, ['accept', 'propose-refund']);
    expect(await detached()).toEqual({ detached_at: null });
    await advanceOrder(server(), mine, id, ['approve-refund']);
    expect((await detached()).detached_at).not.toBeNull();
    // Both participants may read the file until retention removes it.
    expect(await statusOf(file, '/download', mine.customer.token)).toBe(200);
  });

  it('are read again for a repeated command', async () => {
    const mine = await makeOrderParties(server());
    const file = await upload(mine.contractor);
    const body = offerBody(mine, { input_attachment_ids: [file] });
    const created = await sendOrder(server(), mine.contractor, body);
    const id = created.body['order']?.['id'] ?? '';
    const accept = { operation_id: randomUUID(), expected_version: 1, ...actionBodies.accept };
    await sendAction(server(), mine.customer, id, 'accept', accept);
    const deliver = {
      operation_id: randomUUID(),
      expected_version: 3,
      result_attachment_ids: [await upload(mine.contractor)],
    };
    await advanceOrder(server(), mine, id, ['start']);
    await sendAction(server(), mine.contractor, id, 'deliver', deliver);
    // Simulates the removal of the file by retention.
    await server().store.transact((writer) =>
      writer.updateTable('attachments').set({ cleaned_at: new Date() }).where('id', '=', file).execute(),
    );

    const repeated = await sendOrder(server(), mine.contractor, body);
    expect(repeated.status).toBe(200);
    expect(repeated.body['order']).toEqual({
      ...spread(created.body['order']),
      input_attachments: [
        {
          ...spread(created.body['order']?.['input_attachments'][0]),
          available: false,
          preview_url: null,
          download_url: null,
        },
      ],
    });
    const accepted = await sendAction(server(), mine.customer, id, 'accept', accept);
    expect(accepted.body['order']).toMatchObject({
      version: 2,
      input_attachments: [{ available: false }],
      result_attachments: [],
    });
    const delivered = await sendAction(server(), mine.contractor, id, 'deliver', deliver);
    expect(delivered.body['order']).toMatchObject({ version: 4, result_attachments: [{ available: true }] });
  });
});

function spread(json: Json | undefined): object {
  return Object.fromEntries(Object.entries(json ?? {}));
}
