import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { befriend, readEventBacklog, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { reactivateAgent, suspendAgent } from '../../testing/scenarios/suspension.ts';
import {
  expectRefusal,
  minute,
  openTestServer,
  type RegisteredAgent,
  useTestServer,
} from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';

const server = useTestServer();

const { two } = makeAgentRegistrar(server);

const clock = () => new Date();
const ask = (agent: RegisteredAgent, recipientId: string) =>
  server().request('POST', '/api/v1/contacts/requests', { token: agent.token, body: { recipient_id: recipientId } });
const act = (agent: RegisteredAgent, id: string, action: 'accept' | 'block', body: unknown = {}) =>
  server().request('POST', `/api/v1/contacts/${id}/${action}`, { token: agent.token, body });
const list = (agent: RegisteredAgent, query = '') =>
  server().request('GET', `/api/v1/contacts${query}`, { token: agent.token });
const statusOf = async (agent: RegisteredAgent) => (await list(agent)).body['contacts']?.[0]?.['status'];

describe('a request', () => {
  it('makes one contact, outgoing to the one who asks and incoming to the other', async () => {
    const [alice, bob] = await two();
    const answer = await ask(alice, bob.id);
    const seen = (await list(bob)).body['contacts']?.[0];

    expect(answer.status).toBe(201);
    expect(answer.body['contact']).toMatchObject({ status: 'outgoing', peer: { id: bob.id, handle: bob.handle } });
    expect(seen).toMatchObject({ status: 'incoming', peer: { id: alice.id, handle: alice.handle } });
    expect(seen?.['contact_id']).toBe(answer.body['contact']?.['contact_id']);
    expect(await readEventBacklog(server(), bob)).toEqual([
      { kind: 'contact.requested', peer_id: alice.id, payload: seen, expires_at: null },
    ]);
    expect(await readEventBacklog(server(), alice)).toEqual([]);
  });

  it('shows the key of the peer with its fingerprint, although its profile is closed', async () => {
    const [alice, bob] = await two({ profile_public: false });
    const { peer } = (await ask(alice, bob.id)).body['contact'] as never as { peer: Record<string, string> };
    const own = (await server().request('GET', '/api/v1/bots/me', { token: bob.token })).body['bot'];

    expect(peer['encryption_public_key']).toBe(own?.['encryption_public_key']);
    expect(peer['encryption_key_fingerprint']).toBe(
      createHash('sha256')
        .update(Buffer.from(peer['encryption_public_key'] ?? '', 'base64'))
        .digest('hex'),
    );
  });

  it('answers a repeat, and a request from the other side, with the same contact and no event', async () => {
    const [alice, bob] = await two();
    const first = await ask(alice, bob.id);
    const again = await ask(alice, bob.id.toUpperCase());
    const mutual = await ask(bob, alice.id);

    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(mutual.status).toBe(200);
    expect(mutual.body['contact']).toMatchObject({
      contact_id: first.body['contact']?.['contact_id'],
      status: 'incoming',
    });
    expect(await readEventBacklog(server(), bob)).toHaveLength(1);
    expect(await readEventBacklog(server(), alice)).toEqual([]);
  });

  it('returns the contact after it was accepted, too', async () => {
    const [alice, bob] = await two();
    await befriend(server(), alice, bob);

    expect((await ask(alice, bob.id)).body['contact']).toMatchObject({ status: 'friends' });
    expect((await ask(bob, alice.id)).status).toBe(200);
  });

  it('is refused to oneself', async () => {
    const [alice] = await two();
    expectRefusal(await ask(alice, alice.id), 'self_contact');
  });

  it('finds neither an unknown agent nor a suspended one, a known contact included', async () => {
    const [alice, bob] = await two();
    expectRefusal(await ask(alice, newId()), 'not_found');
    await suspendAgent(server().store, clock, bob.id);
    expectRefusal(await ask(alice, bob.id), 'not_found');
    await reactivateAgent(server().store, bob.id);
    await sendContactRequest(server(), alice, bob);
    await suspendAgent(server().store, clock, bob.id);
    expectRefusal(await ask(alice, bob.id), 'not_found');
  });

  it('is refused after a block, to either side', async () => {
    const [alice, bob] = await two();
    await sendContactBlock(server(), bob, await sendContactRequest(server(), alice, bob));

    expectRefusal(await ask(alice, bob.id), 'contact_blocked');
    expectRefusal(await ask(bob, alice.id), 'contact_blocked');
  });

  it.each([
    ['no recipient', {}, 'invalid_id'],
    ['no UUID', { recipient_id: 'bob' }, 'invalid_id'],
    ['a number', { recipient_id: 7 }, 'invalid_id'],
    ['null', { recipient_id: null }, 'invalid_id'],
    ['a list', [], 'invalid_id'],
    ['an unknown member', { recipient_id: newId(), text: 'hello' }, 'invalid_fields'],
  ] as const)('with %s is %3$s', async (_name, body, code) => {
    const [alice] = await two();
    expectRefusal(await server().request('POST', '/api/v1/contacts/requests', { token: alice.token, body }), code);
  });
});

describe('accepting', () => {
  it('makes the two friends, and sends an event to the requester', async () => {
    const [alice, bob] = await two();
    const id = await sendContactRequest(server(), alice, bob);
    const answer = await act(bob, id, 'accept');

    expect(answer.status).toBe(200);
    expect(answer.body['contact']).toMatchObject({ status: 'friends', peer: { id: alice.id } });
    const seen = (await list(alice)).body['contacts']?.[0];
    expect(seen).toMatchObject({ status: 'friends', peer: { id: bob.id } });
    expect(await readEventBacklog(server(), alice)).toEqual([
      { kind: 'contact.accepted', peer_id: bob.id, payload: seen, expires_at: null },
    ]);
  });

  it('twice answers the same, and announces once', async () => {
    const [alice, bob] = await two();
    const id = await sendContactRequest(server(), alice, bob);
    const first = await act(bob, id, 'accept');
    server().pass(minute);

    expect((await act(bob, id, 'accept')).body).toEqual(first.body);
    expect(await readEventBacklog(server(), alice)).toHaveLength(1);
  });

  it('is for the one who was asked: the other may not, and a third one finds nothing', async () => {
    const [alice, bob] = await two();
    const [carol] = await two();
    const id = await sendContactRequest(server(), alice, bob);

    expectRefusal(await act(alice, id, 'accept'), 'recipient_required');
    expectRefusal(await act(carol, id, 'accept'), 'not_found');
    expectRefusal(await act(carol, newId(), 'accept'), 'not_found');
    expect(await statusOf(alice)).toBe('outgoing');
  });

  it('waits until a suspended one is active again', async () => {
    const [alice, bob] = await two();
    const id = await sendContactRequest(server(), alice, bob);
    await suspendAgent(server().store, clock, alice.id);
    expectRefusal(await act(bob, id, 'accept'), 'inactive_bot');
    expectRefusal(await act(alice, id, 'accept'), 'forbidden');
    await reactivateAgent(server().store, alice.id);
    expect((await act(bob, id, 'accept')).status).toBe(200);
  });

  it('is refused after a block, repeats included', async () => {
    const [alice, bob] = await two();
    const id = await befriend(server(), alice, bob);
    await sendContactBlock(server(), alice, id);

    expectRefusal(await act(bob, id, 'accept'), 'contact_blocked');
    expectRefusal(await act(alice, id, 'accept'), 'contact_blocked');
  });
});

describe('blocking', () => {
  it.each(['requested', 'friends'] as const)('ends what was %s, for both sides and for ever', async (state) => {
    const [alice, bob] = await two();
    const id =
      state === 'friends' ? await befriend(server(), alice, bob) : await sendContactRequest(server(), alice, bob);
    const answer = await act(alice, id, 'block');

    expect(answer.status).toBe(200);
    expect(answer.body['contact']).toMatchObject({ contact_id: id, status: 'blocked', peer: { id: bob.id } });
    expect(await statusOf(bob)).toBe('blocked');
  });

  it('drops what was announced between the two, and announces itself to the other side', async () => {
    const [alice, bob] = await two();
    const [carol] = await two();
    await sendContactRequest(server(), carol, bob);
    const id = await befriend(server(), alice, bob);
    await act(bob, id, 'block');
    const seen = (await list(alice)).body['contacts']?.[0];

    expect(await readEventBacklog(server(), alice)).toEqual([
      { kind: 'contact.blocked', peer_id: bob.id, payload: seen, expires_at: null },
    ]);
    expect((await readEventBacklog(server(), bob)).map(({ kind, peer_id }) => [kind, peer_id])).toEqual([
      ['contact.requested', carol.id],
    ]);
  });

  it('twice, by either side, answers the same and announces once', async () => {
    const [alice, bob] = await two();
    const id = await befriend(server(), alice, bob);
    const first = await act(bob, id, 'block');
    server().pass(minute);

    expect((await act(bob, id, 'block')).body).toEqual(first.body);
    expect((await act(alice, id, 'block')).body['contact']).toMatchObject({ status: 'blocked', peer: { id: bob.id } });
    expect(await readEventBacklog(server(), alice)).toHaveLength(1);
    expect(await readEventBacklog(server(), bob)).toEqual([]);
  });

  it('is possible for a participant, even against a suspended agent, and for no other agent', async () => {
    const [alice, bob] = await two();
    const [carol] = await two();
    const id = await sendContactRequest(server(), alice, bob);
    await suspendAgent(server().store, clock, alice.id);

    expectRefusal(await act(carol, id, 'block'), 'not_found');
    expect((await act(bob, id, 'block')).body['contact']).toMatchObject({ status: 'blocked' });
  });
});

describe('accept and block', () => {
  it.each(['accept', 'block'] as const)('take an empty object and nothing else: %s', async (action) => {
    const [alice, bob] = await two();
    const id = await sendContactRequest(server(), alice, bob);

    expectRefusal(await act(bob, id, action, { reason: 'x' }), 'invalid_fields');
    expectRefusal(await act(bob, id, action, []), 'invalid_fields');
    expectRefusal(
      await server().request('POST', `/api/v1/contacts/${id}/${action}`, { token: bob.token }),
      'invalid_input',
    );
    expectRefusal(await act(bob, 'contact', action), 'invalid_id');
    expect(await statusOf(bob)).toBe('incoming');
  });
});

describe('the limit of contact requests', () => {
  it('counts requests that are not repeats, including refused ones, and answers repeats beyond the limit', async () => {
    const limited = await openTestServer({ PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '3' });
    const [alice, bob, carol, dave] = await Promise.all(
      ['alice', 'bob_', 'carol', 'dave'].map((handle) => limited.register(handle)),
    );
    if (alice === undefined || bob === undefined || carol === undefined || dave === undefined) throw new Error('four');
    const asks = (agent: RegisteredAgent, recipientId: unknown) =>
      limited.request('POST', '/api/v1/contacts/requests', {
        token: agent.token,
        body: { recipient_id: recipientId },
      });

    expect((await asks(alice, bob.id)).status).toBe(201);
    for (let time = 0; time < 5; time += 1) expect((await asks(alice, bob.id)).status).toBe(200);
    for (let time = 0; time < 5; time += 1) expectRefusal(await asks(alice, 'nobody'), 'invalid_id');
    expectRefusal(await asks(alice, newId()), 'not_found');
    expect((await asks(alice, carol.id)).status).toBe(201);

    const beyond = await asks(alice, dave.id);
    expectRefusal(beyond, 'rate_limited');
    expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0);
    expectRefusal(await asks(alice, newId()), 'rate_limited');
    expect((await asks(alice, bob.id)).status).toBe(200);
    expect((await asks(bob, dave.id)).status).toBe(201);

    limited.pass(minute);
    expect((await asks(alice, dave.id)).status).toBe(201);
  });
});
