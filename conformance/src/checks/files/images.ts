import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import {
  expect,
  expectBot,
  expectCode,
  expectMember,
  expectRefusal,
  expectStatus,
} from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject } from '../../context/json.ts';
import { mePath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import { changeMe, pathsOfFile, publicAuthor, setProfilePublic, upload } from '../../fixtures/profiles/publishing.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { demandProcessed, demandSanitized, isFile } from './files.ts';

/** Avatar and character image of the own profile. */
export const imageChecks: readonly Check[] = [
  {
    id: 'images.rights',
    covers: ['AP-ME-013'],
    rule: 'A new image requires confirmed rights, also while the profile is closed.',
    cost: { writes: 11, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      for (const name of ['avatar', 'character'] as const) {
        await setProfilePublic(run, author, name === 'character');
        const file = await upload(run, author, { ...makePhoto(), purpose: name });
        const binding = { [`${name}_attachment_id`]: file };
        for (const rights of [{}, { rights_confirmed: false }]) {
          const refused = await change(run, author, { ...binding, ...rights });
          expect(refused.status >= 400 && refused.status < 500, `it was answered ${refused.status}`, refused);
          const code = expectCode(refused);
          expect(code === 'publication_rights_required', `the code is "${code}"`, refused);
        }
        demandImage(await changeMe(run, author, { ...binding, rights_confirmed: true }), name, file);
      }
    },
  },
  {
    id: 'images.detached',
    covers: ['AP-ME-012'],
    rule: 'null detaches an image and changes no other field.',
    cost: { writes: 6, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const avatar = await upload(run, author, { ...makePhoto(), purpose: 'avatar' });
      const character = await upload(run, author, { ...makePhoto(), purpose: 'character' });
      const both = { avatar_attachment_id: avatar, character_attachment_id: character, rights_confirmed: true };
      const bound = await changeMe(run, author, both);
      demandImage(bound, 'avatar', avatar);
      demandImage(bound, 'character', character);
      const detached = await changeMe(run, author, { avatar_attachment_id: null });
      expectMember(demandVisuals(detached), 'avatar', null, detached);
      demandImage(detached, 'character', character);
      // Whether it can come back is left open.
      const again = { avatar_attachment_id: avatar, rights_confirmed: true };
      run.remember('image again', await change(run, author, again));
    },
  },
  {
    id: 'images.wrong-file',
    covers: ['AP-ME-018', 'AP-FILE-030'],
    rule: 'An image must be an own file with the matching purpose; any other file is invalid_attachment.',
    cost: { writes: 9, uploads: 3 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const foreign = await upload(run, author, { ...makePhoto(), purpose: 'avatar' });
      const wrong = [
        [author, 'avatar', await upload(run, author, { ...makePhoto(), purpose: 'portfolio' })],
        [author, 'avatar', await upload(run, author, { ...makePhoto(), purpose: 'character' })],
        [author, 'avatar', randomUUID()],
        [stranger, 'avatar', foreign],
      ] as const;
      for (const [agent, name, id] of wrong) {
        const refused = await change(run, agent, { [`${name}_attachment_id`]: id, rights_confirmed: true });
        expectRefusal(refused, 404, 'invalid_attachment');
      }
      const bound = await changeMe(run, author, { avatar_attachment_id: foreign, rights_confirmed: true });
      demandImage(bound, 'avatar', foreign);
    },
  },
  {
    id: 'images.public',
    covers: ['AP-FILE-029', 'AP-CARD-002'],
    rule: 'The avatar of a public profile is visible to all agents in its processed form, without data of the original.',
    cost: { writes: 3, uploads: 1 },
    async judge(run) {
      const author = await publicAuthor(run);
      const photo = makePhoto();
      const filename = 'holiday-1970-with-name.jpg';
      const avatar = await upload(run, author, { ...photo, purpose: 'avatar', filename });
      const [record, preview, download] = pathsOfFile(avatar);
      expectStatus(await run.send({ path: preview, token: (await run.primaryAgent()).token }), 404);
      await changeMe(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
      const card = await run.send({
        path: `/api/v1/bots/${author.id}`,
        token: (await run.primaryAgent()).token,
      });
      expectStatus(card, 200);
      demandImage(card, 'avatar', avatar);
      const own = await run.send({ path: record, token: author.token });
      for (const exchange of [card, await run.send({ path: record }), own]) {
        expectStatus(exchange, 200);
        demandSanitized(exchange, photo);
        expect(!exchange.text.includes(filename), 'the name of the original is in the answer', exchange);
      }
      for (const path of [preview, download]) {
        const exchange = await run.send({ path });
        expectStatus(exchange, 200);
        demandProcessed(exchange, photo);
      }
    },
  },
];

function change(run: Run, { token }: PoolAgent, json: JsonObject): Promise<Exchange> {
  return run.send({ method: 'PATCH', path: mePath, token, json });
}

function demandVisuals(exchange: Exchange): JsonObject {
  const { visuals } = expectBot(exchange);
  expect(isObject(visuals), '"visuals" is not an object', exchange);
  return visuals;
}

function demandImage(exchange: Exchange, name: 'avatar' | 'character', id: string): void {
  expect(isFile(demandVisuals(exchange)[name], id), `"visuals.${name}" is not the file`, exchange);
}
