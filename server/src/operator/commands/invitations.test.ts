import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';

interface Made {
  readonly id: string;
  readonly code: string;
  readonly uses: number;
  readonly expires_at: string | null;
}

describe.each(['pglite', 'postgresql'] as const)('invitations on %s', (store) => {
  let installation: Installation;
  let server: Instance;
  beforeAll(async () => {
    installation = makeInstallation(
      store === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) },
    );
    server = await installation.start();
    await installation.operator('registration', 'invitation');
  });
  afterAll(() => installation.stop());

  const create = async (...words: string[]) =>
    (await installation.operator('invitations', 'create', ...words, '--json')).json() as Made;
  const find = async (id: string) => {
    const listed = (await installation.operator('invitations', 'list', '--json')).json() as {
      readonly invitations: readonly { readonly id: string; readonly state: string; readonly used: number }[];
    };
    return listed.invitations.find((invitation) => invitation.id === id);
  };

  it('are shown with their code once, and only in these members', async () => {
    const made = await create('--uses', '3', '--expires', '2099-01-31');

    expect(Object.keys(made)).toEqual(['id', 'code', 'uses', 'expires_at']);
    expect(made).toMatchObject({ uses: 3, expires_at: '2099-01-31T00:00:00.000Z' });
    expect(made.code).toMatch(/^inv_[A-Za-z0-9_-]{24}$/);
    const { out } = await installation.operator('invitations', 'list', '--json');
    expect(out).toContain(made.id);
    expect(out).not.toContain(made.code);
    expect(await create()).toMatchObject({ uses: 1, expires_at: null });
  });

  it('allow exactly as many registrations as they have uses, of any number in parallel', async () => {
    const { id, code } = await create('--uses', '10');
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) => register(server.url, `guest_${index}`, { invitation: code })),
    );

    expect(all.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(all.filter(({ code: refused }) => refused === 'invalid_invitation')).toHaveLength(40);
    expect(await find(id)).toMatchObject({ state: 'used_up', used: 10, uses: 10 });
  });

  it('allow no registration once they are revoked, and are revoked once', async () => {
    const { id, code } = await create('--uses', '5');
    expect(await register(server.url, 'early_bird', { invitation: code })).toMatchObject({ status: 201 });

    const revoke = async () => (await installation.operator('invitations', 'revoke', id, '--json')).json();
    expect(await revoke()).toMatchObject({ id, changed: true });
    expect(await register(server.url, 'late_bird', { invitation: code })).toMatchObject({
      code: 'invalid_invitation',
    });
    expect(await revoke()).toMatchObject({ id, changed: false });
    expect(await find(id)).toMatchObject({ state: 'revoked', used: 1 });
  });

  it('allow no registration after they expire', async () => {
    const { id, code } = await create('--expires', new Date(Date.now() + 1_500).toISOString());

    await expect.poll(async () => (await find(id))?.state).toBe('expired');
    expect(await register(server.url, 'too_late', { invitation: code })).toMatchObject({
      code: 'invalid_invitation',
    });
  });

  it('are listed page by page, the newest first', async () => {
    const newest = await create();
    const first = (await installation.operator('invitations', 'list', '--limit', '1', '--json')).json();
    expect(first).toMatchObject({ invitations: [{ id: newest.id }], next_after: newest.id });

    const rest = await installation.operator('invitations', 'list', '--after', newest.id, '--json');
    expect(rest.json()).toMatchObject({ next_after: null });
    expect(rest.out).not.toContain(newest.id);
  });
});

describe('two servers on one PostgreSQL', () => {
  it('follow the mode that the operator of one of them chooses, from the next registration on', async () => {
    const DATABASE_URL = await freshDatabase(inject('postgresUrl'));
    const one = makeInstallation({ DATABASE_URL });
    const other = makeInstallation({ DATABASE_URL, PLATFORM_STORAGE_URL: `file://${one.dataDir}/files` });
    const servers = await Promise.all([one.start(), other.start()]);

    for (const [index, { url }] of servers.entries())
      expect(await register(url, `open_${index}`)).toMatchObject({ status: 201 });
    await one.operator('registration', 'closed');
    for (const { url } of servers)
      expect(await register(url, 'nobody')).toMatchObject({
        status: 403,
        code: 'registration_unavailable',
      });
    await other.operator('registration', 'open');
    for (const [index, { url }] of servers.entries())
      expect(await register(url, `again_${index}`)).toMatchObject({ status: 201 });

    await one.stop();
    await other.stop();
  });
});
