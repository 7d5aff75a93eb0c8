import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect, isSameId } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { listStrings } from '../../context/json.ts';
import { postsPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { makePng } from '../../payloads/png.ts';
import { uploadFile } from '../files/uploading.ts';
import {
  createPrivatePost,
  expectPost,
  postPath,
  publicAuthor,
  publicPostMembers,
  publishPost,
  setProfilePublic,
} from './publishing.ts';

// Both codes are correct: the specification states neither the status nor the code.
const rightsCodes = ['rights_required', 'publication_rights_required'];

export const postsUnderClosedProfile = defineFixture({ writes: 6 }, async (run) => {
  const author = await publicAuthor(run);
  const id = await createPrivatePost(run, author, { text: 'Private.' });
  await setProfilePublic(run, author, false);
  const created = await author.post(postsPath, { text: 'Public?', ...publicPostMembers });
  const changed = await author.patch(postPath(id), publicPostMembers);
  await setProfilePublic(run, author, true);
  return { author, id, answers: [created, changed] as const };
});

const publicWork = { text: 'A work.', kind: 'portfolio', visibility: 'public' } as const;

export const worksWithoutRights = defineFixture({ writes: 3 }, async (run) => {
  const author = await publicAuthor(run);
  const absent = await author.post(postsPath, publicWork);
  return [absent, await author.post(postsPath, { ...publicWork, rights_confirmed: false })] as const;
});

export const postWithoutFileRights = defineFixture({ writes: 3, uploads: 1 }, async (run) => {
  const author = await publicAuthor(run);
  const file = await uploadFile(run, author, makePhoto(run.random));
  const post = { text: 'With a file.', attachment_ids: [file], visibility: 'public' };
  return { post, answer: await author.post(postsPath, post) };
});

export const postVisibilityChecks: readonly Check[] = [
  defineCheck(publicAuthor, {
    id: 'posts.visibility-change',
    covers: ['AP-VISIBLE-002', 'AP-VISIBLE-005'],
    rule: 'The author can publish a post and make it private again.',
    cost: { writes: 4 },
    async judge(author, run) {
      const path = postPath(await createPrivatePost(run, author, { text: 'First private.' }));
      const stranger = await run.primaryAgent();
      await run.precondition('AP-POST-017', async () => expect.notFound(await stranger.get(path)));
      const change = async (visibility: string) => {
        const changed = expect.works(await author.patch(path, { visibility, rights_confirmed: true }));
        expect.member(expectPost(changed), 'visibility', visibility, changed);
      };
      await run.requirement('AP-VISIBLE-002', async () => {
        await change('public');
        expect.status(await stranger.get(path), 200);
      });
      await run.requirement('AP-VISIBLE-005', async () => {
        await change('private');
        expect.notFound(await stranger.get(path));
      });
    },
  }),
  defineCheck(postsUnderClosedProfile, {
    id: 'posts.closed-profile',
    covers: ['AP-VISIBLE-003', 'AP-POST-017'],
    rule: 'A post can be public only with a public profile, and making the profile public does not make it public.',
    cost: { writes: 2 },
    async judge({ author, id, answers }, run) {
      const reader = await run.primaryAgent();
      if (answers[1].status >= 400)
        await run.requirement('AP-POST-017', async () => expect.notFound(await reader.get(postPath(id))));
      await publishPost(run, author, { text: 'Public.', ...publicPostMembers });
      await run.requirement('AP-VISIBLE-003', async () => {
        for (const answer of answers) {
          expect.refused(answer);
          expect.code(answer);
        }
        expect.status(await author.patch(postPath(id), publicPostMembers), 200);
      });
    },
  }),
  {
    id: 'posts.portfolio-rights',
    covers: ['AP-POST-021'],
    rule: 'A public portfolio work requires confirmed rights, even if it was a public update before.',
    cost: { writes: 4 },
    fixtures: [worksWithoutRights],
    async judge(run) {
      const author = await publicAuthor(run);
      await publishPost(run, author, { ...publicWork, rights_confirmed: true });
      for (const answer of await worksWithoutRights(run)) expect.refused(answer, ...rightsCodes);
      const update = await publishPost(run, author, { text: 'News.', visibility: 'public' });
      const changed = await author.patch(postPath(update), { kind: 'portfolio' });
      // Any answer is correct unless the update becomes a public work, which requires confirmed rights.
      const isWork = changed.status === 200 && expectPost(changed)['kind'] === 'portfolio';
      expect(!isWork, 'a public update became a public work without confirmed rights', changed);
    },
  },
  defineCheck(postWithoutFileRights, {
    id: 'posts.file-rights',
    covers: ['AP-VISIBLE-004'],
    rule: 'The first publication of files requires confirmed rights.',
    cost: { writes: 7, uploads: 1 },
    async judge({ post, answer }, run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      expect.refused(answer, ...rightsCodes);
      await publishPost(run, author, { ...post, rights_confirmed: true });
      await publishPost(run, author, { text: 'Without a file.', visibility: 'public' });
      const file = await uploadFile(run, author, makePhoto(run.random));
      const path = postPath(await createPrivatePost(run, author, { text: 'With a file.', attachment_ids: [file] }));
      expect.refused(await author.patch(path, { visibility: 'public' }), ...rightsCodes);
      expect.status(await stranger.get(path), 404);
      expect.status(await author.patch(path, publicPostMembers), 200);
      expect.record(await stranger.get(path), file, 'the file of the post');
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.attachments',
    covers: ['AP-POST-022', 'AP-FILE-030'],
    rule: "A post accepts the agent's own portfolio files; a file of another agent or purpose and an unknown id are invalid_attachment.",
    cost: { writes: 7, uploads: 2 },
    async judge(author, run) {
      const own = await uploadFile(run, author, makePhoto(run.random));
      const forOrder = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'order' });
      const postWith = (id: string) => ({ text: 'Whose?', attachment_ids: [id] });
      const foreign = await (await run.primaryAgent()).post(postsPath, postWith(own));
      const unknown = await author.post(postsPath, postWith(run.random.uuid()));
      const ofOrders = await author.post(postsPath, postWith(forOrder));
      const bound = await author.post(postsPath, postWith(own));
      await run.precondition('AP-POST-022', () => {
        for (const answer of [foreign, unknown]) expect.refusal(answer, 404, 'invalid_attachment');
        expectFile(expect.works(bound, 201), own);
      });
      await run.requirement('AP-FILE-030', () => expect.refused(ofOrders, 'invalid_attachment'));
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.bound-file',
    covers: ['AP-FILE-031'],
    rule: 'A file belongs to a single post permanently: in another post it is attachment_already_bound.',
    cost: { writes: 4, uploads: 1 },
    async judge(author, run) {
      const file = await uploadFile(run, author, makePhoto(run.random));
      const post = { text: 'With a file.', attachment_ids: [file] };
      const bound = expect.works(await author.post(postsPath, post), 201);
      await run.precondition('AP-POST-022', () => expectFile(bound, file));
      expect.refusal(await author.post(postsPath, post), 409, 'attachment_already_bound');
    },
  }),
  defineCheck(publicAuthor, {
    id: 'posts.ten-files',
    covers: ['AP-POST-023'],
    rule: 'A post has at most ten files.',
    cost: { writes: 14, uploads: 11 },
    async judge(author, run) {
      const files = await Array.fromAsync({ length: 11 }, () => uploadFile(run, author, { bytes: makePng() }));
      const eleven = await author.post(postsPath, { text: 'Eleven.', attachment_ids: files });
      const ten = await author.post(postsPath, { text: 'Ten.', attachment_ids: files.slice(0, 10) });
      expect.status(ten, 201);
      await run.precondition('AP-POST-022', () => expectFile(ten, String(files[0])));
      for (const id of files.slice(0, 10)) expectFile(ten, id);
      expect.code(expect.status(eleven, 400));
    },
  }),
];

/** Expects the id at any place, because no member of a post's answer is specified for its files. */
function expectFile(answer: Exchange, id: string): void {
  const isThere = listStrings(answer.json).some(({ text }) => isSameId(text, id));
  expect(isThere, `the file of the post (${id}) is missing`, answer);
}
