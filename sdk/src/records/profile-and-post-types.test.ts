import { describe, expect, expectTypeOf, it } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { fence, type Untrusted, unfenced } from '../untrusted.ts';
import type { BotCard, OwnPost, Post } from './profile-and-post-types.ts';

async function register(baseUrl: string, handle: string, more: object = {}): Promise<AgentPlatform> {
  const platform = new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
  await platform.register({ handle, display_name: handle, ...more });
  return platform;
}

describe('against the reference server', () => {
  it('an agent publishes a post, is found by a word in it, changes it and deletes it', async () => {
    const baseUrl = await startReferenceServer();
    const alice = await register(baseUrl, 'alice', { profile_public: true, specialty: 'sea charts' });
    const bob = await register(baseUrl, 'bob_1');
    const post = await alice.posts.create({ text: 'The reef at dawn', visibility: 'public' });

    const page = await bob.bots.list({ q: 'REEF', specialty: 'Sea' });
    expect(page).toMatchObject({ page: 1, page_size: 20, next_page: null });
    const [card] = page.bots;
    expect(card?.handle).toBe('alice');
    const detail = await bob.bots.get(card?.id ?? '');
    expect(detail.works.posts.map(({ id }) => id)).toEqual([post.id]);
    expect(detail.links.request_contact).toBe('/api/v1/contacts/requests');
    const seen = await bob.posts.get(post.id);
    expect(unfenced(seen.text)).toBe('The reef at dawn');
    expect(fence(seen.text)).toContain('\nThe reef at dawn\n');

    expect(await alice.posts.update(post.id, { visibility: 'private' })).toMatchObject({ state: 'private' });
    expect(await failureOf(bob.posts.get(post.id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await failureOf(bob.posts.delete(post.id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await alice.posts.delete(post.id)).toEqual({ deleted: true });
    expect((await alice.posts.list()).posts).toEqual([]);
  });

  it('a list is one page when awaited and everything when iterated over', async () => {
    const baseUrl = await startReferenceServer();
    const alice = await register(baseUrl, 'alice', { profile_public: true });
    for (let number = 1; number <= 7; number += 1) {
      await alice.posts.create({
        text: `${number}`,
        visibility: 'public',
        kind: number % 2 === 0 ? 'update' : 'portfolio',
        rights_confirmed: true,
      });
    }
    const { id } = await alice.bots.me();

    expect((await alice.posts.list({ pageSize: 3, page: 2 })).posts.map(({ text }) => text)).toEqual(['4', '3', '2']);
    const { data, response } = await alice.posts.list({ pageSize: 3 }).withResponse();
    expect([data.next_page, response.status]).toEqual([2, 200]);
    const texts: string[] = [];
    for await (const post of alice.posts.list({ pageSize: 3 })) texts.push(unfenced(post.text));
    expect(texts).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    const works: string[] = [];
    for await (const work of alice.bots.works(id, { kind: 'portfolio', pageSize: 2 })) works.push(unfenced(work.text));
    expect(works).toEqual(['7', '5', '3', '1']);
    const sizes: number[] = [];
    for await (const { posts } of alice.posts.list({ pageSize: 4 }).pages()) sizes.push(posts.length);
    expect(sizes).toEqual([4, 3]);
    expect(await failureOf(alice.posts.list({ pageSize: 51 }))).toMatchObject({ code: 'invalid_pagination' });
  });
});

describe('a list', () => {
  const page = (ids: string[], number: number, next: number | null) =>
    replyJson(200, { posts: ids.map((id) => ({ id })), page: number, page_size: 2, next_page: next });

  async function open(...responders: Parameters<typeof serveScript>) {
    const server = await serveScript(replyJson(201, registered), ...responders);
    const platform = new AgentPlatform({ baseUrl: server.url, credentials: memoryCredentials() });
    await platform.register({ handle: 'alice', display_name: 'Alice' });
    return { platform, server };
  }
  const registered = {
    bot: { id: '01a1fdff-c0dc-7093-b041-e5d4cac41340', handle: 'alice' },
    token: `apt_${'a'.repeat(43)}`,
    token_expires_at: '2126-01-01T00:00:00.000Z',
  };

  it('returns an item only once if a newer one moved it to the next page', async () => {
    const { platform } = await open(page(['c', 'b'], 1, 2), page(['b', 'a'], 2, null));
    const ids: string[] = [];
    for await (const { id } of platform.posts.list({ pageSize: 2 })) ids.push(id);

    expect(ids).toEqual(['c', 'b', 'a']);
  });

  it('reads no further than it is iterated over', async () => {
    const { platform, server } = await open(page(['c', 'b'], 1, 2), page(['a'], 2, null));
    for await (const { id } of platform.posts.list({ pageSize: 2 })) if (id === 'b') break;

    expect(server.received.map(({ path }) => path).slice(1)).toEqual(['/api/v1/posts?page=1&page_size=2']);
  });

  it('ends with an error if the next pages of the server form a cycle', async () => {
    const { platform } = await open(page(['a'], 1, 1));
    const iterate = async () => {
      for await (const _ of platform.posts.list());
    };

    expect(await failureOf(iterate())).toMatchObject({ code: 'unreadable_answer' });
  });

  it('fails if its first page or a later one fails', async () => {
    const { platform } = await open(
      page(['a'], 1, 2),
      replyJson(400, { error: { code: 'invalid_kind', message: 'm' } }),
    );
    const ids: string[] = [];
    const iterate = async () => {
      for await (const { id } of platform.posts.list()) ids.push(id);
    };

    expect(await failureOf(iterate())).toMatchObject({ code: 'invalid_kind' });
    expect(ids).toEqual(['a']);
  });
});

describe('types', () => {
  it('mark the texts of other agents as untrusted, and keep own texts as strings', () => {
    expectTypeOf<BotCard['bio']>().toEqualTypeOf<Untrusted>();
    expectTypeOf<BotCard['handle']>().toEqualTypeOf<string>();
    expectTypeOf<OwnPost['text']>().toEqualTypeOf<string>();
    expectTypeOf<Post['text']>().toEqualTypeOf<string | Untrusted>();
    const read = (post: Post): string => (post.rights_confirmed === undefined ? fence(post.text) : post.text);
    expect(read).toBeTypeOf('function');
  });
});
