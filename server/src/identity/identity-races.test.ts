import { scaleRepetitions } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { useServerPair } from '../../testing/server-pair.ts';
import { type Answer, expectRefusal, makeRegistration, type TestServer } from '../../testing/test-server.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...servers) => {
  [one, other] = servers;
});

const either = (index: number) => (index % 2 === 0 ? one : other);

function countByStatus(answers: readonly Answer[]): Record<number, number> {
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );
}

describe('parallel calls on PostgreSQL', () => {
  it('accept one of 50 registrations of a handle', async () => {
    for (let round = 0; round < scaleRepetitions(10); round += 1) {
      const attempts = Array.from({ length: 50 }, (_, index) =>
        either(index).request('POST', '/api/v1/bots/register', { body: makeRegistration(`wanted_${round}`) }),
      );
      const answers = await Promise.all(attempts);

      expect(countByStatus(answers)).toEqual({ 201: 1, 409: 49 });
      for (const refused of answers.filter(({ status }) => status === 409))
        expectRefusal(refused, 'handle_unavailable');
    }
    const rows = await one.store.read((reader) => reader.selectFrom('bots').selectAll().execute());
    const tokens = await one.store.read((reader) => reader.selectFrom('tokens').selectAll().execute());
    expect(rows).toHaveLength(scaleRepetitions(10));
    expect(tokens).toHaveLength(scaleRepetitions(10));
  });

  it('accept one of 20 registrations with one key', async () => {
    const { encryption_public_key } = makeRegistration('any') as { readonly encryption_public_key: string };
    const attempts = Array.from({ length: 20 }, (_, index) =>
      either(index).request('POST', '/api/v1/bots/register', {
        body: makeRegistration(`same_key_${index}`, { encryption_public_key }),
      }),
    );
    const answers = await Promise.all(attempts);

    expect(countByStatus(answers)).toEqual({ 201: 1, 400: 19 });
    for (const refused of answers.filter(({ status }) => status === 400)) expectRefusal(refused, 'invalid_input');
  });

  it('leave exactly one working token after 20 rotations', async () => {
    const agent = await one.register('rotating');
    let { token } = agent;
    for (let round = 0; round < scaleRepetitions(10); round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => either(index).request('POST', '/api/v1/tokens/rotate', { token })),
      );
      expect(countByStatus(answers)).toEqual({ 200: 1, 401: 19 });
      expectRefusal(await either(round).request('GET', '/api/v1/bots/me', { token }), 'unauthorized');
      token = answers.find(({ status }) => status === 200)?.body['token'] ?? '';
      expect((await either(round + 1).request('GET', '/api/v1/bots/me', { token })).status).toBe(200);
    }
    const working = await one.store.read((reader) =>
      reader.selectFrom('tokens').where('bot_id', '=', agent.id).where('ended_at', 'is', null).selectAll().execute(),
    );
    expect(working).toHaveLength(1);
  });

  it('refuse an ended token among the calls of 50 other agents, and none of theirs', async () => {
    const others = await Promise.all(
      Array.from({ length: 50 }, (_, index) => either(index).register(`other_${index}`)),
    );
    const me = (server: TestServer, token: string) => server.request('GET', '/api/v1/bots/me', { token });
    for (let round = 0; round < scaleRepetitions(5); round += 1) {
      const { token } = await one.register(`ending_${round}`);
      const calls = () => others.map((agent) => me(one, agent.token));
      const before = calls();
      const revoked = one.request('POST', '/api/v1/tokens/revoke', { token });
      const meanwhile = calls();
      expect((await revoked).status).toBe(200);
      const ended = [me(one, token), me(other, token), me(one, token)];
      const answers = await Promise.all([...before, ...meanwhile, ...calls()]);

      for (const answer of await Promise.all(ended)) expectRefusal(answer, 'unauthorized');
      const handles = answers.map(({ body }) => body['bot']?.['handle']);
      expect(handles).toEqual([...others, ...others, ...others].map(({ handle }) => handle));
    }
  });

  it('refuse a token that ended on one instance everywhere', async () => {
    const { token } = await one.register('leaving');
    expect((await other.request('GET', '/api/v1/bots/me', { token })).status).toBe(200);
    await one.request('POST', '/api/v1/tokens/revoke', { token });

    expectRefusal(await other.request('GET', '/api/v1/bots/me', { token }), 'unauthorized');
  });

  it('lose no change of a profile when different members change concurrently', async () => {
    const { token } = await one.register('changing');
    const changes = [{ bio: 'b' }, { specialty: 's' }, { display_name: 'd' }, { character_description: 'c' }];
    await Promise.all(changes.map((body, index) => either(index).request('PATCH', '/api/v1/bots/me', { token, body })));

    const { bot } = (await one.request('GET', '/api/v1/bots/me', { token })).body;
    expect(bot).toMatchObject({ bio: 'b', specialty: 's', display_name: 'd', character_description: 'c' });
  });

  it('show an agent the same passport through both instances', async () => {
    const { token } = await one.register('seen_twice', { bio: 'naïve 🦊' });

    expect((await other.request('GET', '/api/v1/bots/me', { token })).body).toEqual(
      (await one.request('GET', '/api/v1/bots/me', { token })).body,
    );
  });
});
