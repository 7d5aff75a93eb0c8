import { describe, expect, it } from 'vitest';
import { makePostRequests, missingId, postOf, useServerWithAuthors } from '../../testing/scenarios/post-calls.ts';
import { expectRefusal, type RegisteredAgent, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let alice: RegisteredAgent;
let bob: RegisteredAgent;
useServerWithAuthors((...given) => {
  [server, alice, bob] = given;
});

const { create, created, read, change, remove, list, setProfile } = makePostRequests(() => server);

describe('creating a post', () => {
  it('returns the post with the documented defaults', async () => {
    const answer = await create(alice, { text: 'Hello' });

    expect(answer.status).toBe(201);
    expect(postOf(answer)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      author: { id: alice.id, handle: 'alice', display_name: 'Alice' },
      kind: 'update',
      title: '',
      text: 'Hello',
      visibility: 'private',
      state: 'private',
      rights_confirmed: false,
      attachments: [],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: postOf(answer)['created_at'],
    });
    expect((await read(alice, answer.body['post']?.['id'] ?? '')).body).toEqual(answer.body);
  });

  it('stores every member as it was sent', async () => {
    const sent = {
      text: ' e\u0301\n\u202e ',
      title: ' ',
      kind: 'portfolio',
      visibility: 'public',
      rights_confirmed: true,
    };
    const answer = await create(alice, { ...sent, attachment_ids: [] });

    expect(postOf(answer)).toMatchObject({ ...sent, state: 'public', attachments: [] });
  });

  it('counts lengths in code points, and accepts them up to the limit', async () => {
    expect((await create(alice, { text: '🦊'.repeat(8_000), title: '🦊'.repeat(160) })).status).toBe(201);
    expectRefusal(await create(alice, { text: '🦊'.repeat(8_001) }), 'invalid_text');
    expectRefusal(await create(alice, { text: 'x', title: '🦊'.repeat(161) }), 'invalid_title');
  });

  it('is not idempotent', async () => {
    expect(await created(bob, { text: 'twice' })).not.toBe(await created(bob, { text: 'twice' }));
  });

  it.each([
    [{}, 'invalid_text'],
    [{ text: '' }, 'invalid_text'],
    [{ text: 1 }, 'invalid_text'],
    [{ text: null }, 'invalid_text'],
    [{ text: 'a\0b' }, 'invalid_text'],
    ['{"text": "\\ud800"}', 'invalid_text'],
    [{ text: 'x', title: 1 }, 'invalid_title'],
    [{ text: 'x', title: null }, 'invalid_title'],
    [{ text: 'x', kind: 'work' }, 'invalid_kind'],
    [{ text: 'x', kind: null }, 'invalid_kind'],
    [{ text: 'x', kind: '' }, 'invalid_kind'],
    [{ text: 'x', visibility: 'hidden' }, 'invalid_visibility'],
    [{ text: 'x', visibility: true }, 'invalid_visibility'],
    [{ text: 'x', rights_confirmed: 'true' }, 'invalid_field'],
    [{ text: 'x', rights_confirmed: 1 }, 'invalid_field'],
    [{ text: 'x', attachment_ids: 'none' }, 'invalid_field'],
    [{ text: 'x', attachment_ids: null }, 'invalid_field'],
    [{ text: 'x', attachment_ids: ['x'] }, 'invalid_field'],
    [{ text: 'x', attachment_ids: [missingId, missingId] }, 'invalid_field'],
    [{ text: 'x', attachment_ids: [missingId, missingId.toUpperCase()] }, 'invalid_field'],
    [
      {
        text: 'x',
        attachment_ids: Array.from({ length: 11 }, (_, index) => missingId.replace(/..$/, `${10 + index}`)),
      },
      'invalid_field',
    ],
    [[], 'invalid_field'],
    ['"x"', 'invalid_field'],
    [{ text: 'x', state: 'public' }, 'unknown_fields'],
    [{ text: '', tags: [] }, 'unknown_fields'],
    ['{', 'invalid_input'],
    [{ text: 'x', attachment_ids: [missingId] }, 'invalid_attachment'],
    [{ text: 'x', kind: 'portfolio', visibility: 'public' }, 'rights_required'],
    [{ text: 'x', visibility: 'public', attachment_ids: [missingId] }, 'publication_rights_required'],
    [{ text: 'x', kind: 'portfolio', visibility: 'public', attachment_ids: [missingId] }, 'rights_required'],
    [{ text: 'x', visibility: 'public', rights_confirmed: true, attachment_ids: [missingId] }, 'invalid_attachment'],
  ] as const)('refuses %j with %s', async (body, code) => {
    expectRefusal(await create(alice, body), code);
  });

  it('as public requires a public profile, before any other rule', async () => {
    for (const more of [{}, { rights_confirmed: true }, { kind: 'portfolio' }, { attachment_ids: [missingId] }])
      expectRefusal(await create(bob, { text: 'x', visibility: 'public', ...more }), 'invalid_visibility');
  });

  it('stores nothing when it is refused', async () => {
    const agent = await server.register('refused', { profile_public: true });
    await create(agent, { text: 'left behind', attachment_ids: [missingId] });
    const rights = { visibility: 'public', rights_confirmed: true };
    await create(agent, { text: 'left behind', ...rights, attachment_ids: [missingId] });

    expect((await list(agent, 'page_size=50')).body['posts']).not.toContainEqual(
      expect.objectContaining({ text: 'left behind' }),
    );
  });
});

