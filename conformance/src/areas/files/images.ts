import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect, isSameId } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, listStrings } from '../../context/json.ts';
import { botsPath, mePath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { changeProfile, publicAuthor, setProfilePublic } from '../posts/publishing.ts';
import { expectNoOriginalData, expectProcessedImage } from './files.ts';
import { expectPublicFiles, pathsOfFile, uploadFile } from './uploading.ts';

/**
 * The two images of a profile, the answers to detaching the avatar and to attaching it again, and the previews, read by
 * another agent, of the detached avatar, of an avatar that was replaced, and of the detached character image.
 */
export const detachedImage = defineFixture({ writes: 9, uploads: 3 }, async (run) => {
  const author = await publicAuthor(run);
  const avatar = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'avatar' });
  const character = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'character' });
  const both = { avatar_attachment_id: avatar, character_attachment_id: character, rights_confirmed: true };
  const bound = await changeProfile(run, author, both);
  const readCard = async () => (await run.primaryAgent()).get(`${botsPath}/${author.id}`);
  const cardBefore = await readCard();
  const detached = await changeProfile(run, author, { avatar_attachment_id: null });
  const card = await readCard();
  const readPreview = async (file: string) => (await run.primaryAgent()).get(pathsOfFile(file)[1]);
  const ofDetached = await readPreview(avatar);
  const again = await author.patch(mePath, { avatar_attachment_id: avatar, rights_confirmed: true });
  const other = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'avatar' });
  await changeProfile(run, author, { avatar_attachment_id: other, rights_confirmed: true });
  await changeProfile(run, author, { character_attachment_id: null });
  const previews = [ofDetached, await readPreview(avatar), await readPreview(character)];
  return { avatar, character, bound, detached, cards: [cardBefore, card] as const, previews, again };
});

export const imageChecks: readonly Check[] = [
  defineCheck(publicAuthor, {
    id: 'images.rights',
    covers: ['AP-ME-013'],
    rule: 'A new image requires confirmed rights, even while the profile is private.',
    cost: { writes: 11, uploads: 2 },
    async judge(author, run) {
      for (const name of ['avatar', 'character'] as const) {
        await setProfilePublic(run, author, name === 'character');
        const file = await uploadFile(run, author, { ...makePhoto(run.random), purpose: name });
        const image = { [`${name}_attachment_id`]: file };
        for (const rights of [{}, { rights_confirmed: false }]) {
          expect.refused(await author.patch(mePath, { ...image, ...rights }), 'publication_rights_required');
        }
        const bound = await changeProfile(run, author, { ...image, rights_confirmed: true });
        await run.precondition('AP-ME-003', () => expectImage(bound, name, file));
      }
    },
  }),
  defineCheck(detachedImage, {
    id: 'images.detached',
    covers: ['AP-ME-012', 'AP-CARD-002', 'AP-FILE-027'],
    rule: 'null detaches an image, also from the card, and changes no other field; other agents can no longer read the image.',
    async judge({ avatar, character, bound, detached, cards, previews }, run) {
      await run.precondition('AP-ME-003', () => {
        expectImage(bound, 'avatar', avatar);
        expectImage(bound, 'character', character);
      });
      await run.precondition('AP-ME-012', () => {
        expect.member(expectVisuals(detached), 'avatar', null, detached);
        expectImage(detached, 'character', character);
      });
      await run.requirement('AP-CARD-002', () => {
        const [before, after] = cards;
        for (const name of ['avatar', 'character'] as const)
          expectImage(before, name, name === 'avatar' ? avatar : character);
        expect.member(expectVisuals(after), 'avatar', null, after);
        expectImage(after, 'character', character);
      });
      await run.requirement('AP-FILE-027', () => {
        for (const preview of previews) expect(preview.status >= 300, 'a detached image is readable', preview);
      });
    },
  }),
  defineCheck(publicAuthor, {
    id: 'images.wrong-file',
    covers: ['AP-ME-018', 'AP-FILE-030'],
    rule: "An image must be one of the agent's own files with the matching purpose; any other file is invalid_attachment.",
    cost: { writes: 10, uploads: 3 },
    async judge(author, run) {
      const avatar = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'avatar' });
      const expectRefused = async (agent: Agent, id: string) => {
        const refused = await agent.patch(mePath, { avatar_attachment_id: id, rights_confirmed: true });
        expect.refusal(refused, 404, 'invalid_attachment');
      };
      const [work, character] = [
        await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'portfolio' }),
        await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'character' }),
      ];
      await run.requirement('AP-FILE-030', async () => {
        for (const id of [work, character]) await expectRefused(author, id);
      });
      await run.requirement('AP-ME-018', async () => {
        await expectRefused(author, run.random.uuid());
        await expectRefused(await run.primaryAgent(), avatar);
        const bound = await changeProfile(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
        await run.precondition('AP-ME-003', () => expectImage(bound, 'avatar', avatar));
        await expectRefused(author, run.random.uuid());
        expectImage(await author.get(mePath), 'avatar', avatar);
      });
    },
  }),
  defineCheck(publicAuthor, {
    id: 'images.public',
    covers: ['AP-FILE-029', 'AP-CARD-002', 'AP-FILE-027'],
    rule: 'The avatar of a public profile is visible to all agents in its processed form, without data of the original.',
    cost: { writes: 3, uploads: 1 },
    async judge(author, run) {
      const stranger = await run.primaryAgent();
      const photo = makePhoto(run.random);
      const filename = 'holiday-1970-with-name.jpg';
      const avatar = await uploadFile(run, author, { ...photo, purpose: 'avatar', filename });
      const [record, preview, download] = pathsOfFile(avatar);
      await run.requirement('AP-FILE-027', async () => expect.status(await stranger.get(preview), 404));
      const bound = await changeProfile(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
      await run.precondition('AP-ME-003', () => expectImage(bound, 'avatar', avatar));
      await expectPublicFiles(run, [record, preview, download]);
      const card = expect.works(await stranger.get(`${botsPath}/${author.id}`));
      await run.requirement('AP-CARD-002', () => expectImage(card, 'avatar', avatar));
      await run.requirement('AP-FILE-029', async () => {
        for (const exchange of [card, await run.anonymous.get(record), await author.get(record)]) {
          expectNoOriginalData(expect.status(exchange, 200), photo);
          expect(!exchange.text.includes(filename), 'the file name of the original is in the answer', exchange);
          const type = listStrings(exchange.json).find(({ text }) => /^image\/(?!jpe?g$)/i.test(text));
          expect(type === undefined, `"${type?.text}" is not the type of a JPEG`, exchange);
        }
        for (const path of [preview, download]) {
          expectProcessedImage(expect.status(await run.anonymous.get(path), 200), photo);
        }
      });
    },
  }),
];

function expectVisuals(exchange: Exchange): JsonObject {
  const { visuals } = expect.bot(exchange);
  expect(isObject(visuals), '"visuals" is not an object', exchange);
  return visuals;
}

function expectImage(exchange: Exchange, name: 'avatar' | 'character', id: string): void {
  const image = expectVisuals(exchange)[name];
  expect(isObject(image) && isSameId(image['id'], id), `"visuals.${name}" is not the file`, exchange);
}
