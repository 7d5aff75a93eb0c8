import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectCode, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { postsPath } from '../../context/paths.ts';
import { expectRecord } from '../../context/records.ts';
import {
  asPublic,
  expectPost,
  publicAuthor,
  publish,
  readPost,
  requestPost,
  setProfilePublic,
  upload,
} from '../../fixtures/profiles/publishing.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { makePng } from '../../payloads/png.ts';

/** What makes a post public, and which files it may hold. */
export const postVisibilityChecks: readonly Check[] = [
  {
    id: 'posts.visibility-change',
    covers: ['AP-POST-018', 'AP-VISIBLE-002'],
    rule: 'The author can publish a post and make it private again.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const id = await publish(run, author, { text: 'First private.' });
      expectRefusal(await readPost(run, stranger, id), 404, 'not_found');
      for (const visibility of ['public', 'private']) {
        const json = { visibility, rights_confirmed: true };
        const changed = await run.send({
          method: 'PATCH',
          path: `${postsPath}/${id}`,
          token: author.token,
          json,
        });
        expectStatus(changed, 200);
        expectMember(expectPost(changed), 'visibility', visibility, changed);
        expectStatus(await readPost(run, stranger, id), visibility === 'public' ? 200 : 404);
      }
    },
  },
  {
    id: 'posts.closed-profile',
    covers: ['AP-VISIBLE-003'],
    rule: 'A post becomes public only with a public profile.',
    cost: { writes: 8 },
    async judge(run) {
      const author = await publicAuthor(run);
      const id = await publish(run, author, { text: 'Private.' });
      const change = { method: 'PATCH', path: `${postsPath}/${id}`, token: author.token, json: asPublic } as const;
      await setProfilePublic(run, author, false);
      const refused = [await requestPost(run, author, { text: 'Public?', ...asPublic }), await run.send(change)];
      await setProfilePublic(run, author, true);
      expectStatus(await requestPost(run, author, { text: 'Public.', ...asPublic }), 201);
      for (const exchange of refused) {
        demandSomeRefusal(exchange);
        run.remember('post under a closed profile', exchange);
      }
      expectStatus(await run.send(change), 200);
    },
  },
  {
    id: 'posts.portfolio-rights',
    covers: ['AP-POST-021'],
    rule: 'A public portfolio work requires confirmed rights.',
    cost: { writes: 4 },
    async judge(run) {
      const author = await publicAuthor(run);
      const work = { text: 'A work.', kind: 'portfolio', visibility: 'public' };
      expectStatus(await requestPost(run, author, { ...work, rights_confirmed: true }), 201);
      for (const rights of [{}, { rights_confirmed: false }]) {
        const refused = await requestPost(run, author, { ...work, ...rights });
        run.remember('no rights to a work', refused);
        demandNoRights(refused);
      }
    },
  },
  {
    id: 'posts.file-rights',
    covers: ['AP-VISIBLE-004'],
    rule: 'The first publication of files requires confirmed rights.',
    cost: { writes: 8, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const [one, other] = [await upload(run, author, makePhoto()), await upload(run, author, makePhoto())];
      const post = { text: 'With a file.', attachment_ids: [one], visibility: 'public' };
      const refused = await requestPost(run, author, post);
      run.remember('no rights to a file', refused);
      demandNoRights(refused);
      expectStatus(await requestPost(run, author, { ...post, rights_confirmed: true }), 201);
      const id = await publish(run, author, { text: 'With a file.', attachment_ids: [other] });
      const path = `${postsPath}/${id}`;
      const change = { method: 'PATCH', path, token: author.token } as const;
      demandNoRights(await run.send({ ...change, json: { visibility: 'public' } }));
      expectStatus(await readPost(run, stranger, id), 404);
      expectStatus(await run.send({ ...change, json: asPublic }), 200);
      expectRecord(await readPost(run, stranger, id), other, 'the file of the post');
    },
  },
  {
    id: 'posts.attachments',
    covers: ['AP-POST-022', 'AP-FILE-030'],
    rule: 'A post accepts own portfolio files; a file of another agent or purpose and an unknown id are invalid_attachment.',
    cost: { writes: 7, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const [own, forOrder] = [
        await upload(run, author, makePhoto()),
        await upload(run, author, { ...makePhoto(), purpose: 'order' }),
      ];
      const foreign = { text: 'Whose?', attachment_ids: [own] };
      expectRefusal(await requestPost(run, stranger, foreign), 404, 'invalid_attachment');
      const absent = { text: 'Which?', attachment_ids: [randomUUID()] };
      expectRefusal(await requestPost(run, author, absent), 404, 'invalid_attachment');
      const otherPurpose = await requestPost(run, author, { text: 'What for?', attachment_ids: [forOrder] });
      expect(codeOf(otherPurpose) === 'invalid_attachment', 'a file for orders is not refused', otherPurpose);
      const created = await requestPost(run, author, { text: 'Mine.', attachment_ids: [own] });
      expectStatus(created, 201);
      expectRecord(created, own, 'the file of the post');
    },
  },
  {
    id: 'posts.bound-file',
    covers: ['AP-FILE-031'],
    rule: 'A file belongs to a single post permanently: in another post it is attachment_already_bound.',
    cost: { writes: 4, uploads: 1 },
    async judge(run) {
      const author = await publicAuthor(run);
      const file = await upload(run, author, makePhoto());
      const post = { text: 'With a file.', attachment_ids: [file] };
      const first = await requestPost(run, author, post);
      expectStatus(first, 201);
      expectRecord(first, file, 'the file of the post');
      expectRefusal(await requestPost(run, author, post), 409, 'attachment_already_bound');
    },
  },
  {
    id: 'posts.ten-files',
    covers: ['AP-POST-023'],
    rule: 'A post has at most ten files.',
    cost: { writes: 14, uploads: 11 },
    async judge(run) {
      const author = await publicAuthor(run);
      const files: string[] = [];
      for (let count = 0; count < 11; count += 1) files.push(await upload(run, author, { bytes: makePng() }));
      const eleven = await requestPost(run, author, { text: 'Eleven.', attachment_ids: files });
      const ten = await requestPost(run, author, { text: 'Ten.', attachment_ids: files.slice(0, 10) });
      expectStatus(ten, 201);
      for (const id of files.slice(0, 10)) expectRecord(ten, id, 'a file of the post');
      expectStatus(eleven, 400);
      expectCode(eleven);
    },
  },
];

/** Demands a refusal; neither its status nor its code is stated. */
function demandSomeRefusal(exchange: Exchange): void {
  expect(exchange.status >= 400 && exchange.status < 500, `it was answered ${exchange.status}`, exchange);
  expectCode(exchange);
}

// Which of the two codes is meant where is not stated, nor is their status.
function demandNoRights(exchange: Exchange): void {
  demandSomeRefusal(exchange);
  const code = codeOf(exchange) ?? '';
  expect(/^(publication_)?rights_required$/.test(code), `the code is "${code}"`, exchange);
}
