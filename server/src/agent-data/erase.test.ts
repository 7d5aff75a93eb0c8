import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEvents, waitForCloseCode } from '../../testing/event-client.ts';
import { makePng, makePngChunk } from '../../testing/files/image-maker.ts';
import { findFilesWith, findTablesWith } from '../../testing/find-text.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { befriend, readEventBacklog, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import {
  advanceOrder,
  makeOffer,
  makeOrderInState,
  makeOrderParties,
  offerBody,
  orderIn,
  readOrder,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { readTextBytes } from '../../testing/scenarios/text-usage.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import {
  expectRefusal,
  type Json,
  makeRegistration,
  type RegisteredAgent,
  startTestServer,
  type TestServer,
} from '../../testing/test-server.ts';
import { openStorage } from '../attachments/attachments-setup.ts';
import type { FileStorage } from '../files/storage.ts';
import { checkLedger } from '../ledger/ledger-check-queries.ts';
import { hidePost } from '../posts/moderation-commands.ts';
import { runRetention } from '../retention/retention-commands.ts';
import { eraseAgent } from './erase-commands.ts';

// Occurs in every text of the agent; in lower case, as in the search index.
const mark = 'zmarkz';
const picture = makePng(40, 40, [makePngChunk('tEXt', Buffer.from(`Comment\0${mark}`))]);

const membersOf = (json: Json | undefined) => ({ ...(json as object | undefined) });

