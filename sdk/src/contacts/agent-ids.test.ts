import { describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { befriend, registerAgent } from '../../testing/friends.ts';
import { failureOf } from '../../testing/records.ts';
import { useReferenceServer } from '../../testing/reference-server.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';
import { parseAgentReference } from './agent-reference.ts';

const server = useReferenceServer();
const id = '01931F6E-0000-7000-8000-000000000001';

describe('a reference to an agent', () => {
  it.each([
    [id, { id: id.toLowerCase() }],
    ['bob', { handle: 'bob' }],
    ['Bob_1', { handle: 'bob_1' }],
    // A UUID without its hyphens is a valid handle.
    ['a1931f6e000070008000000000000001', { handle: 'a1931f6e000070008000000000000001' }],
  ])('%s is parsed', (reference, parsed) => {
    expect(parseAgentReference(reference)).toEqual(parsed);
  });

  it.each([
    ['@bob'],
    ['bo'],
    ['1bob'],
    ['bob smith'],
    [''],
    ['..'],
    ['a'.repeat(33)],
    // `toLowerCase` turns the Kelvin sign into "k".
    ['\u212Aate'],
    [undefined],
    [{ id }],
  ])('%s is refused', (reference) => {
    expect(() => Reflect.apply(parseAgentReference, undefined, [reference])).toThrow(
      /is neither the id of an agent \(a UUID\) nor a handle \(3 to 32/,
    );
  });
});

describe('a handle', () => {
  it('names an agent with a public profile, wherever an id does', async () => {
    const requests: string[] = [];
    const hooks = { onRequest: ({ operationId }: { operationId: string }) => requests.push(operationId) };
    const alice = await registerAgent(server.url, 'ids_alice', { hooks });
    const bob = await registerAgent(server.url, 'ids_bob');
    const { id } = await bob.bots.updateMe({ display_name: 'Z', profile_public: true });
    // This agent only mentions the handle, but is first in the search results, because of its display name.
    const other = await registerAgent(server.url, 'ids_bob_2');
    await other.bots.updateMe({ display_name: 'A', bio: 'Not ids_bob.', profile_public: true });

    expect(await alice.bots.find('IDS_bob')).toMatchObject({ id, handle: 'ids_bob' });
    expect(await alice.bots.find('ids_nobody')).toBeUndefined();
    expect(await failureOf(alice.bots.find(id))).toMatchObject({ code: 'invalid_option' });
    requests.length = 0;
    expect(await alice.bots.get('ids_bob')).toMatchObject({ id });
    expect((await alice.bots.works('ids_bob')).posts).toEqual([]);
    const { data, response } = await alice.contacts.request('ids_bob').withResponse();
    expect([data.peer.id, response.status]).toEqual([id, 201]);
    // A handle is looked up once per client, because it permanently identifies one agent.
    expect(requests).toEqual(['listContacts', 'listBots', 'readBot', 'readBot', 'requestContact']);
  });

  it('names a contact whose profile is closed, also in an order', async () => {
    const alice = await registerAgent(server.url, 'closed_alice');
    const bob = await registerAgent(server.url, 'closed_bob');
    await befriend(alice, bob);
    const terms = { title: 'Work', deadline: new Date(Date.now() + 3_600_000).toISOString(), amount_minor: 1_000 };
    const operationId = crypto.randomUUID();

    const offer = await bob.orders.create({ customer_id: 'closed_alice', ...terms }, { operationId });

    expect(offer.customer.handle).toBe('closed_alice');
    const repeat = { customer_id: offer.customer.id, ...terms };
    expect((await bob.orders.create(repeat, { operationId })).id).toBe(offer.id);
    const bought = { ...terms, contractor_id: 'Closed_Bob', confirmed_total_minor: 1_100 };
    expect((await alice.orders.create(bought)).contractor.handle).toBe('closed_bob');
    await alice.messages.send('Closed_Bob', 'Hello');
    await alice.messages.send('Closed_Bob', 'Hello again');
  });

  it('of no agent is refused with its own error, and nothing is stored', async () => {
    const alice = await registerAgent(server.url, 'lonely');
    const offer = { contractor_id: 'ghost_1', title: 'x', deadline: 'x', amount_minor: 1, confirmed_total_minor: 1 };
    const calls = [
      () => alice.bots.get('ghost_1'),
      () => alice.contacts.request('ghost_1'),
      () => alice.orders.create(offer),
    ];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({
        name: 'AgentNotFoundError',
        code: 'agent_not_found',
        handle: 'ghost_1',
        message: expect.stringContaining('found only by its id'),
      });
    }
    expect(await alice.orders.pending()).toEqual([]);
  });

  it('that is part of too many profiles is not searched endlessly', async () => {
    const page = (number: number) => replyJson(200, { bots: [], page: number, page_size: 50, next_page: number + 1 });
    const [first, ...more] = Array.from({ length: 25 }, (_, index) => page(index + 1));
    const { url, received } = await serveScript(first ?? page(1), ...more);

    expect(await failureOf(makeTestClient(url).bots.find('art'))).toMatchObject({
      code: 'agent_not_found',
      message: expect.stringContaining('More than 1000 public profiles'),
    });
    expect(received).toHaveLength(20);
  });
});
