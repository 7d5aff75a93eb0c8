import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { expect, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { FormPart } from '../../context/http/multipart.ts';
import { filesPath } from '../../context/paths.ts';
import { isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  expectAttachment,
  expectId,
  type GivenFile,
  pathsOfFile,
  publicAuthor,
  requestUpload,
  upload,
  uploadForm,
} from '../../fixtures/profiles/publishing.ts';
import { makePhoto, truncate } from '../../payloads/jpeg.ts';
import { makePdf } from '../../payloads/pdf.ts';
import { makePng, makePngOfBytes } from '../../payloads/png.ts';
import { mislabelledFiles, type RefusedFile, refusedPdfs, refusedPictures } from '../../payloads/refused-files.ts';

// Stated: one file has up to 20 MiB, an image 20 million pixels, a PDF 200 pages.
const fileMaxBytes = 20 * 1024 * 1024;
const pdfFile = { filename: 'work.pdf', type: 'application/pdf' } as const;
const pngFile = { filename: 'picture.png', type: 'image/png' } as const;

/** What may be uploaded, and how. */
export const uploadChecks: readonly Check[] = [
  {
    id: 'uploads.answer',
    covers: ['AP-FILE-001', 'AP-FILE-002', 'AP-FILE-004', 'AP-FILE-011', 'AP-FILE-012'],
    rule: 'A new JPEG is 201 for every purpose and returns the attachment record, which is readable afterwards.',
    cost: { writes: 4, uploads: 4 },
    async judge(run) {
      const author = await run.freshAgent();
      for (const purpose of ['avatar', 'character', 'portfolio', 'order']) {
        const created = await requestUpload(run, author, { ...makePhoto(), purpose });
        expectStatus(created, 201);
        const id = expectId(expectAttachment(created), created);
        run.remember('upload', created);
        const read = await run.send({ path: `${filesPath}/${id}`, token: author.token });
        expectStatus(read, 200);
        for (const exchange of [created, read]) {
          const record = expectAttachment(exchange);
          expectMember(record, 'id', id, exchange);
          expectMember(record, 'purpose', purpose, exchange);
          expectMember(record, 'available', true, exchange);
          for (const name of ['preview_url', 'download_url']) {
            expect(typeof record[name] === 'string' && record[name] !== '', `"${name}" is not a text`, exchange);
          }
        }
      }
    },
  },
  {
    id: 'uploads.repeated',
    covers: ['AP-FILE-003', 'AP-FILE-008'],
    rule: 'A repeat of the same upload is 200 with the same file; another file with the same id is a conflict.',
    cost: { writes: 3, uploads: 3 },
    async judge(run) {
      const author = await run.freshAgent();
      const given = { ...makePhoto(), uploadId: randomUUID() };
      const id = await upload(run, author, given);
      const again = await requestUpload(run, author, given);
      expectStatus(again, 200);
      expect(isSameId(expectAttachment(again)['id'], id), 'the repeat returned another file', again);
      const other = await requestUpload(run, author, { ...given, ...makePhoto() });
      run.remember('other upload', other);
      expectStatus(other, 409);
    },
  },
  {
    id: 'uploads.fields',
    covers: ['AP-FILE-005', 'AP-FILE-006', 'AP-FILE-007'],
    rule: 'An upload has exactly the fields file, purpose and upload_id, each once and valid.',
    cost: { writes: 10, uploads: 10 },
    async judge(run) {
      const author = await run.freshAgent();
      const send = (form: readonly FormPart[]) =>
        run.send({ method: 'POST', path: filesPath, token: author.token, form });
      await upload(run, author, makePhoto());
      const fresh = () => uploadForm(makePhoto());
      for (let index = 0; index < 3; index += 1) {
        const incomplete = await send(fresh().toSpliced(index, 1));
        if (index === 2) run.remember('upload without a file', incomplete);
        expectRefusal(incomplete, 400, 'invalid_input', 'invalid_file', 'invalid_field');
        // Twice the same, in front of the file, where it cannot be overlooked.
        const [part] = fresh().slice(index);
        const twice = await send(part === undefined ? [] : [part, ...fresh()]);
        expectRefusal(twice, 400, 'invalid_input', 'invalid_file', 'invalid_field');
      }
      const more = await send([{ name: 'note', content: 'More.' }, ...fresh()]);
      run.remember('upload with more', more);
      expectRefusal(more, 400, 'invalid_input', 'invalid_field', 'unknown_fields', 'invalid_fields');
      for (const wrong of [{ purpose: 'video' }, { uploadId: 'one' }]) {
        const refused = await requestUpload(run, author, { ...makePhoto(), ...wrong });
        expectRefusal(refused, 400, 'invalid_input', 'invalid_field', 'invalid_id');
      }
    },
  },
  {
    id: 'uploads.rejected',
    covers: ['AP-FILE-009', 'AP-FILE-010'],
    rule: 'A file that is not a picture is invalid_file, and its upload_id is upload_unavailable afterwards.',
    cost: { writes: 4, uploads: 4 },
    async judge(run) {
      const author = await run.freshAgent();
      // Whether that is a picture is left open.
      run.remember('truncated upload', await requestUpload(run, author, { bytes: truncate(makePhoto()) }));
      const uploadId = randomUUID();
      const bytes = Buffer.from('This is no picture.\n');
      expectRefusal(await requestUpload(run, author, { bytes, uploadId }), 400, 'invalid_file');
      expectRefusal(await requestUpload(run, author, { ...makePhoto(), uploadId }), 409, 'upload_unavailable');
      await upload(run, author, makePhoto());
    },
  },
  {
    id: 'uploads.kinds',
    covers: ['AP-FILE-011', 'AP-FILE-012'],
    rule: 'Every purpose accepts PNG; portfolio and order accept PDF, avatar and character do not.',
    cost: { writes: 8, uploads: 8 },
    async judge(run) {
      const author = await run.freshAgent();
      const pdf = { bytes: makePdf(), ...pdfFile };
      for (const purpose of ['avatar', 'character', 'portfolio', 'order']) {
        await upload(run, author, { bytes: makePng(), ...pngFile, purpose });
      }
      for (const purpose of ['portfolio', 'order']) await upload(run, author, { ...pdf, purpose });
      for (const purpose of ['avatar', 'character']) {
        expectRefusal(await requestUpload(run, author, { ...pdf, purpose }), 400, 'invalid_file');
      }
    },
  },
  refuses('pictures', 'AP-FILE-013', refusedPictures, 'Animated pictures, SVG, GIF, WebP and videos are refused.', [
    { bytes: makePng(), ...pngFile },
  ]),
  refuses('pdfs', 'AP-FILE-014', refusedPdfs, 'Encrypted and active PDFs are refused.', [
    { bytes: makePdf(), ...pdfFile },
  ]),
  refuses(
    'content',
    'AP-FILE-015',
    mislabelledFiles,
    'The type of a file is detected from its content, whatever the client declares.',
    [
      { bytes: makePng(), ...pdfFile },
      { bytes: makePhoto().bytes, filename: 'notes.txt', type: 'text/plain' },
    ],
  ),
  {
    id: 'uploads.pixels',
    covers: ['AP-FILE-016'],
    rule: 'A picture has at most 20 million pixels.',
    cost: { writes: 2, uploads: 2 },
    async judge(run) {
      const most = { bytes: makePng(5_000, 4_000), ...pngFile };
      const id = await takesUpTo(run, most, { bytes: makePng(5_001, 4_000), ...pngFile });
      const [, preview] = pathsOfFile(id);
      run.remember('large preview', await run.send({ path: preview, token: (await run.freshAgent()).token }));
    },
  },
  {
    id: 'uploads.pages',
    covers: ['AP-FILE-017'],
    rule: 'A PDF has at most 200 pages.',
    cost: { writes: 2, uploads: 2 },
    async judge(run) {
      const [most, more] = [makePdf({ pages: 200 }), makePdf({ pages: 201 })];
      await takesUpTo(run, { bytes: most, ...pdfFile }, { bytes: more, ...pdfFile });
    },
  },
  {
    id: 'uploads.bytes',
    covers: ['AP-FILE-018'],
    rule: 'A file has at most 20 MiB.',
    cost: { writes: 3, uploads: 2 },
    async judge(run) {
      const author = await publicAuthor(run);
      await upload(run, author, { bytes: makePngOfBytes(fileMaxBytes), ...pngFile });
      const more = await requestUpload(run, author, { bytes: makePngOfBytes(fileMaxBytes + 1), ...pngFile });
      run.remember('large upload', more);
      expect(more.status === 413 || more.status === 400, `it was answered ${more.status}`, more);
    },
  },
];

function refuses(
  name: string,
  requirement: string,
  files: readonly RefusedFile[],
  rule: string,
  twins: readonly GivenFile[],
): Check {
  return {
    id: `uploads.${name}`,
    covers: [requirement],
    rule,
    cost: { writes: twins.length + files.length, uploads: twins.length + files.length },
    async judge(run) {
      const author = await run.freshAgent();
      for (const twin of twins) await upload(run, author, twin);
      for (const { what, make, filename, type } of files) {
        const exchange = await requestUpload(run, author, { bytes: make(), filename, type });
        expect(exchange.status === 400, `${what} was answered ${exchange.status}`, exchange);
        expectRefusal(exchange, 400, 'invalid_file');
      }
    },
  };
}

async function takesUpTo(run: Run, most: GivenFile, more: GivenFile): Promise<string> {
  const author = await run.freshAgent();
  const id = await upload(run, author, most);
  expectRefusal(await requestUpload(run, author, more), 400, 'invalid_file');
  return id;
}
