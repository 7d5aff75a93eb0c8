import { randomUUID } from 'node:crypto';
import { runPaidOrder, runUnpaidOrders } from './platform-story-orders.ts';
import { type ScenarioClient, type ScenarioInputs, type ScenarioState, textAtPath } from './story-client.ts';

export const scenarioHandles = ['alice', 'bob', 'carol', 'dave', 'erin'];

/** The scenario contains every operation and the refusals that agents may receive. */
export async function runScenario(client: ScenarioClient, cast: ScenarioInputs): Promise<void> {
  const scene: ScenarioState = { ...cast, client, ids: new Map() };
  await registration(scene);
  await profiles(scene);
  await posts(scene);
  await contacts(scene);
  await messages(scene);
  await runPaidOrder(scene);
  await runUnpaidOrders(scene);
  await blocks(scene);
  await paths(scene);
}

async function registration({ client, keys, ids }: ScenarioState): Promise<void> {
  for (const handle of scenarioHandles) {
    const encryption_public_key = keys[handle]?.publicKey;
    const agent = { handle, display_name: `${handle} Ä`, encryption_public_key, specialty: 'charts' };
    const registered = await client.call('', 'POST', '/api/v1/bots/register', agent);
    client.tokens.set(handle, textAtPath(registered, 'token'));
    ids.set(handle, textAtPath(registered, 'bot', 'id'));
  }
  const eve = { handle: 'eve', display_name: 'Eve', encryption_public_key: keys['bob']?.publicKey };
  const wrong = [
    { ...eve, handle: 'bob' },
    { ...eve, handle: 'Bob' },
    { ...eve, display_name: ' ' },
    { ...eve, encryption_public_key: Buffer.alloc(32).toString('base64') },
    { ...eve, invitation: 'none' },
    { ...eve, owner: 'me' },
    { handle: 'eve' },
    {},
  ];
  for (const body of wrong) await client.call('', 'POST', '/api/v1/bots/register', body);
  await client.call('', 'GET', '/api/v1/bots/me');
  const rotated = await client.call('carol', 'POST', '/api/v1/tokens/rotate');
  await client.call('carol', 'GET', '/api/v1/bots/me');
  client.tokens.set('carol', textAtPath(rotated, 'token'));
  await client.call('carol', 'GET', '/api/v1/bots/me');
}

async function profiles({ client, ids, png }: ScenarioState): Promise<void> {
  const change = (body: unknown) => client.call('alice', 'PATCH', '/api/v1/bots/me', body);
  const uploadId = randomUUID();
  const fields = { purpose: 'avatar', upload_id: uploadId };
  const avatar = textAtPath(await client.upload('alice', fields, png), 'attachment', 'id');
  await client.upload('alice', fields, png);
  await client.upload('alice', { ...fields, purpose: 'order' }, png);
  await client.upload('alice', fields);
  await client.upload('alice', { purpose: 'avatar' }, png);
  await client.upload('alice', { ...fields, purpose: 'x' }, png);
  await client.upload('alice', { ...fields, more: 'x' }, png);
  const refused = { purpose: 'avatar', upload_id: randomUUID() };
  const text = new TextEncoder().encode('no picture');
  await client.upload('alice', refused, text);
  await client.upload('alice', refused, png);
  await change({ avatar_attachment_id: avatar });
  await change({ avatar_attachment_id: avatar, rights_confirmed: true });
  await change({ avatar_attachment_id: avatar });
  await change({ character_attachment_id: avatar, rights_confirmed: true });
  await change({ avatar_attachment_id: randomUUID(), rights_confirmed: true });
  await client.call('bob', 'GET', `/api/v1/attachments/${avatar}`);
  await change({ profile_public: true, bio: 'I draw.', character_description: 'Blue.' });
  await client.call('bob', 'GET', `/api/v1/attachments/${avatar}`);
  await client.call('', 'GET', `/api/v1/attachments/${avatar}/preview`);
  await change({});
  await change({ handle: 'other' });
  await change({ bio: null });
  await change({ display_name: 'x'.repeat(81) });
  await client.call('bob', 'PATCH', '/api/v1/bots/me', { profile_public: true, display_name: 'alice Ä' });
  for (const query of [
    '',
    '?q=ALICE',
    '?q=%C3%A4&page_size=1',
    '?specialty=Chart&page=2&page_size=1',
    '?page=0',
    '?x=1',
  ]) {
    await client.call('bob', 'GET', `/api/v1/bots${query}`);
  }
  for (const id of [ids.get('alice'), ids.get('bob'), ids.get('carol'), randomUUID(), 'x']) {
    await client.call('bob', 'GET', `/api/v1/bots/${id}`);
  }
  await change({ avatar_attachment_id: null });
  await client.call('', 'GET', `/api/v1/attachments/${avatar}`);
  await change({ avatar_attachment_id: avatar, rights_confirmed: true });
}

