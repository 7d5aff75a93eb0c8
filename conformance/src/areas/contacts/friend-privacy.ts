import { type Check, given } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, postsPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { expectFileAbsent } from '../files/files.ts';
import { upload } from '../files/uploading.ts';
import { readPage } from '../paging.ts';
import { asPublic, postPath, publish, publishPrivately } from '../posts/publishing.ts';
import { setProfilePublic } from '../profiles/profile-changes.ts';
import { friendPair } from './agent-pairs.ts';

/** What a friendship does not open. */
export const friendPrivacyChecks: readonly Check[] = [
  given(friendPair, {
    id: 'contacts.friend-privacy',
    covers: ['AP-POST-017', 'AP-POST-012', 'AP-FILE-027', 'AP-VISIBLE-007', 'AP-VISIBLE-008'],
    rule: 'Friends read neither private posts and unpublished files of each other nor the profile and the posts behind a closed one.',
    cost: { writes: 8, uploads: 2 },
    async judge({ alice: author, bob: friend }, run) {
      await setProfilePublic(run, author, true);
      const hidden = await publishPrivately(run, author, { text: 'Hidden.' });
      const open = await publish(run, author, { text: 'Open.', ...asPublic });
      const card = () => friend.get(`${botsPath}/${author.id}`);
      expect.bot(expect.works(await card()));
      expect.works(await friend.get(postPath(open)));
      await run.requirement('AP-POST-017', async () => expect.notFound(await friend.get(postPath(hidden))));
      await run.requirement('AP-POST-012', async () =>
        expect.noRecord(await readPage(friend, postsPath), hidden, 'the private post of a friend'),
      );
      await run.requirement('AP-FILE-027', async () => {
        const work = await upload(run, author, makePhoto(run.random));
        await publishPrivately(run, author, { text: 'Hidden, too.', attachment_ids: [work] });
        const forOrder = await upload(run, author, { ...makePhoto(run.random), purpose: 'order' });
        for (const file of [work, forOrder]) await expectFileAbsent(run, friend, file);
      });
      await setProfilePublic(run, author, false);
      const [closed, post, list] = [await card(), await friend.get(postPath(open)), await readPage(friend, postsPath)];
      await setProfilePublic(run, author, true);
      await run.requirement('AP-VISIBLE-007', () => expect.notFound(closed));
      await run.requirement('AP-VISIBLE-008', () => {
        expect.notFound(post);
        expect.noRecord(list, open, 'the post of a friend with a closed profile');
      });
    },
  }),
];