describe.each(['copied', 'embedded'])('an erased agent on a database that is %s', (database) => {
  let server: TestServer;
  const record = async () => undefined;
  const erasing = (storage: FileStorage = openStorage(server.settings)) => {
    const { announce, accessChanged } = server.app;
    return { store: server.store, storage, clock: () => new Date(), announce, accessChanged, record };
  };
  beforeAll(async () => {
    server = await startTestServer({}, database);
  });
  afterAll(() => server.close());

  const request = async (agent: RegisteredAgent, method: string, path: string, body?: object) => {
    const options = { token: agent.token, ...(body === undefined ? {} : { body }) };
    const answer = await server.request(method, `/api/v1${path}`, options);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const upload = async ({ token }: RegisteredAgent, purpose: string) => {
    const { body } = await uploadFile(server.url, token, { file: picture, filename: `${mark}.png`, purpose });
    return String(body['attachment']?.['id']);
  };
  /** Makes an agent with texts and files in every possible place. */
  const makeTalkative = async () => {
    const pair = await makeOrderParties(server);
    const { contractor: agent, customer: friend } = pair;
    const avatar = await upload(agent, 'avatar');
    const texts = { display_name: mark, bio: mark, specialty: mark, character_description: mark };
    await request(agent, 'PATCH', '/bots/me', {
      ...texts,
      profile_public: true,
      avatar_attachment_id: avatar,
      rights_confirmed: true,
    });
    const post = async (visibility: string, more: object = {}) => {
      const body = { text: mark, title: mark, visibility, rights_confirmed: true, ...more };
      return String((await request(agent, 'POST', '/posts', body))['post']?.['id']);
    };
    await post('public', { attachment_ids: [await upload(agent, 'portfolio')] });
    await post('private');
    await request(agent, 'DELETE', `/posts/${await post('public')}`);
    const hidden = await post('public');
    const moderation = { store: server.store, clock: () => new Date(), record, attachments: { release: record } };
    await hidePost(moderation, hidden);
    await upload(agent, 'portfolio');
    // A closed order with a file of the agent, and offers from and to the agent.
    const files = { input_attachment_ids: [await upload(agent, 'order')] };
    const ended = orderIn(await sendOrder(server, agent, offerBody(pair, files)))['id'] ?? '';
    const accept = { operation_id: randomUUID(), expected_version: 1, confirmed_total_minor: 1_100 };
    const accepted = await request(friend, 'POST', `/orders/${ended}/accept`, accept);
    await advanceOrder(server, pair, ended, ['start', 'deliver', 'complete']);
    const own = await makeOffer(server, pair);
    const received = orderIn(
      await sendOrder(server, friend, {
        ...offerBody(pair),
        customer_id: undefined,
        contractor_id: agent.id,
        confirmed_total_minor: 1_100,
      }),
    );
    for (const [from, to] of [[agent, friend] as const, [friend, agent] as const])
      await request(from, 'POST', '/messages', await makeEnvelope(server, from, to));
    const stranger = await server.register(`stranger_${agent.handle}`);
    await sendContactRequest(server, agent, stranger);
    const former = await server.register(`former_${agent.handle}`);
    await sendContactBlock(server, agent, await befriend(server, agent, former));
    return { pair, agent, friend, stranger, former, ended, own, received: received['id'] ?? '', accept, accepted };
  };

  it('has no text and no file left anywhere, and the data of others is kept', async () => {
    const { agent, friend, stranger, former, ended, own, received, accept, accepted } = await makeTalkative();
    const { store, folder } = server;
    expect(await findTablesWith(store, mark)).toEqual(
      expect.arrayContaining(['attachments', 'bots', 'events', 'operations', 'posts', 'search_texts']),
    );
    expect(findFilesWith(folder, mark)).toHaveLength(3);
    const seenByFriend = async () => ({
      wallet: await request(friend, 'GET', '/wallet'),
      history: await request(friend, 'GET', '/wallet/history'),
      messages: await request(friend, 'GET', `/messages?peer=${agent.id}`),
      order: { ...membersOf(await readOrder(server, friend, ended)), contractor: null, input_attachments: null },
    });
    const before = await seenByFriend();
    const stream = await connectEvents(server.url, agent);

    expect(await eraseAgent(erasing(), agent.handle)).toMatchObject({ changed: true });

    expect(await waitForCloseCode(stream)).toBe(4401);
    expect(await findTablesWith(store, mark)).toEqual([]);
    expect(findFilesWith(folder, mark)).toEqual([]);
    expect(await seenByFriend()).toEqual(before);
    const shown = { id: agent.id, handle: agent.handle, display_name: agent.handle };
    const order = await readOrder(server, friend, ended);
    expect(order['contractor']).toEqual(shown);
    expect(order['input_attachments']).toMatchObject([{ available: false, download_url: null, filename: 'file.png' }]);
    // The offers ended as if the agent had cancelled or rejected them, and the other agents were notified.
    expect([
      (await readOrder(server, friend, own))['state'],
      (await readOrder(server, friend, received))['state'],
    ]).toEqual(['cancelled', 'rejected']);
    const kinds = async (of: RegisteredAgent) =>
      (await readEventBacklog(server, of)).map(({ kind, payload }) => {
        const told = (typeof payload === 'string' ? JSON.parse(payload) : payload) as Json;
        return [kind, told['status'] === 'blocked' ? told['peer']?.['display_name'] : told['status']];
      });
    expect((await kinds(friend)).slice(-3)).toEqual([
      ['contact.blocked', agent.handle],
      ['order.changed', 'cancelled'],
      ['order.changed', 'rejected'],
    ]);
    expect(await kinds(stranger)).toEqual([['contact.blocked', agent.handle]]);
    expect(await kinds(former)).toEqual([['contact.blocked', agent.handle]]);
    expect(await kinds(agent)).toEqual([]);
    // A repeated request returns the earlier response, but with the handle in place of the name.
    const repeated = await request(friend, 'POST', `/orders/${ended}/accept`, accept);
    expect(repeated['order']).toEqual({
      ...membersOf(accepted['order']),
      contractor: shown,
      input_attachments: order['input_attachments'],
    });
    expect((await checkLedger(store)).faults).toEqual([]);
  });

  if (database === 'embedded') return;

  it('cannot register again, authenticate or be contacted, and only its remaining data counts', async () => {
    const { agent, friend, received } = await makeTalkative();
    const key = (await request(agent, 'GET', '/bots/me'))['bot']?.['encryption_public_key'];
    const envelope = await makeEnvelope(server, friend, agent);
    await eraseAgent(erasing(), agent.id);

    const register = (handle: string, more: object) =>
      server.request('POST', '/api/v1/bots/register', { body: { ...makeRegistration(handle), ...more } });
    expectRefusal(await register(agent.handle, {}), 'handle_unavailable');
    expectRefusal(await register('successor', { encryption_public_key: key }), 'invalid_input');
    expectRefusal(await server.request('GET', '/api/v1/bots/me', { token: agent.token }), 'unauthorized');
    const send = (path: string, body: object) =>
      server.request('POST', `/api/v1${path}`, { token: friend.token, body });
    expectRefusal(await send('/messages', envelope), 'contact_not_accepted');
    expectRefusal(await send('/contacts/requests', { recipient_id: agent.id }), 'not_found');
    expectRefusal(await sendAction(server, friend, received, 'cancel', { expected_version: 2 }), 'state_conflict');
    expect(await eraseAgent(erasing(), agent.id)).toMatchObject({ changed: false });
    // Only the agent's messages and handle still count.
    const { counted, kept } = await readTextBytes(server, agent);
    expect(counted).toBe(kept);
    const usage = await server.store.read((reader) =>
      reader.selectFrom('file_usage').where('key', '=', agent.id).selectAll().executeTakeFirstOrThrow(),
    );
    expect({ ...usage, bytes: Number(usage.bytes) }).toMatchObject({ files: 0, bytes: 0, records: 4 });
  });

  it.each(['funded', 'in_progress', 'delivered', 'disputed'] as const)(
    'is not erased while an order is %s, and nothing of it changes',
    async (state) => {
      const pair = await makeOrderParties(server);
      await makeOrderInState(server, pair, state);
      const offer = await makeOffer(server, pair);
      for (const { handle } of [pair.customer, pair.contractor])
        await expect(eraseAgent(erasing(), handle)).rejects.toMatchObject({ code: 'state_conflict' });

      expect((await request(pair.contractor, 'GET', '/bots/me'))['bot']).toMatchObject({
        handle: pair.contractor.handle,
      });
      expect((await readOrder(server, pair.customer, offer))['state']).toBe('offered');
      // Erases the agent despite its open order, as the replay after a restore does.
      expect(await eraseAgent(erasing(), pair.contractor.id, 'keep')).toMatchObject({ changed: true });
      expect((await checkLedger(server.store)).faults).toEqual([]);
    },
  );

  it('is erased completely by the next retention run if the process ended during the erasure', async () => {
    const { agent } = await makeTalkative();
    const storage = openStorage(server.settings);
    const broken = { ...storage, remove: () => Promise.reject(new Error('killed')) };
    await expect(eraseAgent(erasing(broken), agent.id)).rejects.toThrow('killed');
    expect(findFilesWith(server.folder, mark)).not.toEqual([]);

    const terms = { unattachedFileHours: 24, detachedFileDays: 30 };
    await runRetention({ store: server.store, storage, terms, announce: server.app.announce }, new Date());

    expect(findFilesWith(server.folder, mark)).toEqual([]);
    expect(await findTablesWith(server.store, mark)).toEqual([]);
    const unfinished = server.store.read((reader) =>
      reader.selectFrom('erasures').where('finished_at', 'is', null).selectAll().execute(),
    );
    expect(await unfinished).toEqual([]);
  });
});
