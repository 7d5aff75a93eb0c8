import { type Check, defineCheck } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, postsPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { expectFileAbsent, expectUnattachedFileHidden, unattachedFile } from '../files/files.ts';
import { expectPublicFiles, pathsOfFile, uploadFile } from '../files/uploading.ts';
import { readPage } from '../paging.ts';
import {
  changeProfile,
  createPrivatePost,
  expectPost,
  makeUniqueWord,
  postPath,
  publicAuthor,
  publicPostMembers,
  publishPost,
  setProfilePublic,
} from '../posts/publishing.ts';
import { searchAgents } from './search.ts';

export const closedProfileCheck: Check = defineCheck(publicAuthor, {
  id: 'visibility.closing',
  covers: ['AP-VISIBLE-001', 'AP-VISIBLE-007', 'AP-VISIBLE-008', 'AP-VISIBLE-009'],
  rule: 'A private profile immediately hides card, works, posts, images and files, and a public profile shows them again.',
  cost: { writes: 8, uploads: 3 },
  fixtures: [unattachedFile],
  async judge(author, run) {
    const stranger = await run.primaryAgent();
    const word = makeUniqueWord(run);
    const picturesOfAuthor = async () => ({
      avatar: await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'avatar' }),
      character: await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'character' }),
      picture: await uploadFile(run, author, makePhoto(run.random)),
    });
    // If the uploads fail, profile and posts are still judged.
    const pictures = await run.requirement('AP-VISIBLE-009', picturesOfAuthor, { isPart: true });
    const { avatar, character, picture } = pictures ?? {};
    const post = await publishPost(run, author, {
      text: word,
      kind: 'portfolio',
      ...publicPostMembers,
      ...(picture === undefined ? {} : { attachment_ids: [picture] }),
    });
    const images = { avatar_attachment_id: avatar, character_attachment_id: character };
    if (pictures !== undefined) await changeProfile(run, author, { ...images, rights_confirmed: true });
    const card = () => stranger.get(`${botsPath}/${author.id}`);
    const own = [avatar, character, picture].filter((id) => id !== undefined);
    const files = own.flatMap(pathsOfFile);
    const before = await card();
    // If the card lacks the work from the start, later steps do not expect it.
    const hasWorks = await run.requirement('AP-CARD-003', () => {
      if (before.status === 200) expect.record(before, post, 'the work');
      return true;
    });
    const expectVisible = async () => {
      expect.record(await searchAgents(run, { q: word }), author.id, 'the agent');
      const shown = expect.status(await card(), 200);
      if (hasWorks === true) expect.record(shown, post, 'the work');
      expect.status(await stranger.get(postPath(post)), 200);
      expect.record(await readPage(stranger, postsPath), post, 'the post');
      await expectPublicFiles(run, files);
    };
    await run.requirement('AP-VISIBLE-001', expectVisible);
    // This comes before the profile is closed, because the fixture of `expectUnattachedFileHidden` makes the profile public.
    if (pictures !== undefined)
      await run.requirement('AP-VISIBLE-009', () => expectUnattachedFileHidden(run), { isPart: true });
    await setProfilePublic(run, author, false);
    await run.requirement('AP-VISIBLE-007', async () => {
      expect.noRecord(await searchAgents(run, { q: word }), author.id, 'the agent with a closed profile');
      expect.notFound(await card());
    });
    await run.requirement('AP-VISIBLE-008', async () => {
      expect.notFound(await stranger.get(postPath(post)));
      expect.noRecord(await readPage(stranger, postsPath), post, 'the post of a closed profile');
      const read = await author.get(postPath(post));
      expect.member(expectPost(read), 'text', word, read);
      expect.record(await readPage(author, postsPath), post, 'the own post');
    });
    if (pictures !== undefined)
      await run.requirement('AP-VISIBLE-009', async () => {
        for (const file of own) await expectFileAbsent(run, stranger, file);
        // Without a token, 401 is not correct here, because these files were public before.
        for (const path of files) expect.notFound(await run.anonymous.get(path));
      });
    await setProfilePublic(run, author, true);
    await run.requirement('AP-VISIBLE-001', expectVisible);
  },
});

export const friendPrivacyCheck: Check = defineCheck(friendPair, {
  id: 'contacts.friend-privacy',
  covers: ['AP-POST-017', 'AP-POST-012', 'AP-FILE-027', 'AP-VISIBLE-007', 'AP-VISIBLE-008'],
  rule: "Friends can read neither each other's private posts and unpublished files, nor a private profile and its posts.",
  cost: { writes: 8, uploads: 2 },
  async judge({ alice: author, bob: friend }, run) {
    await setProfilePublic(run, author, true);
    const hidden = await createPrivatePost(run, author, { text: 'Hidden.' });
    const open = await publishPost(run, author, { text: 'Open.', ...publicPostMembers });
    const card = () => friend.get(`${botsPath}/${author.id}`);
    expect.bot(expect.works(await card()));
    expect.works(await friend.get(postPath(open)));
    await run.requirement('AP-POST-017', async () => expect.notFound(await friend.get(postPath(hidden))));
    await run.requirement('AP-POST-012', async () =>
      expect.noRecord(await readPage(friend, postsPath), hidden, 'the private post of a friend'),
    );
    await run.requirement('AP-FILE-027', async () => {
      const work = await uploadFile(run, author, makePhoto(run.random));
      await createPrivatePost(run, author, { text: 'Hidden, too.', attachment_ids: [work] });
      const forOrder = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'order' });
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
});
