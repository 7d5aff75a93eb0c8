import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';
import { sendRequest } from '../../../testing/test-server.ts';

// The first agent has works of every kind. In this test, the handle of the second belongs to another agent.
const [first, second] = ['demo_delta', 'demo_fern'];

let installation: Installation;
let server: Instance;
let token: string;
beforeAll(async () => {
  installation = makeInstallation();
  server = await installation.start();
  token = (await register(server.url, second)).token;
});
afterAll(() => installation.stop());

interface Post {
  readonly kind: string;
  readonly created_at: string;
  readonly attachments: readonly { readonly preview_url: string }[];
}
interface Card {
  readonly id: string;
  readonly handle: string;
}

const read = async <T>(path: string) => (await sendRequest(server.url, 'GET', path, { token })).body as unknown as T;
const search = async (q: string) => (await read<{ bots: readonly Card[] }>(`/api/v1/bots?q=${encodeURI(q)}`)).bots;
const readPosts = async () => (await read<{ posts: readonly Post[] }>('/api/v1/posts')).posts;
const seed = async (...words: string[]) => (await installation.operator('demo', 'seed', ...words, '--json')).json();
const findFirst = async () => (await search(first))[0];

describe('demo seed', () => {
  it('adds agents and works as the API does, without permission to register, and skips a taken handle', async () => {
    await installation.operator('registration', 'closed');

    const run = () => installation.operator('demo', 'seed', '--agents', '2', '--json');
    const [done, refused] = (await Promise.all([run(), run()])).toSorted((one, other) => one.exitCode - other.exitCode);

    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringMatching(/Another ..demo seed.. is running/) });
    expect(done?.err).toBe(`operator: 2 of 2: ${first}\n`);
    expect(done?.json()).toEqual({
      agents_added: 1,
      works_added: 3,
      files_added: 6,
      agents: [
        { handle: first, outcome: 'added', works_added: 3, files_added: 6 },
        { handle: second, outcome: 'taken', works_added: 0, files_added: 0 },
      ],
    });
    const visuals = { avatar: { width: 560 }, character: { width: 420 } };
    expect(await findFirst()).toMatchObject({ handle: first, is_demo: true, visuals });
    expect((await readPosts()).map(({ kind }) => kind)).toEqual(['portfolio', 'portfolio', 'portfolio']);
    expect(await read('/api/v1/bots/me')).toMatchObject({ bot: { is_demo: false, profile_public: false } });
  });

  it('assigns different dates to the works, and indexes them for the search', async () => {
    expect(await search('frogs to water')).toMatchObject([{ handle: first }]);

    const daysAgo = (await readPosts()).map(({ created_at }) =>
      Math.round((Date.now() - Date.parse(created_at)) / 86_400_000),
    );
    expect(daysAgo).toEqual([8, 22, 43]);
  });

  it('makes public previews, also of documents', async () => {
    const files = (await readPosts()).flatMap(({ attachments }) => attachments);
    expect(files).toHaveLength(4);
    for (const { preview_url } of files) {
      const preview = await fetch(`${server.url}${preview_url}`);
      expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    }
  });

  it('gives no agent a token', async () => {
    const shown = await installation.operator('agents', 'show', first, '--json');
    expect(shown.json()).toMatchObject({ agent: { is_demo: true, tokens: { active: 0 } } });
  });

  it('adds nothing when it is repeated, and only what is missing after an interruption', async () => {
    expect(await seed('--agents', '1')).toMatchObject({ works_added: 0, agents: [{ outcome: 'complete' }] });
    // The same state as after a kill before the last work was added.
    await server.store.transact((writer) =>
      writer.deleteFrom('posts').where('title', '=', 'Dashboard for a pond').execute(),
    );

    expect(await seed('--agents', '1')).toMatchObject({
      agents_added: 0,
      works_added: 1,
      files_added: 1,
      agents: [{ outcome: 'completed' }],
    });
    expect(await readPosts()).toHaveLength(3);
  });

  it('does not change hidden agents until they are shown again', async () => {
    expect((await installation.operator('demo', 'hide', '--json')).json()).toEqual({ changed: 1 });
    expect(await findFirst()).toBeUndefined();
    expect(await seed('--agents', '1')).toMatchObject({ agents: [{ outcome: 'suspended', works_added: 0 }] });

    expect((await installation.operator('demo', 'show', '--json')).json()).toEqual({ changed: 1 });
    expect(await findFirst()).toMatchObject({ handle: first });
  });

  it('never changes an erased agent', async () => {
    expect((await installation.operator('agents', 'erase', first, '--yes')).exitCode).toBe(0);

    const again = await installation.operator('demo', 'seed', '--agents', '1');
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining(`${first} is permanently erased.`) });
    expect(again.out).not.toContain('demo show');
    for (const action of ['show', 'hide'])
      expect((await installation.operator('demo', action, '--json')).json()).toEqual({ changed: 0 });
    expect(await findFirst()).toBeUndefined();
    expect(await readPosts()).toEqual([]);
  });

  it('works without a server, and says where it stopped when a quota is used up', async () => {
    await server.stop();
    const narrow = makeInstallation({ PLATFORM_DATA_DIR: installation.dataDir, PLATFORM_FILES: '2' });

    const done = await narrow.operator('demo', 'seed', '--agents', '3');

    expect(done).toMatchObject({ exitCode: 1, out: '' });
    expect(done.err).toMatch(/demo_\w+: The service has reached its file quota\. .* run the command again to add/);
    expect((await narrow.operator('agents', 'list', '--json')).json()).toMatchObject({
      agents: expect.arrayContaining([expect.objectContaining({ is_demo: true })]),
    });
  });
});
