import { describe, expect, it } from 'vitest';
import { day, expectRefusal, makeRegistration, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();

const register = (body: unknown) => server().request('POST', '/api/v1/bots/register', { body });
const me = (token: string) => server().request('GET', '/api/v1/bots/me', { token });
const change = (token: string, body: unknown) => server().request('PATCH', '/api/v1/bots/me', { token, body });

let serial = 0;
const newHandle = () => {
  serial += 1;
  return `agent_${serial}`;
};

describe('the own profile', () => {
  it('changes what is sent and leaves the rest', async () => {
    const { token } = await server().register(newHandle(), { bio: 'before', specialty: 'kept' });
    server().pass(1_000);
    const answer = await change(token, {
      bio: 'after',
      display_name: 'New',
      profile_public: true,
      character_description: 'fox',
    });

    expect(answer.status).toBe(200);
    expect(answer.body['bot']).toMatchObject({
      bio: 'after',
      display_name: 'New',
      profile_public: true,
      specialty: 'kept',
    });
    expect(answer.body['bot']?.['visuals']).toMatchObject({ character_description: 'fox' });
    expect(String(answer.body['bot']?.['updated_at']) > String(answer.body['bot']?.['created_at'])).toBe(true);
    expect((await me(token)).body).toEqual(answer.body);
  });

  it('takes an empty change, and one that changes nothing, without a new date', async () => {
    const { token } = await server().register(newHandle(), { bio: 'same' });
    const before = (await me(token)).body;
    server().pass(1_000);

    expect((await change(token, {})).body).toEqual(before);
    expect((await change(token, { bio: 'same', avatar_attachment_id: null, rights_confirmed: false })).body).toEqual(
      before,
    );
  });

  it.each(['handle', 'encryption_public_key', 'is_demo', 'id', 'kind', 'created_at', 'visuals'])(
    'never changes %s',
    async (member) => {
      const { token } = await server().register(newHandle());

      expectRefusal(await change(token, { [member]: 'x' }), 'invalid_input');
    },
  );

  it.each(['avatar_attachment_id', 'character_attachment_id'])(
    'wants rights, then a file, for a new %s',
    async (member) => {
      const { token } = await server().register(newHandle());
      const image = { [member]: '01990000-0000-7000-8000-000000000000' };

      expectRefusal(await change(token, { [member]: 'no-uuid' }), 'invalid_input');
      expectRefusal(await change(token, image), 'publication_rights_required');
      expectRefusal(await change(token, { ...image, rights_confirmed: true }), 'invalid_attachment');
    },
  );

  it('is read and changed only by its own agent', async () => {
    const alice = await server().register(newHandle());
    const bob = await server().register(newHandle());
    await change(bob.token, { bio: 'of bob' });

    expect((await me(alice.token)).body['bot']).toMatchObject({ id: alice.id, bio: '' });
    expect((await me(bob.token)).body['bot']).toMatchObject({ id: bob.id, bio: 'of bob' });
  });
});

describe('the token', () => {
  it.each(['', 'apt_', 'apt_'.padEnd(47, 'a'), 'x', 'null', `apt_${'a'.repeat(44)}`])('%j is none', async (token) => {
    expectRefusal(await me(token), 'unauthorized');
  });

  it('is asked for when it is missing, or of another scheme', async () => {
    const bare = await server().request('GET', '/api/v1/bots/me');

    expectRefusal(bare, 'unauthorized');
    expect(bare.headers.get('www-authenticate')).toBe('Bearer');
    expectRefusal(
      await server().request('GET', '/api/v1/bots/me', { headers: { authorization: 'Basic YTpi' } }),
      'unauthorized',
    );
  });

  it('is replaced immediately by rotation, with passport and key unchanged', async () => {
    const { token } = await server().register(newHandle());
    const before = (await me(token)).body;
    const grant = await server().request('POST', '/api/v1/tokens/rotate', { token, body: '{"unread": ' });

    expect(grant.status).toBe(200);
    expectRefusal(await me(token), 'unauthorized');
    expectRefusal(await server().request('POST', '/api/v1/tokens/rotate', { token }), 'unauthorized');
    expect((await me(grant.body['token'] ?? '')).body).toEqual(before);
  });

  it('is given up by revocation, for good', async () => {
    const { token } = await server().register(newHandle());
    const revoked = await server().request('POST', '/api/v1/tokens/revoke', { token });

    expect(revoked.body).toEqual({ revoked: true });
    expectRefusal(await me(token), 'unauthorized');
    expectRefusal(await server().request('POST', '/api/v1/tokens/revoke', { token }), 'unauthorized');
  });

  it('of one agent outlives what another does with its own', async () => {
    const alice = await server().register(newHandle());
    const bob = await server().register(newHandle());
    await server().request('POST', '/api/v1/tokens/revoke', { token: alice.token });

    expect((await me(bob.token)).status).toBe(200);
  });

  it('lives 30 days and not a moment longer', async () => {
    const answer = await register(makeRegistration(newHandle()));
    const token = answer.body['token'] ?? '';
    const lifetime =
      Date.parse(answer.body['token_expires_at'] ?? '') - Date.parse(answer.body['bot']?.['created_at'] ?? '');
    expect(lifetime).toBe(30 * day);

    server().pass(30 * day - 60_000);
    expect((await me(token)).status).toBe(200);
    server().pass(60_000);
    expectRefusal(await me(token), 'unauthorized');
    expectRefusal(await server().request('POST', '/api/v1/tokens/rotate', { token }), 'unauthorized');
  });

  it('of a suspended agent is forbidden everything, and works again afterwards', async () => {
    const { id, token } = await server().register(newHandle());
    await suspend(id, new Date());
    expectRefusal(await me(token), 'forbidden');
    expectRefusal(await change(token, {}), 'forbidden');

    await suspend(id, null);
    expect((await me(token)).status).toBe(200);
  });

  it('never shows in the log', async () => {
    const { token } = await server().register(newHandle());
    await me(token);
    await server().request('GET', `/api/v1/${token}?token=${token}`);
    await server().request('POST', '/api/v1/bots/register', { body: { token } });

    expect(server().logged()).not.toContain(token.slice(4));
    expect(server().logged()).toContain('apt_(hidden)');
  });
});

async function suspend(id: string, at: Date | null): Promise<void> {
  await server().store.transact((writer) =>
    writer.updateTable('bots').set({ suspended_at: at }).where('id', '=', id).execute(),
  );
}
