import { freshDatabase, scaleRepetitions } from '@agent-platform/testing';
import { describe, expect, inject, it } from 'vitest';
import { befriend, readEventBacklog, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import { type Json, openTestServer, type RegisteredAgent, type TestServer } from '../../testing/test-server.ts';

let one: TestServer;
let other: TestServer;
useServerPair(
  (...pair) => {
    [one, other] = pair;
  },
  { PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '10' },
);

const rounds = scaleRepetitions(8);
const either = (index: number) => (index % 2 === 0 ? one : other);
let made = 0;

async function two(): Promise<readonly [RegisteredAgent, RegisteredAgent]> {
  made += 1;
  return [await one.register(`alice_${made}`), await other.register(`bob_${made}`)];
}

const contactsOf = async (agent: RegisteredAgent) =>
  ((await one.request('GET', '/api/v1/contacts', { token: agent.token })).body['contacts'] ?? []) as readonly Json[];
const kindsOf = async (agent: RegisteredAgent) => (await readEventBacklog(one, agent)).map(({ kind }) => kind);

describe('parallel calls on PostgreSQL', () => {
  it('make one contact from 50 mutual requests, announce it once, and count one request', async () => {
    // There is no request limit, because concurrent requests all count until one of them has created the contact.
    const url = await freshDatabase(inject('postgresUrl'));
    const servers = [await openTestServer({}, url), await openTestServer({}, url)];
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = [await servers[0]?.register(`alice_${round}`), await servers[1]?.register(`bob_${round}`)];
      if (alice === undefined || bob === undefined) throw new Error('An agent is missing.');
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const [asking, asked] = index % 2 === 0 ? [alice, bob] : [bob, alice];
          const body = { recipient_id: asked.id };
          const server = servers[Math.floor(index / 2) % 2];
          const answer = await server?.request('POST', '/api/v1/contacts/requests', { token: asking.token, body });
          return { status: answer?.status, id: answer?.body['contact']?.['contact_id'] };
        }),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      const [server] = servers;
      if (server === undefined) throw new Error('A server is missing.');
      const events = [...(await readEventBacklog(server, alice)), ...(await readEventBacklog(server, bob))];
      expect(events.map(({ kind }) => kind)).toEqual(['contact.requested']);
    }
  });

  it('do not count requests that turn out to be repeats', async () => {
    const [alice, bob] = await two();
    const body = { recipient_id: bob.id };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        either(index).request('POST', '/api/v1/contacts/requests', { token: alice.token, body }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201]);

    // Only one of the ten requests was counted, so nine more are possible within the minute.
    const others = await Promise.all(Array.from({ length: 9 }, (_, index) => one.register(`other_${made}_${index}`)));
    await expect
      .poll(async () => {
        for (const asked of others) await sendContactRequest(one, alice, asked).catch(() => undefined);
        return (await contactsOf(alice)).length;
      })
      .toBe(10);
  });

  it('end blocked after an accept and a block in any sequence, with no accept event after the block', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await two();
      const id = await sendContactRequest(one, alice, bob);
      const [accepted, blocked] = await Promise.all([
        one.request('POST', `/api/v1/contacts/${id}/accept`, { token: bob.token, body: {} }),
        other.request('POST', `/api/v1/contacts/${id}/block`, { token: alice.token, body: {} }),
      ]);

      expect(blocked.status).toBe(200);
      if (accepted.status !== 200) expect(accepted.body['error']?.['code']).toBe('contact_blocked');
      expect((await contactsOf(bob))[0]?.['status']).toBe('blocked');
      expect(await kindsOf(alice)).toEqual([]);
      expect(await kindsOf(bob)).toEqual(['contact.blocked']);
    }
  });

  it('accept once and block once, however often they are repeated', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await two();
      const id = await sendContactRequest(one, alice, bob);
      const act = (action: string, agent: RegisteredAgent) =>
        Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            either(index).request('POST', `/api/v1/contacts/${id}/${action}`, { token: agent.token, body: {} }),
          ),
        );
      const accepts = await act('accept', bob);
      expect(new Set(accepts.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
      expect(await kindsOf(alice)).toEqual(['contact.accepted']);

      const blocks = await act('block', alice);
      expect(new Set(blocks.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
      expect([await kindsOf(alice), await kindsOf(bob)]).toEqual([[], ['contact.blocked']]);
    }
  });

  it('let both sides block concurrently without a deadlock, and send one event', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [alice, bob] = await two();
      const id = await befriend(one, alice, bob);
      const answers = await Promise.all(
        [alice, bob, alice, bob].map((agent, index) =>
          either(index).request('POST', `/api/v1/contacts/${id}/block`, { token: agent.token, body: {} }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect([...(await kindsOf(alice)), ...(await kindsOf(bob))]).toEqual(['contact.blocked']);
    }
  });
});
