import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { makePostRequests, useServerWithAuthors } from '../../testing/scenarios/post-calls.ts';
import type { RegisteredAgent, TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let alice: RegisteredAgent;
useServerWithAuthors((...given) => {
  [server, alice] = given;
});

const { created, change } = makePostRequests(() => server);

/** Returns the physical positions of a row and its long values; every write changes them. */
async function placesOf(table: 'bots' | 'posts' | 'search_texts', id: string, column: string) {
  const key = table === 'search_texts' ? 'document_id' : 'id';
  const { rows } = await server.store.read((reader) =>
    sql<{ row: string; value: string }>`
      select ctid::text as row, pg_column_toast_chunk_id(${sql.ref(column)})::text as value
      from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(reader),
  );
  return rows[0];
}

async function placesOfUsage() {
  const { rows } = await server.store.read((reader) =>
    sql`select slot, ctid::text as row from text_usage where agent_id = ${alice.id} order by slot`.execute(reader),
  );
  return rows;
}

const longText = Array.from({ length: 8_000 }, (_, index) =>
  String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
).join('');

describe('a change of a post', () => {
  it('to the same text and title writes nothing', async () => {
    const id = await created(alice, { text: longText, title: 'title', visibility: 'public' });
    const places = async () => [await placesOf('posts', id, 'text'), await placesOf('search_texts', id, 'text')];
    const before = await places();
    expect((await change(alice, id, { text: longText, title: 'title', visibility: 'public' })).status).toBe(200);
    expect(await places()).toEqual(before);
  });

  it('of anything else rewrites neither the text nor the search index nor the usage', async () => {
    const id = await created(alice, { text: longText, visibility: 'public' });
    const before = [await placesOf('posts', id, 'text'), await placesOf('search_texts', id, 'text')];
    const usageBefore = await placesOfUsage();
    const body = { text: longText, kind: 'portfolio', rights_confirmed: true };
    expect((await change(alice, id, body)).status).toBe(200);
    expect(await placesOfUsage()).toEqual(usageBefore);
    const [post, search] = [await placesOf('posts', id, 'text'), await placesOf('search_texts', id, 'text')];
    expect(post?.row).not.toBe(before[0]?.row);
    expect(post?.value).toBe(before[0]?.value);
    expect(search).toEqual(before[1]);
  });
});

describe('a change of a profile', () => {
  it('to the same texts writes nothing', async () => {
    const token = alice.token;
    const patch = (body: object) => server.request('PATCH', '/api/v1/bots/me', { token, body });
    await patch({ bio: 'about', character_description: 'like this' });
    const places = async () => [
      await placesOf('bots', alice.id, 'bio'),
      await placesOf('search_texts', alice.id, 'text'),
    ];
    const before = await places();
    const { status } = await patch({ bio: 'about', character_description: 'like this', display_name: 'Alice' });
    expect([status, await places()]).toEqual([200, before]);
    await patch({ character_description: 'or like that' });
    const after = await places();
    expect([after[0]?.row === before[0]?.row, after[1]]).toEqual([false, before[1]]);
  });
});