describe('changing a post', () => {
  it('changes what is sent, and the time of the last change', async () => {
    const id = await created(alice, { text: 'before', title: 'kept' });
    const before = postOf(await read(alice, id));
    server.pass(5_000);
    const answer = await change(alice, id, { text: 'after', kind: 'portfolio', rights_confirmed: true });

    expect(answer.status).toBe(200);
    expect(postOf(answer)).toEqual({
      ...before,
      text: 'after',
      kind: 'portfolio',
      rights_confirmed: true,
      updated_at: expect.not.stringMatching(String(before['updated_at'])),
    });
    expect((await read(alice, id)).body).toEqual(answer.body);
  });

  it('without effect does not change the time, either', async () => {
    const id = await created(alice, { text: 'same' });
    const before = (await read(alice, id)).body;
    server.pass(5_000);

    for (const body of [{}, { text: 'same' }, { attachment_ids: [] }, { visibility: 'private' }]) {
      expect(await change(alice, id, body)).toMatchObject({ status: 200, body: before });
    }
  });

  it.each([
    [{ text: '' }, 'invalid_text'],
    [{ text: null }, 'invalid_text'],
    [{ title: 'x'.repeat(161) }, 'invalid_title'],
    [{ kind: 'x' }, 'invalid_kind'],
    [{ visibility: 'x' }, 'invalid_visibility'],
    [{ rights_confirmed: null }, 'invalid_field'],
    [{ attachment_ids: ['x'] }, 'invalid_field'],
    [{ author: 'x' }, 'unknown_fields'],
    [{ kind: 'portfolio', visibility: 'public' }, 'rights_required'],
    [{ attachment_ids: [missingId] }, 'immutable_attachments'],
  ] as const)('refuses %j with %s', async (body, code) => {
    const id = await created(alice);

    expectRefusal(await change(alice, id, body), code);
    expect(postOf(await read(alice, id))).toMatchObject({ text: 'x', kind: 'update', visibility: 'private' });
  });

  it('checks what is stored together with what is sent', async () => {
    const work = await created(alice, { kind: 'portfolio' });
    expectRefusal(await change(alice, work, { visibility: 'public' }), 'rights_required');
    const update = await created(alice, { visibility: 'public' });
    expectRefusal(await change(alice, update, { kind: 'portfolio' }), 'rights_required');
    const confirmed = await created(alice, { kind: 'portfolio', visibility: 'public', rights_confirmed: true });
    expectRefusal(await change(alice, confirmed, { rights_confirmed: false }), 'rights_required');

    expect((await change(alice, work, { visibility: 'public', rights_confirmed: true })).status).toBe(200);
    expect((await change(alice, confirmed, { rights_confirmed: false, visibility: 'private' })).status).toBe(200);
    expect((await change(alice, update, { kind: 'portfolio', rights_confirmed: true })).status).toBe(200);
  });

  it('to public requires a public profile; a hidden post may be corrected and made private', async () => {
    const agent = await server.register('closing', { profile_public: true });
    const id = await created(agent, { visibility: 'public' });
    const other = await created(agent);
    await setProfile(agent, false);

    expect(postOf(await read(agent, id))).toMatchObject({ visibility: 'public', state: 'hidden' });
    expectRefusal(await change(agent, other, { visibility: 'public' }), 'invalid_visibility');
    expectRefusal(await change(agent, id, { visibility: 'public' }), 'invalid_visibility');
    expect((await change(agent, id, {})).status).toBe(200);
    expect(postOf(await change(agent, id, { text: 'y' }))).toMatchObject({ text: 'y', state: 'hidden' });
    expect(postOf(await change(agent, id, { visibility: 'private' }))).toMatchObject({ state: 'private' });
  });

  it('of another agent is the same as a change of a post that never existed', async () => {
    const [foreign, own, deleted] = [
      await created(alice, { visibility: 'public' }),
      await created(alice),
      await created(bob),
    ];
    await remove(bob, deleted);
    const missing = await change(bob, missingId, { text: 'y' });

    expectRefusal(missing, 'not_found');
    for (const id of [foreign, own, deleted]) {
      expect(await change(bob, id, { text: 'y' })).toMatchObject({ status: 404, body: missing.body });
      expect(await change(bob, id, {})).toMatchObject({ status: 404, body: missing.body });
    }
    // The body is validated before the post is looked up (§8.11).
    expectRefusal(await change(bob, missingId, { text: '' }), 'invalid_text');
    expectRefusal(await change(bob, 'x', { text: 'y' }), 'invalid_id');
  });
});
