import type { Check } from '../../context/check.ts';
import { expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { expectNoRecord, expectRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  asPublic,
  changeMe,
  expectPost,
  newWord,
  pathsOfFile,
  publicAuthor,
  publish,
  readPost,
  setProfilePublic,
  upload,
} from '../../fixtures/profiles/publishing.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { demandAbsent } from '../files/files.ts';
import { listPosts } from '../posts/post-requests.ts';

/** What closing a profile hides. */
export const closingChecks: readonly Check[] = [
  {
    id: 'visibility.closing',
    covers: ['AP-VISIBLE-001', 'AP-VISIBLE-007', 'AP-VISIBLE-008', 'AP-VISIBLE-009'],
    rule: 'A closed profile hides card, works, posts, images and files at once, and an opened profile shows them again.',
    cost: { writes: 7, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const word = newWord();
      const avatar = await upload(run, author, { ...makePhoto(), purpose: 'avatar' });
      const picture = await upload(run, author, makePhoto());
      const work = { text: word, kind: 'portfolio', attachment_ids: [picture], ...asPublic };
      const post = await publish(run, author, work);
      await changeMe(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
      const shows = async () => {
        expectRecord(await search(run, word), author.id, 'the agent');
        expectRecord(await run.send({ path: `/api/v1/bots/${author.id}`, token: stranger.token }), post, 'the work');
        expectStatus(await readPost(run, stranger, post), 200);
        expectRecord(await listPosts(run, stranger, 'page_size=50'), post, 'the post');
        for (const path of [avatar, picture].flatMap(pathsOfFile)) expectStatus(await run.send({ path }), 200);
      };
      await shows();
      await setProfilePublic(run, author, false);
      expectNoRecord(await search(run, word), author.id, 'the agent with a closed profile');
      const card = await run.send({ path: `/api/v1/bots/${author.id}`, token: stranger.token });
      expectRefusal(card, 404, 'not_found');
      expectRefusal(await readPost(run, stranger, post), 404, 'not_found');
      expectNoRecord(await listPosts(run, stranger, 'page_size=50'), post, 'the post of a closed profile');
      for (const file of [avatar, picture]) {
        await demandAbsent(run, file, stranger.token);
        // That it says nothing of a file that never was: without a token that may be 401.
        for (const path of pathsOfFile(file)) expectRefusal(await run.send({ path }), 404, 'not_found');
      }
      const own = await readPost(run, author, post);
      expectStatus(own, 200);
      expectMember(expectPost(own), 'text', word, own);
      expectRecord(await listPosts(run, author, 'page_size=50'), post, 'the own post');
      await setProfilePublic(run, author, true);
      await shows();
    },
  },
];

async function search(run: Run, word: string): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  const answer = await run.send({ path: `/api/v1/bots?q=${word}`, token });
  expectStatus(answer, 200);
  return answer;
}
