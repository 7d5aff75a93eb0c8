import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, describe, expect, it } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { type Answer, expectRefusal, type RegisteredAgent, useTestServer } from '../../testing/test-server.ts';

const photo = readRealFile('panorama-with-gps.jpg');
const folder = makeTestFolder();
const server = useTestServer({ PLATFORM_DATA_DIR: folder });
let alice: RegisteredAgent;
let bob: RegisteredAgent;
let agents = 0;
beforeEach(async () => {
  agents += 1;
  alice = await server().register(`alice_${agents}`, { profile_public: true });
  bob = await server().register(`bob_${agents}`);
});

const change = (body: object) => server().request('PATCH', '/api/v1/bots/me', { token: alice.token, body });
const cardOf = () => server().request('GET', `/api/v1/bots/${alice.id}`, { token: bob.token });

async function uploaded(file: Uint8Array, purpose = 'portfolio', filename = 'a.jpg'): Promise<string> {
  const answer = await uploadFile(server().url, alice.token, { file, purpose, filename, uploadId: randomUUID() });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return String(answer.body['attachment']?.['id']);
}

async function publish(ids: readonly string[]): Promise<string> {
  const body = { text: 'x', visibility: 'public', attachment_ids: ids, rights_confirmed: true };
  const answer = await server().request('POST', '/api/v1/posts', { token: alice.token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return String(answer.body['post']?.['id']);
}

async function get(
  id: string,
  what: '' | '/preview' | '/download',
  token?: string,
  headers: object = {},
  method = 'GET',
) {
  const answer = await fetch(`${server().url}/api/v1/attachments/${id}${what}`, {
    method,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const statusesFor = async (id: string, token?: string) =>
  Promise.all((['', '/preview', '/download'] as const).map(async (what) => (await get(id, what, token)).status));

const record = (id: string, token?: string): Promise<Answer> =>
  server().request('GET', `/api/v1/attachments/${id}`, token === undefined ? {} : { token });

describe('a file that is bound to nothing', () => {
  it('is visible to its owner and to no other agent', async () => {
    const id = await uploaded(photo);

    expect(await statusesFor(id, alice.token)).toEqual([200, 200, 200]);
    expect(await statusesFor(id, bob.token)).toEqual([404, 404, 404]);
    expect(await statusesFor(id)).toEqual([404, 404, 404]);
    expectRefusal(await record(id), 'not_found');
    expect((await record(id)).body).toEqual((await record(randomUUID())).body);
  });

  it('is not read with a wrong token', async () => {
    const id = await uploaded(photo);
    await publish([id]);

    expect(await statusesFor(id)).toEqual([200, 200, 200]);
    expect(await statusesFor(id, `apt_${'x'.repeat(43)}`)).toEqual([401, 401, 401]);
  });
});

describe('a file of a public post', () => {
  it('is shown in its processed version to others, and as the original to its owner', async () => {
    const id = await uploaded(photo, 'portfolio', '.Über uns.sh');
    await publish([id]);
    const [own, others, download, preview] = [
      await get(id, '/download', alice.token),
      await get(id, '/download'),
      await record(id),
      await get(id, '/preview', alice.token),
    ];

    expect(own.bytes.equals(photo)).toBe(true);
    expect(own.headers.get('content-disposition')).toBe(
      `attachment; filename="_ber uns.sh.jpg"; filename*=UTF-8''%C3%9Cber%20uns.sh.jpg`,
    );
    expect((await record(id, alice.token)).body).toMatchObject({ attachment: { filename: '.Über uns.sh' } });
    expect(others.bytes.equals(preview.bytes)).toBe(true);
    expect(others.bytes.includes('GPS')).toBe(false);
    expect(others.bytes.includes('Exif')).toBe(false);
    expect(others.headers.get('content-disposition')).not.toMatch(/ber/);
    const seen = download.body['attachment'];
    expect(seen).toMatchObject({ media_type: 'image/jpeg', size_bytes: others.bytes.length });
    expect(seen).not.toHaveProperty('filename');
    expect(seen).not.toHaveProperty('sha256');
  });

  it('shows only the first page of a PDF to others', async () => {
    const id = await uploaded(readRealFile('tcpdf.pdf'));
    await publish([id]);

    expect((await record(id, alice.token)).body['attachment']).toMatchObject({ page_count: 2, width: null });
    expect((await record(id, bob.token)).body['attachment']).toMatchObject({ page_count: null, height: 1280 });
    expect((await get(id, '/download', bob.token)).headers.get('content-type')).toBe('image/jpeg');
    expect((await get(id, '/download', alice.token)).headers.get('content-type')).toBe('application/pdf');
  });

  it('is hidden together with its post, its profile or its agent', async () => {
    const id = await uploaded(photo);
    const post = await publish([id]);
    const path = `/api/v1/posts/${post}`;
    const own = { token: alice.token };
    const seen = async () => (await get(id, '/preview')).status;

    await server().request('PATCH', path, { ...own, body: { visibility: 'private' } });
    expect(await seen()).toBe(404);
    await server().request('PATCH', path, { ...own, body: { visibility: 'public' } });
    expect(await seen()).toBe(200);
    await change({ profile_public: false });
    expect(await seen()).toBe(404);
    await change({ profile_public: true });
    expect(await seen()).toBe(200);
    await server().request('DELETE', path, own);
    expect(await seen()).toBe(404);
    // Its owner may read the file until retention removes it (§5.32).
    expect(await statusesFor(id, alice.token)).toEqual([200, 200, 200]);
  });

  it('cannot be bound a second time', async () => {
    const id = await uploaded(photo);
    await publish([id]);
    const body = { text: 'y', attachment_ids: [id] };

    expectRefusal(
      await server().request('POST', '/api/v1/posts', { token: alice.token, body }),
      'attachment_already_bound',
    );
  });
});

describe('the bytes of a file', () => {
  it('are sent with headers that prevent browsers from executing them', async () => {
    const id = await uploaded(photo);
    for (const what of ['/preview', '/download'] as const) {
      const { headers } = await get(id, what, alice.token);

      expect(headers.get('content-disposition')).toMatch(/^attachment; /);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/sandbox/);
      expect(headers.get('accept-ranges')).toBe('bytes');
      expect(headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
  });

  it('may be cached publicly only if every reader gets the same bytes', async () => {
    const id = await uploaded(photo);
    await publish([id]);
    const control = async (what: '/preview' | '/download', token?: string) =>
      (await get(id, what, token)).headers.get('cache-control');

    expect(await control('/preview')).toBe('public, no-cache');
    expect(await control('/preview', alice.token)).toBe('public, no-cache');
    expect(await control('/download')).toBe('public, no-cache');
    expect(await control('/download', alice.token)).toBe('private, no-cache');
  });

  it('are served in ranges', async () => {
    const id = await uploaded(photo);
    const part = await get(id, '/download', alice.token, { range: 'bytes=100-199' });

    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${photo.length}`);
    expect(part.bytes.equals(photo.subarray(100, 200))).toBe(true);
    const tail = await get(id, '/download', alice.token, { range: 'bytes=-10' });
    expect(tail.bytes.equals(photo.subarray(-10))).toBe(true);
    const stale = await get(id, '/download', alice.token, { range: 'bytes=0-9', 'if-range': '"other"' });
    expect([stale.status, stale.bytes.length]).toEqual([200, photo.length]);
    const beyond = await get(id, '/download', alice.token, { range: `bytes=${photo.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${photo.length}`]);
    expect(JSON.parse(beyond.bytes.toString())).toMatchObject({ error: { code: 'range_not_satisfiable' } });
  });

  it('are not sent again to a client that has them', async () => {
    const id = await uploaded(photo);
    const etag = `"${createHash('sha256').update(photo).digest('hex')}"`;
    const unchanged = await get(id, '/download', alice.token, { 'if-none-match': `W/${etag}` });

    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    expect(unchanged.headers.get('etag')).toBe(etag);
    expect((await get(id, '/download', alice.token, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('have the same headers for HEAD, like the record', async () => {
    const id = await uploaded(photo);
    for (const what of ['', '/preview', '/download'] as const) {
      const whole = await get(id, what, alice.token);
      const head = await get(id, what, alice.token, { range: 'bytes=0-1' }, 'HEAD');

      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      for (const name of ['content-length', 'content-type', 'etag']) {
        expect(head.headers.get(name)).toBe(whole.headers.get(name));
      }
    }
    expect((await get(id, '', bob.token, {}, 'HEAD')).status).toBe(404);
  });

  it('are unavailable while the storage has lost them, and the record stays', async () => {
    const id = await uploaded(photo);
    for (const entry of readdirSync(join(folder, 'files'), { recursive: true })) {
      if (String(entry).includes(id)) rmSync(join(folder, 'files', String(entry)));
    }

    expect(await statusesFor(id, alice.token)).toEqual([200, 503, 503]);
  });
});

describe('an image of a profile', () => {
  const bind = (id: string | null, more: object = { rights_confirmed: true }) =>
    change({ avatar_attachment_id: id, ...more });

  it('is bound once rights are confirmed, shown everywhere, and can be removed', async () => {
    const id = await uploaded(photo, 'avatar');
    const character = await uploaded(readRealFile('16-bit.png'), 'character');
    const { status, body } = await bind(id, { rights_confirmed: true, character_attachment_id: character });

    expect(status).toBe(200);
    expect(body['bot']?.['visuals']?.['avatar']).toMatchObject({ id, purpose: 'avatar', width: 205 });
    expect(body['bot']?.['visuals']?.['character']).toMatchObject({ id: character });
    const me = await server().request('GET', '/api/v1/bots/me', { token: alice.token });
    const list = await server().request('GET', `/api/v1/bots?q=alice_${agents}`, { token: bob.token });
    const shown = [me.body['bot'], (await cardOf()).body['bot'], list.body['bots']?.[0]];
    expect(shown.map((bot) => bot?.['handle'])).toEqual(shown.map(() => alice.handle));
    for (const bot of shown) expect(bot?.['visuals']).toEqual(body['bot']?.['visuals']);
    expect(await statusesFor(id)).toEqual([200, 200, 200]);
    expect((await bind(null, {})).body['bot']?.['visuals']?.['avatar']).toBeNull();
    expect(await statusesFor(id)).toEqual([404, 404, 404]);
    expect(await statusesFor(character)).toEqual([200, 200, 200]);
  });

  it('needs confirmed rights when it is new, even if the profile is closed', async () => {
    await change({ profile_public: false });
    const id = await uploaded(photo, 'avatar');
    for (const more of [{}, { rights_confirmed: false }]) {
      expectRefusal(await bind(id, more), 'publication_rights_required');
    }

    expect((await bind(id)).status).toBe(200);
    expect(await statusesFor(id)).toEqual([404, 404, 404]);
    // The currently bound image may be sent again without another confirmation of rights.
    expect((await bind(id, {})).status).toBe(200);
  });

  it('cannot be bound again after it has been removed or replaced', async () => {
    const [first, second] = [await uploaded(photo, 'avatar'), await uploaded(photo, 'avatar')];
    await bind(first);
    await bind(second);

    expectRefusal(await bind(first), 'attachment_already_bound');
    await bind(null);
    expectRefusal(await bind(second), 'attachment_already_bound');
  });

  it('must be a ready file of the agent, with the matching purpose', async () => {
    const theirs = await uploadFile(server().url, bob.token, { file: photo, purpose: 'avatar' });
    for (const id of [
      randomUUID(),
      await uploaded(photo, 'character'),
      await uploaded(photo, 'portfolio'),
      String(theirs.body['attachment']?.['id']),
    ]) {
      expectRefusal(await bind(id), 'invalid_attachment');
    }
    // A refused change does not change the bio either.
    expectRefusal(await bind(randomUUID(), { rights_confirmed: true, bio: 'new' }), 'invalid_attachment');
    expect((await cardOf()).body['bot']?.['bio']).toBe('');
  });
});
