import { createHash } from 'node:crypto';
import type { Agent, ApiClient } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, freshAgent, type Run } from '../../context/check.ts';
import { errorCodeOf, expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { postsPath } from '../../context/paths.ts';
import { isJpeg, makePhoto, type Photo } from '../../payloads/jpeg.ts';
import { makePng } from '../../payloads/png.ts';
import { makePdf } from '../../payloads/refused-files.ts';
import { makeInvalidTokenClient } from '../access-check.ts';
import { createPrivatePost, postPath, publicAuthor } from '../posts/publishing.ts';
import {
  expectAttachment,
  expectPublicFiles,
  pathsOfFile,
  publishPhoto,
  requestUpload,
  uploadFile,
} from './uploading.ts';

export const ownDownloads = defineFixture({ writes: 2, uploads: 2 }, async (run) => {
  const author = await run.freshAgent();
  return await Array.fromAsync([makePhoto(run.random).bytes, makePdf()], async (bytes) => {
    const [record, , path] = pathsOfFile(await uploadFile(run, author, { bytes }));
    const [download, again] = [await author.get(path), await author.get(path)];
    return { bytes, record: await author.get(record), download, again };
  });
});

export const publicPhoto = defineFixture({ writes: 3, uploads: 1 }, async (run) => {
  const author = await publicAuthor(run);
  const published = await publishPhoto(run, author);
  return { ...published, record: await (await run.primaryAgent()).get(published.paths[0]) };
});

export const unattachedFile = defineFixture({ writes: 2, uploads: 1 }, async (run) => {
  const author = await publicAuthor(run);
  return { author, file: await uploadFile(run, author, makePhoto(run.random)) };
});

export const attachedFile = defineFixture({ writes: 3, uploads: 1 }, async (run) => {
  const author = await publicAuthor(run);
  const file = await uploadFile(run, author, makePhoto(run.random));
  await createPrivatePost(run, author, { text: 'Private.', attachment_ids: [file] });
  return { author, file };
});

export const fileChecks: readonly Check[] = [
  defineCheck(freshAgent, {
    id: 'files.preview',
    covers: ['AP-FILE-020', 'AP-FILE-021'],
    rule: 'A preview is a processed JPEG for every file type, also for the owner.',
    cost: { writes: 3, uploads: 3 },
    async judge(author, run) {
      const photo = makePhoto(run.random);
      for (const bytes of [photo.bytes, makePng(), makePdf()]) {
        const [, path] = pathsOfFile(await uploadFile(run, author, { bytes }));
        const preview = await author.get(path);
        await run.requirement('AP-FILE-020', () => expectJpeg(author, preview));
        await run.requirement('AP-FILE-021', () => expectProcessedImage(preview, photo));
      }
    },
  }),
  defineCheck(freshAgent, {
    id: 'files.original',
    covers: ['AP-FILE-022', 'AP-FILE-019'],
    rule: 'The owner can read the attachment record and download the original, byte for byte.',
    fixtures: [ownDownloads],
    async judge(author, run) {
      for (const { bytes, record, download, again } of await ownDownloads(run)) {
        await run.requirement('AP-FILE-022', async () => {
          for (const one of [download, again]) {
            expect.status(one, 200);
            expect(one.bytes.equals(bytes), 'the download is not the original', one);
          }
          await expectSameHead(author, download);
        });
        await run.requirement('AP-FILE-019', () => expectSameHead(author, record));
      }
    },
  }),
  defineCheck(freshAgent, {
    id: 'files.addresses',
    covers: ['AP-FILE-002'],
    rule: 'preview_url and download_url of a record lead to the preview and the download.',
    cost: { writes: 1, uploads: 1 },
    async judge(author, run) {
      const { bytes } = makePhoto(run.random);
      const answer = expect.works(await requestUpload(run, author, { bytes }), 201);
      const { preview_url, download_url } = expectAttachment(answer, 201) as Readonly<Record<string, unknown>>;
      const areTexts = [preview_url, download_url].every((address) => typeof address === 'string' && address !== '');
      expect(areTexts, 'preview_url or download_url is not a URL', answer);
      const [preview, download] = [run.pathOf(preview_url), run.pathOf(download_url)];
      // The URLs may name another host, but then they are not requested: that host must not receive the token.
      if (preview === undefined || download === undefined) return;
      await expectJpeg(author, expect.status(await author.get(preview), 200));
      const original = expect.status(await author.get(download), 200);
      expect(original.bytes.equals(bytes), 'the download is not the original', original);
    },
  }),
  defineCheck(publicPhoto, {
    id: 'files.public',
    covers: ['AP-FILE-023', 'AP-FILE-024', 'AP-FILE-026'],
    rule: 'The files of a public post are readable by other agents and without a token, only in the processed version.',
    async judge({ photo, paths }, run) {
      const stranger = await run.primaryAgent();
      const [record, ...versions] = paths;
      await expectPublicFiles(run, paths);
      for (const reader of [stranger, run.anonymous]) {
        await run.requirement('AP-FILE-026', async () => {
          const read = await reader.get(record);
          expect.member(expectAttachment(read), 'available', true, read);
          expectNoOriginalData(read, photo);
        });
        await run.requirement('AP-FILE-023', async () => {
          for (const path of versions) {
            const version = await reader.get(path);
            await expectJpeg(reader, version);
            expectProcessedImage(version, photo);
          }
        });
      }
    },
  }),
  defineCheck(publicAuthor, {
    id: 'files.wrong-bearer',
    covers: ['AP-FILE-025', 'AP-AUTH-004'],
    rule: 'An invalid token is 401 even where no token is required; there is no anonymous fallback.',
    cost: { writes: 3, uploads: 1 },
    async judge(author, run) {
      const { paths } = await publishPhoto(run, author);
      await expectPublicFiles(run, paths);
      const strangers = [await makeInvalidTokenClient(run, `${author.token}A`), await makeInvalidTokenClient(run, 'x')];
      for (const path of paths) {
        await run.requirement(['AP-FILE-025', 'AP-AUTH-004'], async () => {
          for (const reader of strangers) {
            expect.unauthorized(await reader.get(path));
            expect.status(await reader.head(path), 401);
          }
        });
      }
    },
  }),
  defineCheck(unattachedFile, {
    id: 'files.private',
    covers: ['AP-FILE-027', 'AP-FILE-028'],
    rule: 'For other agents an unpublished file is 404, like an unknown file.',
    fixtures: [attachedFile],
    async judge(loose, run) {
      for (const { author, file: id } of [loose, await attachedFile(run)]) {
        for (const path of pathsOfFile(id)) expect.works(await author.get(path));
        await expectUnreadable(run, id);
        await run.requirement('AP-FILE-028', async () => {
          await expectFileAbsent(run, await run.primaryAgent(), id);
          await expectFileHidden(run, id);
        });
      }
    },
  }),
  withdrawalCheck('deleted', 'AP-VISIBLE-006', 'The files of a deleted post are no longer public.', (author, path) =>
    author.delete(path),
  ),
  withdrawalCheck(
    'retracted',
    'AP-VISIBLE-005',
    'The files of a post that is private again are private.',
    (author, path) => author.patch(path, { visibility: 'private' }),
  ),
  {
    id: 'files.in-posts',
    covers: ['AP-FILE-026'],
    rule: 'The files of a post reveal nothing about the originals to other agents.',
    cost: { writes: 3, uploads: 1 },
    async judge(run) {
      const { photo, post, file } = await publishPhoto(run, await publicAuthor(run));
      for (const path of [postPath(post), `${postsPath}?page_size=50`]) {
        const answer = expect.works(await (await run.primaryAgent()).get(path));
        expect.record(answer, file, 'the file of the post');
        expectNoOriginalData(answer, photo);
      }
    },
  },
];

function withdrawalCheck(
  name: string,
  requirement: string,
  rule: string,
  withdraw: (author: Agent, path: string) => Promise<Exchange>,
): Check {
  return defineCheck(publicAuthor, {
    id: `files.${name}`,
    covers: [requirement],
    rule,
    cost: { writes: 4, uploads: 1 },
    fixtures: [unattachedFile],
    async judge(author, run) {
      await expectUnattachedFileHidden(run);
      const { post, file, paths } = await publishPhoto(run, author);
      await expectPublicFiles(run, paths);
      expect.success(await withdraw(author, postPath(post)));
      await expectFileHidden(run, file);
      await expectFileAbsent(run, await run.primaryAgent(), file);
    },
  });
}

export async function expectFileAbsent(run: Run, reader: ApiClient, id: string): Promise<void> {
  for (const exchange of await readLikeUnknown(run, reader, id)) expect.notFound(exchange);
}

// The client has no token, so both 401 and 404 are correct for a file that is not public.
async function expectFileHidden(run: Run, id: string): Promise<void> {
  for (const exchange of await readLikeUnknown(run, run.anonymous, id)) {
    if (exchange.status === 401) expect.unauthorized(exchange);
    else expect.notFound(exchange);
  }
}

/** Without this precondition, checks that hide a public file would prove nothing. */
export async function expectUnattachedFileHidden(run: Run): Promise<void> {
  await expectUnreadable(run, (await unattachedFile(run)).file);
}

async function expectUnreadable(run: Run, id: string): Promise<void> {
  const answers: Exchange[] = [];
  for (const reader of [await run.primaryAgent(), run.anonymous])
    for (const path of pathsOfFile(id)) answers.push(await reader.get(path));
  await run.precondition('AP-FILE-027', () => {
    for (const answer of answers) expect(answer.status >= 300, 'a private file is readable', answer);
  });
}

async function readLikeUnknown(run: Run, reader: ApiClient, id: string): Promise<readonly Exchange[]> {
  const unknownPaths = pathsOfFile(run.random.uuid());
  const exchanges: Exchange[] = [];
  for (const [index, path] of pathsOfFile(id).entries()) {
    const exchange = await reader.get(path);
    exchanges.push(exchange);
    const unknown = await reader.get(unknownPaths[index] ?? '');
    const isSame = unknown.status === exchange.status && errorCodeOf(unknown) === errorCodeOf(exchange);
    expect(isSame, `an unknown file is ${unknown.status} ${errorCodeOf(unknown)}`, exchange);
    const head = await reader.head(path);
    await run.precondition('AP-FILE-028', () => expect.status(head, exchange.status));
  }
  return exchanges;
}

export async function expectJpeg(reader: ApiClient, exchange: Exchange): Promise<void> {
  expect.status(exchange, 200);
  const type = exchange.headers['content-type'];
  expect(/^image\/jpeg\s*(;|$)/i.test(type ?? ''), `Content-Type is ${type}`, exchange);
  expect(isJpeg(exchange.bytes), 'the body is not a JPEG', exchange);
  await expectSameHead(reader, exchange);
}

export function expectProcessedImage(exchange: Exchange, { bytes, exifWord }: Photo): void {
  expect(!exchange.bytes.equals(bytes), 'the body is the original', exchange);
  expect(!exchange.bytes.includes(exifWord), 'the EXIF of the original is in the body', exchange);
}

export function expectNoOriginalData(exchange: Exchange, { bytes, exifWord }: Photo): void {
  const digest = createHash('sha256').update(bytes).digest();
  const hasHash =
    exchange.text.toLowerCase().includes(digest.toString('hex')) ||
    exchange.text.includes(digest.toString('base64').slice(0, 42));
  expect(!hasHash, 'the hash of the original is in the answer', exchange);
  expect(!exchange.text.toLowerCase().includes(exifWord), 'the EXIF of the original is in the answer', exchange);
}

async function expectSameHead(reader: ApiClient, got: Exchange): Promise<void> {
  expect.status(got, 200);
  const head = expect.status(await reader.head(got.request.path), 200);
  const isSame = head.headers['content-type'] === got.headers['content-type'];
  expect(isSame, `Content-Type of HEAD is ${head.headers['content-type']}`, head);
}
