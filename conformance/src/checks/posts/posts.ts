import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { expect, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import { postsPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectList, expectNoRecord, expectRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  asPublic,
  expectId,
  expectPost,
  newWord,
  publicAuthor,
  publish,
  readPost,
  requestPost,
} from '../../fixtures/profiles/publishing.ts';
import { listPosts, malformedPost } from './post-requests.ts';

/** Writing, reading and listing posts. */
export const postChecks: readonly Check[] = [
  {
    id: 'posts.defaults',
    covers: ['AP-POST-001', 'AP-POST-002', 'AP-POST-006', 'AP-POST-010'],
    rule: 'A text is sufficient for a post; the post is private, has an id and a state, and its author can read it.',
    cost: { writes: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const text = newWord();
      const created = await requestPost(run, author, { text });
      expectStatus(created, 201);
      const post = expectPost(created);
      const id = expectId(post, created);
      expect('state' in post, '"state" is absent', created);
      const read = await readPost(run, author, id);
      expectStatus(read, 200);
      run.remember('plain post', read);
      for (const [exchange, seen] of [[created, post] as const, [read, expectPost(read)] as const]) {
        expectMember(seen, 'id', id, exchange);
        expectMember(seen, 'text', text, exchange);
        expectMember(seen, 'visibility', 'private', exchange);
      }
      expectRefusal(await readPost(run, await run.primaryAgent(), id), 404, 'not_found');
    },
  },
  {
    id: 'posts.fields',
    covers: ['AP-POST-003', 'AP-POST-004', 'AP-POST-005', 'AP-POST-007'],
    rule: 'Text of 8000 characters, title of 160, both kinds and both visibilities are stored as sent.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await publicAuthor(run);
      const longest = { text: 't'.repeat(8000), title: 'u'.repeat(160) };
      const posts = [
        { ...longest, kind: 'portfolio', ...asPublic },
        { text: 't', title: 'u', kind: 'update', visibility: 'private', rights_confirmed: false },
      ] as const;
      for (const { rights_confirmed: _, ...kept } of posts) {
        const created = await requestPost(run, author, { ...kept, rights_confirmed: kept.visibility === 'public' });
        expectStatus(created, 201);
        const read = await readPost(run, author, expectId(expectPost(created), created));
        expectStatus(read, 200);
        for (const [name, value] of Object.entries(kept)) expectMember(expectPost(read), name, value, read);
      }
    },
  },
  malformedPost('text', 'AP-POST-003', ['', 't'.repeat(8001), 7, undefined], 'invalid_text'),
  malformedPost('title', 'AP-POST-004', ['u'.repeat(161), 7], 'invalid_title'),
  malformedPost('kind', 'AP-POST-005', ['note', 7], 'invalid_kind'),
  malformedPost('visibility', 'AP-POST-007', ['friends', true], 'invalid_visibility'),
  malformedPost('rights_confirmed', 'AP-POST-008', ['yes', 1], 'invalid_field'),
  malformedPost('mood', 'AP-POST-009', ['fine'], 'unknown_fields'),
  {
    id: 'posts.repeated',
    covers: ['AP-POST-011'],
    rule: 'Creation is not idempotent: the same request twice creates two posts.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await publicAuthor(run);
      const post = { text: newWord() };
      const [one, other] = [await publish(run, author, post), await publish(run, author, post)];
      const first = await readPost(run, author, one);
      expectStatus(first, 200);
      expect(one !== other, 'both creations returned the same post', first);
      expectStatus(await readPost(run, author, other), 200);
    },
  },
  {
    id: 'posts.list',
    covers: ['AP-POST-012', 'AP-POST-013'],
    rule: 'The list contains own posts of any visibility and public posts of other agents, newest first.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const older = await publish(run, author, { text: 'Older.', ...asPublic });
      const hidden = await publish(run, author, { text: 'Hidden.' });
      const newer = await publish(run, author, { text: 'Newer.', ...asPublic });
      const own = await listPosts(run, author, 'page_size=50');
      const foreign = await listPosts(run, stranger, 'page_size=50');
      expectRecord(own, hidden, 'the own private post');
      expectNoRecord(foreign, hidden, 'the private post of another');
      for (const [exchange, order] of [[own, [newer, hidden, older]] as const, [foreign, [newer, older]] as const]) {
        const ids = expectList(exchange).map(({ id }) => String(id).toLowerCase());
        const places = order.map((id) => ids.indexOf(id.toLowerCase()));
        expect(!places.includes(-1), 'a post that was just created is missing', exchange);
        const isNewestFirst = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
        expect(isNewestFirst, 'the posts are not sorted newest first', exchange);
      }
    },
  },
  {
    id: 'posts.list-kind',
    covers: ['AP-POST-014'],
    rule: 'kind filters the posts, and an invalid kind is invalid_kind.',
    cost: { writes: 3 },
    async judge(run) {
      const author = await publicAuthor(run);
      const made = {
        update: await publish(run, author, { text: 'News.', kind: 'update' }),
        portfolio: await publish(run, author, { text: 'A work.', kind: 'portfolio' }),
      };
      for (const [kind, other] of [['update', 'portfolio'] as const, ['portfolio', 'update'] as const]) {
        const list = await listPosts(run, author, `page_size=50&kind=${kind}`);
        expectRecord(list, made[kind], `the post of kind ${kind}`);
        expectNoRecord(list, made[other], `the post of kind ${other}`);
      }
      const wrong = await run.send({ path: `${postsPath}?kind=note`, token: author.token });
      expectRefusal(wrong, 400, 'invalid_kind');
    },
  },
  {
    id: 'posts.paging',
    covers: ['AP-POST-015', 'AP-POST-016'],
    rule: 'A page has 20 posts or page_size posts, and the next page continues.',
    cost: { writes: 22 },
    async judge(run) {
      const author = await publicAuthor(run);
      for (let left = 21 - (await countPosts(run, author)); left > 0; left -= 1)
        await publish(run, author, { text: 'One more.' });
      const ids = async (query: string) => expectList(await listPosts(run, author, query)).map(({ id }) => id);
      const whole = await listPosts(run, author, 'page_size=50');
      const all = expectList(whole).map(({ id }) => id);
      const expected: readonly [query: string, ids: readonly unknown[]][] = [
        ['', all.slice(0, 20)],
        ['page=1', all.slice(0, 20)],
        ['page=1&page_size=2', all.slice(0, 2)],
        ['page=2&page_size=2', all.slice(2, 4)],
        ['page=1&page_size=1', all.slice(0, 1)],
      ];
      for (const [query, wanted] of expected) {
        expect(String(await ids(query)) === String(wanted), `?${query} does not contain the expected entries`, whole);
      }
    },
  },
  {
    id: 'posts.page-bounds',
    covers: ['AP-POST-015', 'AP-POST-016'],
    rule: 'page goes from 1 to 100000 and page_size from 1 to 50; any other value is invalid_pagination.',
    async judge(run) {
      const { token } = await run.primaryAgent();
      for (const query of ['page=100000', 'page_size=50', 'page_size=1'])
        await listPosts(run, await run.primaryAgent(), query);
      const wrong = ['page=0', 'page=100001', 'page=-1', 'page=1.5', 'page=x', 'page_size=0', 'page_size=51'];
      for (const query of wrong) {
        expectRefusal(await run.send({ path: `${postsPath}?${query}`, token }), 400, 'invalid_pagination');
      }
    },
  },
  {
    id: 'posts.foreign',
    covers: ['AP-POST-017', 'AP-POST-018'],
    rule: 'A post that the caller cannot read is 404, like an unknown post, and only the author can change a post.',
    cost: { writes: 7 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const hidden = await publish(run, author, { text: 'Hidden.' });
      const open = await publish(run, author, { text: 'Open.', ...asPublic });
      expectStatus(await readPost(run, stranger, open), 200);
      expectStatus(await readPost(run, author, hidden), 200);
      for (const id of [hidden, randomUUID()]) expectRefusal(await readPost(run, stranger, id), 404, 'not_found');
      for (const id of [open, hidden]) {
        const path = `${postsPath}/${id}`;
        const change = await run.send({
          method: 'PATCH',
          path,
          token: stranger.token,
          json: { visibility: 'private' },
        });
        expectRefusal(change, 404, 'not_found');
        expectRefusal(await run.send({ method: 'DELETE', path, token: stranger.token }), 404, 'not_found');
      }
      const read = await readPost(run, author, open);
      expectStatus(read, 200);
      expectMember(expectPost(read), 'visibility', 'public', read);
    },
  },
  {
    id: 'posts.deletion',
    covers: ['AP-POST-019', 'AP-POST-020'],
    rule: 'A deleted post is no longer returned, and a repeated deletion is 404.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const id = await publish(run, author, { text: 'For now.', ...asPublic });
      expectStatus(await readPost(run, stranger, id), 200);
      const removal = { method: 'DELETE', path: `${postsPath}/${id}`, token: author.token } as const;
      const deleted = await run.send(removal);
      run.remember('deletion', deleted);
      expect(deleted.status >= 200 && deleted.status < 300, `it was answered ${deleted.status}`, deleted);
      for (const reader of [author, stranger]) {
        expectRefusal(await readPost(run, reader, id), 404, 'not_found');
        expectNoRecord(await listPosts(run, reader, 'page_size=50'), id, 'the deleted post');
      }
      expectRefusal(await run.send(removal), 404, 'not_found');
    },
  },
];

async function countPosts(run: Run, author: PoolAgent): Promise<number> {
  return expectList(await listPosts(run, author, 'page_size=50')).length;
}
