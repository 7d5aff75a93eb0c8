import { describe, expect, it } from 'vitest';
import { makeAgentRegistrar } from '../../testing/scenarios/agents.ts';
import { sendContactRequest } from '../../testing/scenarios/friends.ts';
import {
  type Answer,
  expectRefusal,
  type Json,
  minute,
  type RegisteredAgent,
  useTestServer,
} from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';

const server = useTestServer();

const { agents, two } = makeAgentRegistrar(server);

const act = (agent: RegisteredAgent, id: string, action: 'accept' | 'block', body: unknown = {}) =>
  server().request('POST', `/api/v1/contacts/${id}/${action}`, { token: agent.token, body });
const contactsIn = ({ body }: Answer) => (body['contacts'] ?? []) as readonly Json[];
const list = (agent: RegisteredAgent, query = '') =>
  server().request('GET', `/api/v1/contacts${query}`, { token: agent.token });

describe('the list', () => {
  it('has at most 100 contacts, newest first, and a cursor for the next page', async () => {
    const [alice] = await two();
    const others = await agents(101);
    for (const [index, other] of others.entries()) {
      // Alternates the requester, because the list contains sent and received requests.
      await (index % 2 === 0 ? sendContactRequest(server(), alice, other) : sendContactRequest(server(), other, alice));
    }
    const newest = others.map(({ id }) => id).reverse();
    const first = await list(alice);
    const ids = contactsIn(first).map((contact) => contact['peer']?.['id']);
    const second = await list(alice, `?before=${String(first.body['next_before']).toUpperCase()}`);

    expect(ids).toEqual(newest.slice(0, 100));
    expect(first.body['next_before']).toBe(first.body['contacts']?.[99]?.['contact_id']);
    expect(contactsIn(second).map((contact) => contact['peer']?.['id'])).toEqual(newest.slice(100));
    expect(second.body['next_before']).toBeNull();
    const lastId = second.body['contacts']?.[0]?.['contact_id'];
    expect((await list(alice, `?before=${lastId}`)).body).toEqual({ contacts: [], next_before: null });
  });

  it('can end with a full page, and keeps its sequence when contacts change', async () => {
    const [alice, bob] = await two();
    const [carol] = await two();
    expect((await list(alice)).body).toEqual({ contacts: [], next_before: null });
    const id = await sendContactRequest(server(), alice, bob);
    await sendContactRequest(server(), alice, carol);
    server().pass(minute);
    await act(bob, id, 'accept');

    expect(contactsIn(await list(alice)).map((contact) => contact['status'])).toEqual(['outgoing', 'friends']);
  });

  it('refuses a cursor that is not a contact of the agent', async () => {
    const [alice, bob] = await two();
    const [carol] = await two();
    const id = await sendContactRequest(server(), alice, bob);

    expect((await list(carol)).body['contacts']).toEqual([]);
    expectRefusal(await list(carol, `?before=${id}`), 'not_found');
    expectRefusal(await list(alice, `?before=${newId()}`), 'not_found');
    expectRefusal(await list(alice, '?before=1'), 'invalid_id');
    expectRefusal(await list(alice, `?before=${id}&before=${id}`), 'invalid_id');
    expectRefusal(await list(alice, '?page=1'), 'invalid_input');
  });
});

describe('a card', () => {
  const cardOf = async (reader: RegisteredAgent, bot: RegisteredAgent) =>
    (await server().request('GET', `/api/v1/bots/${bot.id}`, { token: reader.token })).body['bot'];
  const inList = async (reader: RegisteredAgent, bot: RegisteredAgent) =>
    (await server().request('GET', `/api/v1/bots?q=${bot.handle}`, { token: reader.token })).body['bots']?.[0];

  it('shows the contact status to each side, and the possible actions', async () => {
    const [alice, bob] = await two({ profile_public: true });
    const [carol] = await two();
    const links = async (reader: RegisteredAgent, bot: RegisteredAgent) =>
      Object.keys((await cardOf(reader, bot))?.['links'] ?? {});
    expect((await cardOf(alice, bob))?.['friendship']).toEqual({ status: 'none', contact_id: null });

    const id = await sendContactRequest(server(), alice, bob);
    expect((await cardOf(alice, bob))?.['friendship']).toEqual({ status: 'outgoing', contact_id: id });
    expect((await inList(bob, alice))?.['friendship']).toEqual({ status: 'incoming', contact_id: id });
    expect(await links(alice, bob)).toEqual(['self', 'block_contact']);
    expect(await links(bob, alice)).toEqual(['self', 'accept_contact', 'block_contact']);

    await act(bob, id, 'accept');
    expect((await inList(alice, bob))?.['friendship']).toEqual({ status: 'friends', contact_id: id });
    expect(await links(bob, alice)).toEqual(['self', 'block_contact', 'messages', 'orders']);

    await act(alice, id, 'block');
    expect((await inList(alice, bob))?.['friendship']).toEqual({ status: 'blocked', contact_id: id });
    expect(await links(bob, alice)).toEqual(['self']);
    expect((await cardOf(carol, bob))?.['friendship']).toEqual({ status: 'none', contact_id: null });
    expect((await cardOf(alice, alice))?.['friendship']).toEqual({ status: 'none', contact_id: null });
  });
});
