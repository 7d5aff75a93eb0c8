import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { makePng } from '../../../testing/files/image-maker.ts';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { sendRequest } from '../../../testing/test-server.ts';

const missing = '01a1fdff-c0dc-7093-b041-e5d4cac41340';

describe.each(['pglite', 'postgresql'] as const)('moderation on %s', (kind) => {
  let installation: Installation;
  let server: Instance;
  let author = '';
  let reader = '';
  let post = '';
  let file = '';
  beforeAll(async () => {
    const env = kind === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) };
    installation = makeInstallation({ ...env, PLATFORM_WRITES_PER_MINUTE: '0' });
    server = await installation.start();
    author = (await register(server.url, 'author', { profile_public: true })).token;
    reader = (await register(server.url, 'reader')).token;
  });
  afterAll(() => installation.stop());
  beforeEach(async () => {
    file = await uploaded('portfolio');
    post = await published({ attachment_ids: [file] });
  });

  const request = (method: string, path: string, token: string, body?: object) =>
    sendRequest(server.url, method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  const uploaded = async (purpose: string) => {
    const { body } = await uploadFile(server.url, author, { file: makePng(30, 30), filename: 'a.png', purpose });
    return String(body['attachment']?.['id']);
  };
  const published = async (more: object = {}) => {
    const body = { text: 'a rare word', visibility: 'public', rights_confirmed: true, ...more };
    return String((await request('POST', '/posts', author, body)).body['post']?.['id']);
  };
  const operate = async (...words: string[]) => {
    const done = await installation.operator(...words, '--json');
    expect(done.exitCode, done.err).toBe(0);
    return done.json();
  };
  /** Returns the parts of a response that must not differ between a hidden and a missing post. */
  const answerOf = async (path: string, token: string) => {
    const { status, body, headers } = await request('GET', path, token);
    return { status, body: JSON.stringify(body), names: [...headers.keys()], length: headers.get('content-length') };
  };
  const storedFiles = () =>
    readdirSync(join(installation.dataDir, 'files'), { recursive: true }).filter((name) => String(name).includes(file));

  it('hides a post everywhere, and its address returns the same bytes as that of a missing one', async () => {
    const inLists = async () => {
      const paths = ['/posts', '/bots?q=rare', `/bots/${authorId}?kind=update`];
      const bodies = await Promise.all(
        paths.map(async (path) => JSON.stringify((await request('GET', path, reader)).body)),
      );
      return [bodies[0]?.includes(post), bodies[1]?.includes('author'), bodies[2]?.includes(post)];
    };
    const authorId = String((await request('GET', '/bots/me', author)).body['bot']?.['id']);
    expect(await inLists()).toEqual([true, true, true]);
    const others = [...((await request('GET', '/posts?page_size=50', author)).body['posts'] ?? [])];
    for (const other of others) if (other['id'] !== post) await request('DELETE', `/posts/${other['id']}`, author);

    expect(await operate('posts', 'hide', post)).toMatchObject({ changed: true, author_id: authorId });

    expect(await inLists()).toEqual([false, false, false]);
    expect(await answerOf(`/posts/${post}`, reader)).toEqual(await answerOf(`/posts/${missing}`, reader));
    for (const part of ['', '/preview', '/download'])
      expect(await answerOf(`/attachments/${file}${part}`, reader)).toEqual(
        await answerOf(`/attachments/${missing}${part}`, reader),
      );
    expect(await operate('posts', 'hide', post)).toMatchObject({ changed: false });

    expect(await operate('posts', 'show', post)).toMatchObject({ changed: true });

    expect(await inLists()).toEqual([true, true, true]);
    expect((await request('GET', `/attachments/${file}`, reader)).status).toBe(200);
    expect(await operate('posts', 'show', post)).toMatchObject({ changed: false });
  });

  it('lets the author read but not show a hidden post, and keeps the visibility that the author chose', async () => {
    await operate('posts', 'hide', post);
    const seen = await request('GET', `/posts/${post}`, author);
    expect(seen.body['post']).toMatchObject({ visibility: 'public', state: 'hidden', text: 'a rare word' });
    expect((await request('GET', `/attachments/${file}`, author)).status).toBe(200);

    const changed = await request('PATCH', `/posts/${post}`, author, { text: 'other words', visibility: 'public' });
    expect(changed.body['post']).toMatchObject({ visibility: 'public', state: 'hidden' });
    expect((await request('GET', `/posts/${post}`, reader)).status).toBe(404);
    const closed = await request('PATCH', `/posts/${post}`, author, { visibility: 'private' });
    expect(closed.body['post']).toMatchObject({ visibility: 'private', state: 'private' });

    await operate('posts', 'show', post);
    expect((await request('GET', `/posts/${post}`, author)).body['post']).toMatchObject({ state: 'private' });
    expect((await request('GET', `/posts/${post}`, reader)).status).toBe(404);
    const reopened = await request('PATCH', `/posts/${post}`, author, { visibility: 'public' });
    expect(reopened.body['post']).toMatchObject({ state: 'public' });
    expect((await request('GET', '/bots?q=other%20words', reader)).body['bots']).toHaveLength(1);
  });

  it('deletes a post, hidden or not, and reads what was deleted', async () => {
    await operate('posts', 'hide', post);
    await operate('posts', 'delete', post, '--reason', 'illegal');
    expect((await request('GET', `/posts/${post}`, author)).status).toBe(404);
    expect(await operate('posts', 'read', post)).toMatchObject({
      post: { text: 'a rare word', is_hidden: true, files: [file], author: { handle: 'author' } },
    });
    expect(await installation.operator('posts', 'delete', post)).toMatchObject({ exitCode: 1 });
    expect(await operate('audit', 'list', '--limit', '2')).toMatchObject({
      acts: [
        { command: 'posts delete', subject: post, agent: { handle: 'author' }, reason: 'illegal' },
        { command: 'posts hide', subject: post },
      ],
    });
  });

  it('hides the bytes of a file from everyone, and shows them again', async () => {
    await operate('files', 'hide', file);
    const others = await request('GET', `/posts/${post}`, reader);
    expect(others.body['post']?.['attachments']).toMatchObject([{ id: file, available: false, download_url: null }]);
    expect((await request('GET', `/attachments/${file}`, reader)).status).toBe(404);
    expect((await request('GET', `/attachments/${file}`, author)).body['attachment']).toMatchObject({
      available: false,
    });
    expect((await request('GET', `/attachments/${file}/download`, author)).status).toBe(404);

    await operate('files', 'show', file);
    expect((await request('HEAD', `/attachments/${file}/download`, reader)).status).toBe(200);
  });

  it('refuses to attach a hidden file', async () => {
    const other = await uploaded('avatar');
    await operate('files', 'hide', other);
    const body = { avatar_attachment_id: other, rights_confirmed: true };
    expect((await request('PATCH', '/bots/me', author, body)).body['error']?.['code']).toBe('invalid_attachment');
  });

  it('removes a file with its bytes immediately, and releases its quota', async () => {
    const usage = async () =>
      (await operate('agents', 'show', 'author')) as { agent: { usage: { files: number; uploads: number } } };
    const before = (await usage()).agent.usage;
    expect(storedFiles()).toHaveLength(2);

    expect(await operate('files', 'delete', file)).toMatchObject({ bound_kind: 'post', bound_id: post });

    expect(storedFiles()).toEqual([]);
    const { files, uploads } = (await usage()).agent.usage;
    expect([files, uploads]).toEqual([before.files - 1, before.uploads]);
    expect((await request('GET', `/attachments/${file}`, author)).body['attachment']).toMatchObject({
      available: false,
    });
    expect(await installation.operator('files', 'delete', file)).toMatchObject({ exitCode: 1 });
  });

  it('refuses uploads beyond the individual limits of an agent', async () => {
    const send = async () => {
      const { body } = await uploadFile(server.url, author, { file: makePng(9, 9), purpose: 'portfolio' });
      return body['error']?.['code'];
    };
    await operate('agents', 'quota', 'author', '--files', '1');
    expect(await send()).toBe('storage_quota_exceeded');
    await operate('agents', 'quota', 'author', '--files', 'default', '--uploads', '1');
    expect(await send()).toBe('storage_record_limit');
    await operate('agents', 'quota', 'author', '--uploads', '0', '--file-bytes', '1');
    expect(await send()).toBe('storage_quota_exceeded');
    await operate('agents', 'quota', 'author', '--uploads', 'default', '--file-bytes', 'default');
    expect(await send()).toBeUndefined();
  });

  it('refuses unknown posts and files', async () => {
    const actions = ['hide', 'show', 'delete'];
    for (const name of [
      ...actions.map((action) => `posts ${action}`),
      'posts read',
      ...actions.map((action) => `files ${action}`),
    ]) {
      const refused = await installation.operator(...name.split(' '), missing, '--json');
      expect([name, refused.exitCode, JSON.parse(refused.err).error.code]).toEqual([name, 1, 'not_found']);
      expect(await installation.operator(...name.split(' '), 'x')).toMatchObject({ exitCode: 2 });
    }
  });
});
