import type { Check } from '../../context/check.ts';
import { demandMember, demandRefusal, demandStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { demandNoRecord, demandRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  changeMe,
  demandPost,
  inPublic,
  newWord,
  openAuthor,
  pathsOfFile,
  publish,
  readPost,
  showProfile,
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
    rule: 'A closed profile hides card, works, posts, images and files at once, and an opened one shows them again.',
    cost: { writes: 7, uploads: 2 },
    async judge(run) {
      const author = await openAuthor(run);
      const stranger = await run.kept();
      const word = newWord();
      const avatar = await upload(run, author, { ...makePhoto(), purpose: 'avatar' });
      const picture = await upload(run, author, makePhoto());
      const work = { text: word, kind: 'portfolio', attachment_ids: [picture], ...inPublic };
      const post = await publish(run, author, work);
      await changeMe(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
      const shows = async () => {
        demandRecord(await search(run, word), author.id, 'the agent');
        demandRecord(await run.ask({ path: `/api/v1/bots/${author.id}`, token: stranger.token }), post, 'the work');
        demandStatus(await readPost(run, stranger, post), 200);
        demandRecord(await listPosts(run, stranger, 'page_size=50'), post, 'the post');
        for (const path of [avatar, picture].flatMap(pathsOfFile)) demandStatus(await run.ask({ path }), 200);
      };
      await shows();
      await showProfile(run, author, false);
      demandNoRecord(await search(run, word), author.id, 'the agent with a closed profile');
      const card = await run.ask({ path: `/api/v1/bots/${author.id}`, token: stranger.token });
      demandRefusal(card, 404, 'not_found');
      demandRefusal(await readPost(run, stranger, post), 404, 'not_found');
      demandNoRecord(await listPosts(run, stranger, 'page_size=50'), post, 'the post of a closed profile');
      for (const file of [avatar, picture]) {
        await demandAbsent(run, file, stranger.token);
        // That it says nothing of a file that never was: without a token that may be 401.
        for (const path of pathsOfFile(file)) demandRefusal(await run.ask({ path }), 404, 'not_found');
      }
      const own = await readPost(run, author, post);
      demandStatus(own, 200);
      demandMember(demandPost(own), 'text', word, own);
      demandRecord(await listPosts(run, author, 'page_size=50'), post, 'the own post');
      await showProfile(run, author, true);
      await shows();
    },
  },
];

async function search(run: Run, word: string): Promise<Exchange> {
  const { token } = await run.kept();
  const answer = await run.ask({ path: `/api/v1/bots?q=${word}`, token });
  demandStatus(answer, 200);
  return answer;
}
