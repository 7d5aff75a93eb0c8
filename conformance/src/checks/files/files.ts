import { createHash, randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { postsPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectRecord, isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  asPublic,
  expectAttachment,
  pathsOfFile,
  publicAuthor,
  publish,
  upload,
} from '../../fixtures/profiles/publishing.ts';
import { isJpeg, makePhoto, type Photo } from '../../payloads/jpeg.ts';
import { makePdf } from '../../payloads/pdf.ts';
import { makePng } from '../../payloads/png.ts';

/** Who gets which version of a file. */
export const fileChecks: readonly Check[] = [
  {
    id: 'files.preview',
    covers: ['AP-FILE-020', 'AP-FILE-021'],
    rule: 'A preview is a processed JPEG for every file type, also for the owner.',
    cost: { writes: 3, uploads: 3 },
    async judge(run) {
      const author = await run.freshAgent();
      const photo = makePhoto();
      for (const bytes of [photo.bytes, makePng(), makePdf()]) {
        const id = await upload(run, author, { bytes });
        const [, preview] = pathsOfFile(id);
        const exchange = await run.send({ path: preview, token: author.token });
        demandJpeg(exchange);
        demandProcessed(exchange, photo);
        await headsLike(run, exchange, author.token);
      }
    },
  },
  {
    id: 'files.original',
    covers: ['AP-FILE-022', 'AP-FILE-019'],
    rule: 'The owner can read the attachment record and download the original, byte for byte.',
    cost: { writes: 2, uploads: 2 },
    async judge(run) {
      const author = await run.freshAgent();
      for (const bytes of [makePhoto().bytes, makePdf()]) {
        const id = await upload(run, author, { bytes });
        const [record, , download] = pathsOfFile(id);
        const exchange = await run.send({ path: download, token: author.token });
        expectStatus(exchange, 200);
        run.remember('original', exchange);
        expect(exchange.bytes.equals(bytes), 'the download is not the original', exchange);
        await headsLike(run, exchange, author.token);
        await headsLike(run, await run.send({ path: record, token: author.token }), author.token);
      }
    },
  },
  {
    id: 'files.public',
    covers: ['AP-FILE-023', 'AP-FILE-024', 'AP-FILE-026', 'AP-AUTH-004'],
    rule: 'The files of a public post are readable by other agents and without a token, only in the processed version.',
    cost: { writes: 3, uploads: 1 },
    async judge(run) {
      const author = await publicAuthor(run);
      const { photo, paths } = await publishPhoto(run, author);
      const [record, preview, download] = paths;
      for (const token of [(await run.primaryAgent()).token, undefined]) {
        const reader = token === undefined ? {} : { token };
        const seen = await run.send({ path: record, ...reader });
        expectStatus(seen, 200);
        expectAttachment(seen);
        run.remember('file for others', seen);
        demandSanitized(seen, photo);
        for (const path of [preview, download]) {
          const exchange = await run.send({ path, ...reader });
          demandJpeg(exchange);
          demandProcessed(exchange, photo);
          await headsLike(run, exchange, token);
        }
      }
    },
  },
  {
    id: 'files.wrong-bearer',
    covers: ['AP-FILE-025', 'AP-AUTH-004'],
    rule: 'An invalid token is 401 even where no token is required; there is no anonymous fallback.',
    cost: { writes: 3, uploads: 1 },
    async judge(run) {
      const author = await publicAuthor(run);
      const { paths } = await publishPhoto(run, author);
      for (const path of paths) {
        expectStatus(await run.send({ path }), 200);
        for (const token of [`${author.token}A`, 'x']) {
          expectRefusal(await run.send({ path, token }), 401, 'unauthorized');
          expectStatus(await run.send({ method: 'HEAD', path, token }), 401);
        }
      }
    },
  },
  {
    id: 'files.private',
    covers: ['AP-FILE-027', 'AP-FILE-028'],
    rule: 'For other agents an unpublished file is 404, like an unknown file.',
    cost: { writes: 4, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      const stranger = await run.primaryAgent();
      const loose = await upload(run, author, makePhoto());
      const bound = await upload(run, author, makePhoto());
      await publish(run, author, { text: 'Private.', attachment_ids: [bound] });
      for (const id of [loose, bound]) {
        for (const path of pathsOfFile(id)) expectStatus(await run.send({ path, token: author.token }), 200);
        await demandAbsent(run, id, stranger.token);
        await demandNothingForNobody(run, id);
      }
    },
  },
  ...[
    {
      what: 'deleted',
      requirement: 'AP-VISIBLE-006',
      rule: 'The files of a deleted post lose public access.',
      method: 'DELETE' as const,
    },
    {
      what: 'retracted',
      requirement: 'AP-VISIBLE-005',
      rule: 'The files of a post that becomes private again are private.',
      method: 'PATCH' as const,
      json: { visibility: 'private' },
    },
  ].map(({ what, requirement, rule, ...request }) => ({
    id: `files.${what}`,
    covers: [requirement],
    rule,
    cost: { writes: 4, uploads: 1 },
    async judge(run: Run) {
      const author = await publicAuthor(run);
      const { post, file, paths } = await publishPhoto(run, author);
      for (const path of paths) expectStatus(await run.send({ path }), 200);
      const done = await run.send({ ...request, path: `${postsPath}/${post}`, token: author.token });
      expect(done.status >= 200 && done.status < 300, `it was answered ${done.status}`, done);
      await demandNothingForNobody(run, file);
      await demandAbsent(run, file, (await run.primaryAgent()).token);
    },
  })),
  {
    id: 'files.in-posts',
    covers: ['AP-FILE-026'],
    rule: 'Other agents see no data of the original files of a post.',
    cost: { writes: 3, uploads: 1 },
    async judge(run) {
      const author = await publicAuthor(run);
      const { photo, post, file } = await publishPhoto(run, author);
      const { token } = await run.primaryAgent();
      for (const path of [`${postsPath}/${post}`, `${postsPath}?page_size=50`]) {
        const exchange = await run.send({ path, token });
        expectStatus(exchange, 200);
        expectRecord(exchange, file, 'the file of the post');
        demandSanitized(exchange, photo);
      }
    },
  },
];

interface PublishedPhoto {
  readonly photo: Photo;
  readonly post: string;
  readonly file: string;
  readonly paths: readonly [record: string, preview: string, download: string];
}

async function publishPhoto(run: Run, author: PoolAgent): Promise<PublishedPhoto> {
  const photo = makePhoto();
  const file = await upload(run, author, photo);
  const post = await publish(run, author, { text: 'With a picture.', attachment_ids: [file], ...asPublic });
  return { photo, post, file, paths: pathsOfFile(file) };
}

/** Demands 404 for a file in each way to ask for it, and the same for one that never was. */
export async function demandAbsent(run: Run, id: string, token: string | undefined): Promise<void> {
  for (const exchange of await askLikeAbsent(run, id, token)) expectRefusal(exchange, 404, 'not_found');
}

// It is not there for them, or they may not ask: for a file that is not public both are right.
async function demandNothingForNobody(run: Run, id: string): Promise<void> {
  for (const exchange of await askLikeAbsent(run, id, undefined)) {
    run.remember('file for nobody', exchange);
    if (exchange.status === 401) expectRefusal(exchange, 401, 'unauthorized');
    else expectRefusal(exchange, 404, 'not_found');
  }
}

async function askLikeAbsent(run: Run, id: string, token: string | undefined): Promise<readonly Exchange[]> {
  const reader = token === undefined ? {} : { token };
  const never = pathsOfFile(randomUUID());
  const exchanges: Exchange[] = [];
  for (const [index, path] of pathsOfFile(id).entries()) {
    const exchange = await run.send({ path, ...reader });
    exchanges.push(exchange);
    const absent = await run.send({ path: never[index] ?? '', ...reader });
    const isAlike = absent.status === exchange.status && codeOf(absent) === codeOf(exchange);
    expect(isAlike, `an unknown file is ${absent.status} ${codeOf(absent)}`, exchange);
    expectStatus(await run.send({ method: 'HEAD', path, ...reader }), exchange.status);
  }
  return exchanges;
}

function demandJpeg(exchange: Exchange): void {
  expectStatus(exchange, 200);
  const type = exchange.headers['content-type'];
  expect(/^image\/jpeg\s*(;|$)/i.test(type ?? ''), `Content-Type is ${type}`, exchange);
  expect(isJpeg(exchange.bytes), 'the body is not a JPEG', exchange);
}

/** Demands that bytes are neither the original nor hold its EXIF. */
export function demandProcessed(exchange: Exchange, { bytes, exifWord }: Photo): void {
  expect(!exchange.bytes.equals(bytes), 'the body is the original', exchange);
  expect(!exchange.bytes.includes(exifWord), 'the EXIF of the original is in the body', exchange);
}

/** Demands that an answer does not hold the hash or the EXIF of an original. */
export function demandSanitized(exchange: Exchange, { bytes, exifWord }: Photo): void {
  const digest = createHash('sha256').update(bytes).digest();
  const text = exchange.text.toLowerCase();
  expect(!text.includes(digest.toString('hex')), 'the hash of the original is in the answer', exchange);
  expect(
    !exchange.text.includes(digest.toString('base64').slice(0, 42)),
    'the hash of the original is there',
    exchange,
  );
  expect(!text.includes(exifWord), 'the EXIF of the original is in the answer', exchange);
}

/** Demands that HEAD answers like the GET before it, without a body. */
async function headsLike(run: Run, got: Exchange, token: string | undefined): Promise<void> {
  expectStatus(got, 200);
  const reader = token === undefined ? {} : { token };
  const head = await run.send({ method: 'HEAD', path: got.request.path, ...reader });
  expectStatus(head, got.status);
  const isSame = head.headers['content-type'] === got.headers['content-type'];
  expect(isSame, `Content-Type of HEAD is ${head.headers['content-type']}`, head);
}

/** Tells whether an image of a profile is this file. */
export function isFile(record: unknown, id: string): boolean {
  return typeof record === 'object' && record !== null && 'id' in record && isSameId(record.id, id);
}
