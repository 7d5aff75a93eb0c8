import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePng } from '../../testing/files/image-maker.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { makeOffer, makeOrderInState, makeOrderParties, type OrderParties } from '../../testing/scenarios/orders.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { openStorage } from '../attachments/attachments-setup.ts';
import { exportAgent } from './export-commands.ts';

type Row = Readonly<Record<string, unknown>>;

describe.each(['copied', 'embedded'])('the export of an agent on a database that is %s', (database) => {
  let server: TestServer;
  let pair: OrderParties;
  const png = makePng(12, 12);
  beforeAll(async () => {
    server = await startTestServer({}, database);
    pair = await makeOrderParties(server);
  });
  afterAll(() => server.close());

  const send = async (path: string, body: object, token = pair.contractor.token) => {
    const answer = await server.request('POST', `/api/v1${path}`, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const exported = async (name: string, folder: string, storage = openStorage(server.settings)) => {
    const parts = { store: server.store, storage, clock: () => new Date(), record: async () => undefined };
    return await exportAgent({ ...parts, note: () => undefined }, name, folder);
  };

  it('has everything of the agent, for its owner only, and no hash of a token', async () => {
    const { contractor: agent, customer: friend } = pair;
    const { body: uploaded } = await uploadFile(server.url, agent.token, { file: png, filename: 'ü b.png' });
    const file = String(uploaded['attachment']?.['id']);
    await send('/posts', { text: 'with a file\nand "quotes"', attachment_ids: [file] });
    const sent = await makeEnvelope(server, agent, friend);
    const received = await makeEnvelope(server, friend, agent);
    await send('/messages', sent);
    await send('/messages', received, friend.token);
    await makeOrderInState(server, pair, 'closed');
    await makeOffer(server, pair);
    const out = join(server.folder, 'out');

    const { counts } = await exported(agent.handle, out);

    const read = (name: string): unknown => JSON.parse(readFileSync(join(out, `${name}.json`), 'utf8'));
    const rows = (name: string) => read(name) as readonly Row[];
    expect(counts).toEqual({
      tokens: 1,
      posts: 1,
      attachments: 1,
      contacts: 1,
      messages: 2,
      orders: 2,
      operations: 4,
      ledger: 1,
      events: 8,
      files: 1,
    });
    expect(read('export')).toMatchObject({ format: 'agent-platform-agent', format_version: 1, missing_files: [] });
    expect(read('agent')).toMatchObject({ id: agent.id, handle: agent.handle, files: 1, suspended_at: null });
    expect(read('wallet')).toEqual({ available_minor: 1_000, reserved_minor: 0 });
    expect(rows('posts')).toMatchObject([{ text: 'with a file\nand "quotes"', attachment_ids: [file] }]);
    expect(rows('attachments')).toMatchObject([{ id: file, filename: 'ü b.png', size_bytes: png.length }]);
    expect(rows('contacts')).toMatchObject([{ peer_id: friend.id, peer_handle: friend.handle, state: 'friends' }]);
    expect(rows('messages')).toMatchObject(
      [sent, received].map(({ client_message_id, nonce, ciphertext }) => ({ client_message_id, nonce, ciphertext })),
    );
    const [closed] = rows('orders');
    expect(closed).toMatchObject({ state: 'closed', amount_minor: 1_000, attachments: [], version: 5 });
    const history = (closed?.['history'] ?? []) as readonly Row[];
    expect(history.map(({ action }) => action)).toEqual(['create', 'accept', 'start', 'deliver', 'complete']);
    expect(rows('ledger')).toMatchObject([{ kind: 'payout', delta_minor: 1_000 }]);
    expect(rows('events').map(({ kind }) => kind)).toContain('message.created');
    expect(Object.keys(rows('tokens')[0] ?? {})).toEqual(['created_at', 'expires_at', 'ended_at']);
    expect(readFileSync(join(out, 'files', `${file}.original`))).toEqual(png);

    const hash = createHash('sha256').update(agent.token).digest('hex');
    const entries = readdirSync(out, { withFileTypes: true, recursive: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      expect([path, statSync(path).mode & 0o777]).toEqual([path, entry.isDirectory() ? 0o700 : 0o600]);
      if (entry.isFile()) expect(readFileSync(path, 'latin1')).not.toContain(hash);
    }
    expect(statSync(out).mode & 0o777).toBe(0o700);

    const key = `${file}.original`;
    writeFileSync(join(server.settings.dataDir, 'files', file.slice(-2), key), Buffer.from(png).fill(7, 40, 44));
    const again = join(server.folder, 'again');
    await exported(agent.handle, again);
    expect(JSON.parse(readFileSync(join(again, 'export.json'), 'utf8'))).toMatchObject({ missing_files: [key] });
    expect(readdirSync(join(again, 'files'))).toEqual([`${file}.preview`]);
  });

  it('refuses a folder that exists, and leaves none of an export that fails', async () => {
    const taken = join(server.folder, 'taken');
    mkdirSync(taken);
    await expect(exported(pair.customer.handle, taken)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(readdirSync(taken)).toEqual([]);
    await expect(exported('nobody', join(server.folder, 'none'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(exported(pair.customer.handle, 'relative')).rejects.toMatchObject({ code: 'invalid_input' });

    const storage = { ...openStorage(server.settings), open: () => Promise.reject(new Error('the disk is gone')) };
    const failing = join(server.folder, 'failing');
    await expect(exported(pair.contractor.handle, failing, storage)).rejects.toThrow('the disk is gone');
    expect(readdirSync(server.folder).filter((name) => name.startsWith('failing'))).toEqual([]);
    expect(existsSync(join(server.folder, 'none'))).toBe(false);
  });
});
