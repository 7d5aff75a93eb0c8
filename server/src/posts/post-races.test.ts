import { scaleRepetitions } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { waitForBlockedStatement } from '../../testing/locks.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { Answer, TestServer } from '../../testing/test-server.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...servers) => {
  [one, other] = servers;
});

const rounds = scaleRepetitions(15);
const either = (index: number) => (index % 2 === 0 ? one : other);

function countByStatus(answers: readonly Answer[]): Record<number, number> {
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );
}

async function create(token: string, body: object = {}): Promise<string> {
  const answer = await one.request('POST', '/api/v1/posts', { token, body: { text: 'x', ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body['post']?.['id'] ?? '';
}

const searchTexts = () => one.store.read((reader) => reader.selectFrom('search_texts').select('document_id').execute());

describe('parallel calls on PostgreSQL', () => {
  it('lose no change of a post when different members are changed concurrently', async () => {
    const { token } = await one.register('changing', { profile_public: true });
    for (let round = 0; round < rounds; round += 1) {
      const id = await create(token);
      const changes = [{ text: 'y' }, { title: 't' }, { kind: 'portfolio' }, { rights_confirmed: true }];
      const answers = await Promise.all(
        changes.map((body, index) => either(index).request('PATCH', `/api/v1/posts/${id}`, { token, body })),
      );

      expect(countByStatus(answers)).toEqual({ 200: 4 });
      const { body } = await other.request('GET', `/api/v1/posts/${id}`, { token });
      expect(body['post']).toMatchObject({ text: 'y', title: 't', kind: 'portfolio', rights_confirmed: true });
    }
  });

  it('delete a post once, and do not change a deleted one', async () => {
    const { token } = await one.register('deleting', { profile_public: true });
    for (let round = 0; round < rounds; round += 1) {
      const id = await create(token, { visibility: 'public' });
      const path = `/api/v1/posts/${id}`;
      const deletions = Array.from({ length: 6 }, (_, index) => either(index).request('DELETE', path, { token }));
      const changes = Array.from({ length: 6 }, (_, index) =>
        either(index).request('PATCH', path, { token, body: { text: `${index}` } }),
      );
      expect(countByStatus(await Promise.all(deletions))).toEqual({ 200: 1, 404: 5 });
      for (const { status } of await Promise.all(changes)) expect([200, 404]).toContain(status);
      expect((await one.request('PATCH', path, { token, body: { text: 'late' } })).status).toBe(404);
      // A change just before the deletion must not leave words in the search index.
      expect(await searchTexts()).not.toContainEqual({ document_id: id });
    }
  });

  it('refuse a public post if the profile is closed after the token was checked', async () => {
    const { id, token } = await one.register('closing', { profile_public: true });
    const body = { text: 'x', visibility: 'public' };
    const publishing = await one.store.transact(async (writer) => {
      await writer.updateTable('bots').set({ profile_public: false }).where('id', '=', id).execute();
      const answer = other.request('POST', '/api/v1/posts', { token, body });
      await waitForBlockedStatement(one.store);
      return [answer];
    });

    const [answer] = await Promise.all(publishing);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_visibility' } } });
  });

  it('never publish while the profile is closed, and leave nothing visible after it is closed', async () => {
    const agent = await one.register('publishing', { profile_public: true });
    const { token } = agent;
    const reader = await one.register('reading');
    for (let round = 0; round < rounds; round += 1) {
      await one.request('PATCH', '/api/v1/bots/me', { token, body: { profile_public: true } });
      const id = await create(token);
      const [closing, ...publishing] = await Promise.all([
        one.request('PATCH', '/api/v1/bots/me', { token, body: { profile_public: false } }),
        ...Array.from({ length: 4 }, (_, index) =>
          index % 2 === 0
            ? other.request('PATCH', `/api/v1/posts/${id}`, { token, body: { visibility: 'public' } })
            : other.request('POST', '/api/v1/posts', { token, body: { text: `r${round}`, visibility: 'public' } }),
        ),
      ]);

      expect(closing.status).toBe(200);
      for (const answer of publishing) {
        // Either the post was created before the profile was closed, or it was refused.
        if (answer.status === 400) expect(answer.body['error']?.['code']).toBe('invalid_visibility');
        else expect(answer.body['post']?.['state']).toBe('public');
      }
      const seen = await other.request('GET', '/api/v1/posts?page_size=50', { token: reader.token });
      expect(seen.body['posts']).toEqual([]);
      expect((await other.request('GET', '/api/v1/bots?q=r', { token: reader.token })).body['bots']).not.toContainEqual(
        expect.objectContaining({ id: agent.id }),
      );
    }
  });

  it('make a post public and private alternately, and keep the search consistent', async () => {
    const { token } = await one.register('wavering', { profile_public: true });
    for (let round = 0; round < rounds; round += 1) {
      const id = await create(token);
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          either(index).request('PATCH', `/api/v1/posts/${id}`, {
            token,
            body: { visibility: index % 4 < 2 ? 'public' : 'private' },
          }),
        ),
      );
      const { body } = await one.request('GET', `/api/v1/posts/${id}`, { token });
      const isFound = (await searchTexts()).some(({ document_id }) => document_id === id);
      expect(isFound).toBe(body['post']?.['visibility'] === 'public');
    }
  });

  it('leave only the words of the last of several profile changes in the search', async () => {
    const { token } = await one.register('renaming', { profile_public: true });
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          either(index).request('PATCH', '/api/v1/bots/me', { token, body: { bio: `w${round}x${index}` } }),
        ),
      );
      const { body } = await one.request('GET', '/api/v1/bots/me', { token });
      const bots = async (q: string) => (await other.request('GET', `/api/v1/bots?q=${q}`, { token })).body['bots'];
      expect(await bots(body['bot']?.['bio'] ?? '')).toHaveLength(1);
      expect(await bots(`w${round}x`)).toHaveLength(1);
      for (let index = 0; index < 6; index += 1) {
        const bio = `w${round}x${index}`;
        if (bio !== body['bot']?.['bio']) expect(await bots(bio)).toHaveLength(0);
      }
    }
  });

  it('publish 50 posts of ten agents, and index the public ones for searches', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `writer_${index}`);
    const authors = await Promise.all(names.map((name) => one.register(name, { profile_public: true })));
    const posts = Array.from({ length: 50 }, (_, index) => ({
      author: authors[index % 10],
      body: { text: `word${index}`, visibility: index % 4 < 2 ? 'public' : 'private' },
    }));
    const answers = await Promise.all(
      posts.map(({ author, body }, index) =>
        either(index).request('POST', '/api/v1/posts', { token: author?.token ?? '', body }),
      ),
    );

    expect(countByStatus(answers)).toEqual({ 201: 50 });
    const written = posts.map(({ author, body }) => ({ ...body, author: expect.objectContaining({ id: author?.id }) }));
    expect(answers.map(({ body }) => body['post'])).toEqual(written.map((post) => expect.objectContaining(post)));
    const isPublic = (_: unknown, index: number) => posts[index]?.body.visibility === 'public';
    const ids = answers.filter(isPublic).map(({ body }) => body['post']?.['id']);
    const indexed = (await searchTexts()).map(({ document_id }) => document_id);
    expect(indexed).toEqual(expect.arrayContaining(ids));
    expect(new Set(ids).size).toBe(26);
  });
});
