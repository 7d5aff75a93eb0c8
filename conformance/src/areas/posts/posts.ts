import { sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { botsPath, postsPath } from '../../context/paths.ts';
import { expectOwnPages, pageBoundsCheck, readPage } from '../paging.ts';
import {
  createPrivatePost,
  expectPost,
  makeUniqueWord,
  postPath,
  publicAuthor,
  publicPostMembers,
  publishPost,
} from './publishing.ts';

export const plainPost = defineFixture({ writes: 2 }, async (run) => {
  const author = await publicAuthor(run);
  const text = makeUniqueWord(run);
  const created = expect.works(await author.post(postsPath, { text }), 201);
  const id = await run.precondition('AP-POST-002', () => expect.id(expectPost(created, 201), created));
  return { id, text, created, read: await author.get(postPath(id)) };
});

export const postDeletion = defineFixture({ writes: 4 }, async (run) => {
  const author = await publicAuthor(run);
  const id = await publishPost(run, author, { text: 'For now.', ...publicPostMembers });
  const later = await publishPost(run, author, { text: 'For longer.' });
  const before = await (await run.primaryAgent()).get(postPath(id));
  return { author, id, later, before, answer: await author.delete(postPath(id)) };
});

export const postChecks: readonly Check[] = [
  defineCheck(plainPost, {
    id: 'posts.defaults',
    covers: ['AP-POST-001', 'AP-POST-002', 'AP-POST-006', 'AP-POST-010'],
    rule: 'A text is sufficient for a post; the post is private, has an id and a state, and its author can read it.',
    async judge({ id, text, created, read }, run) {
      const post = await run.precondition('AP-POST-001', () => expectPost(created, 201));
      await run.requirement('AP-POST-002', () => expect('state' in post, '"state" is absent', created));
      await run.requirement('AP-POST-010', () => expect.members(expectPost(read), { id, text }, read));
      await run.precondition('AP-POST-006', () => {
        expect.member(post, 'visibility', 'private', created);
        expect.member(expectPost(read), 'visibility', 'private', read);
      });
      const stranger = await run.primaryAgent();
      await run.precondition('AP-POST-017', async () => expect.notFound(await stranger.get(postPath(id))));
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.fields',
    covers: ['AP-POST-003', 'AP-POST-004', 'AP-POST-005', 'AP-POST-007'],
    rule: 'Text of 8000 characters, title of 160, both kinds and both visibilities are stored as sent.',
    cost: { writes: 5 },
    async judge(author, run) {
      const asBefore = { text: 't', title: 'u', kind: 'update', visibility: 'private' };
      for (const [requirement, extreme] of [
        // Both values have several bytes per character, because the limits count characters.
        ['AP-POST-003', { text: '語'.repeat(8000) }],
        ['AP-POST-004', { title: 'É<'.repeat(80) }],
        ['AP-POST-005', { kind: 'portfolio' }],
        ['AP-POST-007', { visibility: 'public' }],
      ] as const) {
        const created = await author.post(postsPath, { ...asBefore, ...extreme, rights_confirmed: true });
        await run.requirement(requirement, async () => {
          const post = expectPost(created, 201);
          expect.members(post, extreme, created);
          const id = await run.precondition('AP-POST-002', () => expect.id(post, created), { isPart: true });
          const read = await author.get(postPath(id));
          expect.members(expectPost(read), extreme, read);
        });
      }
    },
  }),
  invalidPost('text', 'AP-POST-003', ['', 't'.repeat(8001), 7, undefined], 'invalid_text'),
  invalidPost('title', 'AP-POST-004', ['u'.repeat(161), 7], 'invalid_title'),
  invalidPost('kind', 'AP-POST-005', ['note', 7], 'invalid_kind'),
  invalidPost('visibility', 'AP-POST-007', ['friends', true], 'invalid_visibility'),
  invalidPost('rights_confirmed', 'AP-POST-008', ['yes', 1], 'invalid_field'),
  invalidPost('mood', 'AP-POST-009', ['fine'], 'unknown_fields'),
  defineCheck(publicAuthor, {
    id: 'posts.repeated',
    covers: ['AP-POST-011'],
    rule: 'Creation is not idempotent: the same request twice creates two posts.',
    cost: { writes: 3 },
    async judge(author, run) {
      const post = { text: makeUniqueWord(run) };
      const one = await publishPost(run, author, post);
      const repeated = await author.post(postsPath, post);
      const other = expect.id(expectPost(repeated, 201), repeated);
      expect(one !== other, 'both creations returned the same post', repeated);
      expect.status(await author.get(postPath(other)), 200);
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.list',
    covers: ['AP-POST-012', 'AP-POST-013'],
    rule: "The list contains the agent's own posts of any visibility and public posts of other agents, newest first.",
    cost: { writes: 6 },
    async judge(author, run) {
      const stranger = await run.primaryAgent();
      const oldest = await publishPost(run, stranger, { text: 'Oldest.' });
      const older = await publishPost(run, author, { text: 'Older.', ...publicPostMembers });
      const hidden = await createPrivatePost(run, author, { text: 'Hidden.' });
      const texts = { text: `${'Newer. '.repeat(500)}Newest.`, title: 'N'.repeat(160) };
      const newer = await publishPost(run, author, { ...texts, ...publicPostMembers });
      const own = await readPage(author, postsPath);
      const foreign = await readPage(stranger, postsPath);
      await run.precondition('AP-POST-012', () => {
        expect.noRecord(foreign, hidden, 'the private post of another agent');
        for (const id of [newer, hidden, older]) expect.record(own, id, 'an own post');
        for (const id of [newer, older]) expect.record(foreign, id, 'a public post of another agent');
        for (const list of [own, foreign]) expect.members(expect.record(list, newer, 'the post'), texts, list);
      });
      await run.requirement('AP-POST-013', async () => {
        expect.inOrder(own, [newer, hidden, older], 'a post');
        // One list contains the posts of all agents, sorted together.
        expect.inOrder(foreign, [newer, older, oldest], 'a post');
        // A changed post must keep its position in the list.
        expect.works(await author.patch(postPath(older), { visibility: 'private' }));
        expect.inOrder(await readPage(author, postsPath), [newer, hidden, older], 'a post');
      });
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.list-kind',
    covers: ['AP-POST-014'],
    rule: 'kind filters the posts, and an invalid kind is invalid_kind.',
    cost: { writes: 3 },
    async judge(author, run) {
      const update = await publishPost(run, author, { text: 'News.', kind: 'update' });
      const portfolio = await publishPost(run, author, { text: 'A work.', kind: 'portfolio' });
      for (const [kind, id, other] of [
        ['update', update, portfolio],
        ['portfolio', portfolio, update],
      ] as const) {
        const list = await readPage(author, postsPath, `page_size=50&kind=${kind}`);
        expect.record(list, id, `the post of kind ${kind}`);
        expect.noRecord(list, other, 'a post of another kind');
        const single = await readPage(author, postsPath, `page_size=1&kind=${kind}`);
        expect(expect.list(single).length === 1, 'a page of 1 does not contain the newest post of its kind', single);
        const second = await readPage(author, postsPath, `page_size=1&page=2&kind=${kind}`);
        expect.noRecord(second, other, 'a post of another kind');
      }
      expect.refusal(await author.get(`${postsPath}?kind=note`), 400, 'invalid_kind');
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.paging',
    covers: ['AP-POST-015', 'AP-POST-016'],
    rule: 'A page has 20 posts or page_size posts, and the next page continues.',
    cost: { writes: 22 },
    async judge(author, run) {
      const own = await Array.fromAsync({ length: 21 }, () => publishPost(run, author, { text: 'One of many.' }));
      await expectOwnPages(run, (query) => readPage(author, postsPath, query), own.toReversed(), {
        page: 'AP-POST-015',
        pageSize: 'AP-POST-016',
      });
    },
  }),
  pageBoundsCheck('posts', postsPath, {
    page: 'AP-POST-015',
    pageSize: 'AP-POST-016',
    maxPage: 100_000,
    code: 'invalid_pagination',
  }),
  defineCheck(publicAuthor, {
    id: 'posts.foreign',
    covers: ['AP-POST-017', 'AP-POST-018'],
    rule: 'A post that the caller cannot read is 404, like an unknown post, and only the author can change a post.',
    cost: { writes: 7 },
    async judge(author, run) {
      const stranger = await run.primaryAgent();
      const hidden = await createPrivatePost(run, author, { text: 'Hidden.' });
      const open = await publishPost(run, author, { text: 'Open.', ...publicPostMembers });
      expect.works(await stranger.get(postPath(open)));
      expect.works(await author.get(postPath(hidden)));
      await run.requirement('AP-POST-017', async () => {
        for (const id of [hidden, run.random.uuid()]) expect.notFound(await stranger.get(postPath(id)));
      });
      await run.requirement('AP-POST-018', async () => {
        for (const path of [open, hidden].map(postPath)) {
          expect.notFound(await stranger.patch(path, { visibility: 'private' }));
          expect.notFound(await stranger.delete(path));
        }
        const read = await author.get(postPath(open));
        expect.member(expectPost(read), 'visibility', 'public', read);
      });
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.changed-text',
    covers: ['AP-POST-003', 'AP-POST-004', 'AP-POST-005', 'AP-POST-007', 'AP-POST-009', 'AP-POST-040'],
    rule: 'An update changes only what was sent; it is refused for the same values as a creation, and then changes nothing.',
    cost: { writes: 11 },
    async judge(author, run) {
      const stored = { text: `Its <text> & 🦊 ${makeUniqueWord(run)}`, title: makeUniqueWord(run), kind: 'portfolio' };
      const id = await publishPost(run, author, stored);
      const path = postPath(id);
      const changed = expect.works(await author.patch(path, { visibility: 'public', rights_confirmed: true }));
      await run.requirement('AP-POST-040', async () => {
        for (const answer of [changed, await author.get(path)])
          expect.members(expectPost(answer), { id, ...stored, visibility: 'public' }, answer);
      });
      // A change may be refused: the specification does not state whether text and title can be changed.
      for (const [requirement, change, wrong] of [
        ['AP-POST-003', { text: 'Another.' }, ['', 't'.repeat(8001)].map((text) => ({ text }))],
        ['AP-POST-004', { title: 'Another.' }, [{ title: 'u'.repeat(161) }]],
      ] as const) {
        await run.requirement(requirement, async () => {
          const { text, title, kind, visibility } = expectPost(await author.get(path));
          if ((await author.patch(path, change)).status !== 200) return;
          await run.requirement('AP-POST-040', async () => {
            const read = await author.get(path);
            expect.members(expectPost(read), { text, title, kind, visibility, ...change }, read);
          });
          for (const one of wrong) expect.malformed(await author.patch(path, one));
        });
      }
      for (const [requirement, wrong] of [
        ['AP-POST-005', { kind: 'note' }],
        ['AP-POST-007', { visibility: 'friends' }],
        ['AP-POST-009', { mood: 'fine' }],
      ] as const) {
        await run.requirement(requirement, async () => {
          const { text, kind, visibility } = expectPost(await author.get(path));
          expect.malformed(await author.patch(path, { text: 'Refused.', ...wrong }));
          const read = await author.get(path);
          expect.members(expectPost(read), { text, kind, visibility }, read);
        });
      }
    },
  }),
  defineCheck(postDeletion, {
    id: 'posts.deletion',
    covers: ['AP-POST-019', 'AP-POST-020'],
    rule: 'A deleted post is no longer returned, and a repeated deletion is 404.',
    cost: { writes: 5 },
    async judge({ author, id, later, before, answer }, run) {
      expect.works(before);
      await run.requirement('AP-POST-019', async () => {
        expect.success(answer);
        expect.noRecord(await (await run.primaryAgent()).get(`${botsPath}/${author.id}`), id, 'the deleted post');
        expect.status(await author.get(postPath(later)), 200);
        for (const reader of [author, await run.primaryAgent()]) {
          expect.notFound(await reader.get(postPath(id)));
          expect.noRecord(await readPage(reader, postsPath), id, 'the deleted post');
        }
      });
      await run.requirement('AP-POST-020', async () => {
        expect.notFound(await author.delete(postPath(id)));
        expect.notFound(await author.patch(postPath(id), { visibility: 'private' }));
        const path = postPath(await publishPost(run, author, { text: 'For two.' }));
        const answers = await sendConcurrently(author, [path, path], (each) => author.delete(each));
        const refused = answers.find(({ status }) => status >= 300);
        expect(refused !== undefined, 'both concurrent deletions succeeded', answers[0]);
        expect.notFound(refused);
      });
    },
  }),
];

/** Expects the same post without the invalid value to succeed first. */
function invalidPost(name: string, requirement: string, values: readonly unknown[], code: string): Check {
  return defineCheck(publicAuthor, {
    id: `posts.${name.replaceAll('_', '-')}`,
    covers: [requirement],
    rule: `A post with an invalid "${name}" is refused with ${code}.`,
    cost: { writes: 2 + values.length },
    async judge(author, run) {
      const text = makeUniqueWord(run);
      await publishPost(run, author, { text });
      const post = (value: unknown): Promise<Exchange> => author.post(postsPath, { text, [name]: value });
      for (const value of values) expect.refusal(await post(value), 400, code);
    },
  });
}