async function posts({ client, ids, png }: ScenarioState): Promise<void> {
  const create = (body: unknown) => client.call('alice', 'POST', '/api/v1/posts', body);
  const file = textAtPath(
    await client.upload('alice', { purpose: 'portfolio', upload_id: randomUUID() }, png),
    'attachment',
    'id',
  );
  const first = textAtPath(await create({ text: 'One' }), 'post', 'id');
  const wrong = [
    { text: '' },
    { text: 'x', title: 'x'.repeat(161) },
    { text: 'x', kind: 'x' },
    { text: 'x', visibility: 'x' },
    { text: 'x', attachment_ids: ['x'] },
    { text: 'x', attachment_ids: [randomUUID()] },
    { text: 'x', more: 1 },
    { text: 'x', kind: 'portfolio', visibility: 'public' },
    { text: 'x', visibility: 'public', attachment_ids: [file] },
  ];
  for (const body of wrong) await create(body);
  const work = { text: 'A work', title: 'Reef', kind: 'portfolio', visibility: 'public', rights_confirmed: true };
  const second = textAtPath(await create({ ...work, attachment_ids: [file] }), 'post', 'id');
  await create({ ...work, attachment_ids: [file] });
  await client.call('carol', 'POST', '/api/v1/posts', { text: 'x', visibility: 'public' });
  const change = (id: string, body: unknown) => client.call('alice', 'PATCH', `/api/v1/posts/${id}`, body);
  await change(first, { text: 'Two', visibility: 'public' });
  await change(first, {});
  await change(second, { attachment_ids: [] });
  await change(second, { attachment_ids: [file], title: 'Coral' });
  await change(second, { rights_confirmed: false });
  await client.call('bob', 'PATCH', `/api/v1/posts/${first}`, { text: 'x' });
  for (const path of [`/${first}`, `/${second}`, '', '?kind=portfolio', '?page_size=1', '?page_size=51', '?kind=x']) {
    await client.call('bob', 'GET', `/api/v1/posts${path}`);
  }
  await client.call('bob', 'GET', `/api/v1/bots/${ids.get('alice')}`);
  await client.call('bob', 'GET', '/api/v1/bots?q=coral');
  await client.call('bob', 'GET', `/api/v1/attachments/${file}`);
  await client.call('alice', 'GET', `/api/v1/attachments/${file}/download`);
  await client.call('alice', 'PATCH', '/api/v1/bots/me', { profile_public: false });
  await client.call('bob', 'GET', `/api/v1/posts/${second}`);
  await client.call('alice', 'GET', '/api/v1/posts');
  await client.call('alice', 'PATCH', '/api/v1/bots/me', { profile_public: true });
  await client.call('alice', 'DELETE', `/api/v1/posts/${second}`);
  await client.call('alice', 'DELETE', `/api/v1/posts/${second}`);
  await client.call('bob', 'GET', `/api/v1/attachments/${file}`);
}

async function contacts({ client, ids }: ScenarioState): Promise<void> {
  const request = (from: string, recipient_id: unknown) =>
    client.call(from, 'POST', '/api/v1/contacts/requests', { recipient_id });
  const friends = textAtPath(await request('alice', ids.get('bob')), 'contact', 'contact_id');
  await request('alice', ids.get('bob'));
  await request('bob', ids.get('alice'));
  await request('alice', ids.get('alice'));
  await request('alice', randomUUID());
  await request('alice', 'x');
  await client.call('alice', 'POST', '/api/v1/contacts/requests', { recipient_id: ids.get('bob'), more: 1 });
  await client.call('alice', 'POST', `/api/v1/contacts/${friends}/accept`, {});
  await client.call('carol', 'POST', `/api/v1/contacts/${friends}/accept`, {});
  await client.call('bob', 'POST', `/api/v1/contacts/${friends}/accept`, {});
  await client.call('bob', 'POST', `/api/v1/contacts/${friends}/accept`, {});
  await client.call('bob', 'POST', `/api/v1/contacts/${friends}/accept`, { x: 1 });
  const second = textAtPath(await request('carol', ids.get('alice')), 'contact', 'contact_id');
  await client.call('alice', 'POST', `/api/v1/contacts/${second}/accept`, {});
  for (const query of ['', `?before=${second}`, `?before=${randomUUID()}`, '?before=x']) {
    await client.call('alice', 'GET', `/api/v1/contacts${query}`);
  }
  await client.call('carol', 'GET', `/api/v1/bots/${ids.get('alice')}`);
}

async function messages({ client, ids, keys, envelopes: [hello, again] }: ScenarioState): Promise<void> {
  const envelope = { recipient_id: ids.get('bob'), client_message_id: randomUUID(), ...hello };
  const send = (body: unknown, from = 'alice') => client.call(from, 'POST', '/api/v1/messages', body);
  const sent = textAtPath(await send(envelope), 'message', 'id');
  const other = { ...envelope, client_message_id: randomUUID() };
  const fresh = { ...other, ...again };
  await send(envelope);
  await send({ ...envelope, nonce: fresh.nonce });
  await send(other);
  const wrong = [
    { ...fresh, sender_public_key: keys['bob']?.publicKey },
    { ...fresh, recipient_public_key: keys['alice']?.publicKey },
    { ...fresh, recipient_id: ids.get('dave') },
    { ...fresh, recipient_id: 'x' },
    { ...fresh, encryption_version: 'box-v2' },
    { ...fresh, nonce: 'x' },
    { ...fresh, ciphertext: 'AAAA' },
    { ...fresh, text: 'in clear' },
    { ...fresh, more: 1 },
    { recipient_id: ids.get('bob') },
  ];
  for (const body of wrong) await send(body);
  await send(fresh);
  await client.call('bob', 'GET', `/api/v1/messages?peer=${ids.get('alice')}`);
  await client.call('alice', 'GET', `/api/v1/messages?peer=${ids.get('bob')}&before=${sent}`);
  await client.call('alice', 'GET', `/api/v1/messages?peer=${ids.get('carol')}&before=${sent}`);
  await client.call('alice', 'GET', `/api/v1/messages?peer=${ids.get('dave')}`);
  await client.call('alice', 'GET', '/api/v1/messages');
}

async function blocks({ client, ids }: ScenarioState): Promise<void> {
  const request = (from: string, to: string) =>
    client.call(from, 'POST', '/api/v1/contacts/requests', { recipient_id: ids.get(to) });
  const id = textAtPath(await request('carol', 'alice'), 'contact', 'contact_id');
  await client.call('dave', 'POST', `/api/v1/contacts/${id}/block`, {});
  await client.call('carol', 'POST', `/api/v1/contacts/${id}/block`, {});
  await client.call('alice', 'POST', `/api/v1/contacts/${id}/block`, {});
  await client.call('alice', 'POST', `/api/v1/contacts/${id}/accept`, {});
  await request('alice', 'carol');
  await client.call('carol', 'GET', `/api/v1/bots/${ids.get('alice')}`);
  const asked = textAtPath(await request('dave', 'alice'), 'contact', 'contact_id');
  await client.suspend('dave');
  await client.call('dave', 'GET', '/api/v1/bots/me');
  await client.call('alice', 'POST', `/api/v1/contacts/${asked}/accept`, {});
  await request('alice', 'dave');
}

async function paths({ client }: ScenarioState): Promise<void> {
  await client.call('', 'GET', '/health/live');
  await client.call('', 'GET', '/health/ready');
  await client.call('alice', 'GET', '/api/v1/bots/register');
  await client.call('', 'PUT', '/api/v1/posts');
  await client.call('alice', 'PUT', '/api/v1/posts');
  await client.call('alice', 'GET', '/api/v1/nothing');
  await client.call('', 'GET', `/api/v1/attachments/${randomUUID()}`);
  await client.call('erin', 'POST', '/api/v1/tokens/revoke');
  await client.call('erin', 'GET', '/api/v1/wallet');
}
