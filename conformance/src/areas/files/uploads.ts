import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, freshAgent, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { FormPart } from '../../context/http/multipart.ts';
import { isObject } from '../../context/json.ts';
import { filesPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { makePng, makePngWithSize } from '../../payloads/png.ts';
import {
  makePdf,
  mislabelledFiles,
  type RefusedFile,
  refusedPdfs,
  refusedPictures,
} from '../../payloads/refused-files.ts';
import { seededRandom } from '../../world/random.ts';
import { publicAuthor } from '../posts/publishing.ts';
import {
  expectAttachment,
  type FileToUpload,
  isPdf,
  makeUploadForm,
  pathsOfFile,
  requestUpload,
  uploadFile,
} from './uploading.ts';

// The specified maximum size of a file.
const fileMaxBytes = 20 * 1024 * 1024;
const pdfFile = { filename: 'work.pdf', type: 'application/pdf' } as const;
const pngFile = { filename: 'picture.png', type: 'image/png' } as const;

const sendForm = (agent: Agent, form: readonly FormPart[]) => agent.send({ method: 'POST', path: filesPath, form });

export const uploadAnswers = defineFixture({ writes: 4, uploads: 4 }, async (run) => {
  const author = await run.freshAgent();
  return await Array.fromAsync(['avatar', 'character', 'portfolio', 'order'], async (purpose) => ({
    purpose,
    answer: await requestUpload(run, author, { ...makePhoto(run.random), purpose }),
  }));
});

export const uploadsWithWrongFields = defineFixture({ writes: 9, uploads: 9 }, async (run) => {
  const author = await run.freshAgent();
  await uploadFile(run, author, makePhoto(run.random));
  const form = () => makeUploadForm(run, makePhoto(run.random));
  const incomplete = [];
  const duplicated = [];
  for (const [index, part] of form().entries()) {
    incomplete.push(await sendForm(author, form().toSpliced(index, 1)));
    // The additional part comes first, so that the server parses it before the file.
    duplicated.push(await sendForm(author, [part, ...form()]));
  }
  incomplete.push(await requestUpload(run, author, { bytes: Buffer.alloc(0) }));
  const additional = await sendForm(author, [{ name: 'note', content: 'More.' }, ...form()]);
  return { incomplete, duplicated, additional };
});

/** The specification does not state whether a truncated JPEG is a valid picture. */
export const truncatedUpload = defineFixture({ writes: 1, uploads: 1 }, async (run) =>
  requestUpload(run, await run.freshAgent(), { bytes: makePhoto(run.random).bytes.subarray(0, -40) }),
);

/** After this refusal, the upload_id cannot be used again. */
export const rejectedTextUpload = defineFixture({ writes: 1, uploads: 1 }, async (run) => {
  const uploadId = run.random.uuid();
  const bytes = Buffer.from('This is no picture.\n');
  return { uploadId, answer: await requestUpload(run, await run.freshAgent(), { bytes, uploadId }) };
});

/** A server that accepts a text file probably does not inspect files at all. */
async function expectInspection(run: Run): Promise<void> {
  const { answer } = await rejectedTextUpload(run);
  await run.precondition('AP-FILE-009', () => expect.refusal(answer, 400, 'invalid_file'));
}

/** The preview of a picture with the maximum number of pixels. */
export const largePreview = defineFixture({ writes: 1, uploads: 1 }, async (run) => {
  const author = await run.freshAgent();
  const uploaded = await requestUpload(run, author, { bytes: makePng(5_000, 4_000), ...pngFile });
  const { id } = isObject(uploaded.json) && isObject(uploaded.json['attachment']) ? uploaded.json['attachment'] : {};
  const [, preview] = pathsOfFile(String(id));
  return { uploaded, preview: await author.get(preview) };
});

export const oversizedUpload = defineFixture({ writes: 1, uploads: 1 }, async (run) =>
  requestUpload(run, await run.freshAgent(), { bytes: makePngWithSize(run.random, fileMaxBytes + 1), ...pngFile }),
);

export const uploadChecks: readonly Check[] = [
  defineCheck(freshAgent, {
    id: 'uploads.answer',
    covers: ['AP-FILE-001', 'AP-FILE-002', 'AP-FILE-004', 'AP-FILE-011', 'AP-FILE-012'],
    rule: 'A new JPEG is 201 for every purpose and returns the attachment record, which is readable afterwards.',
    fixtures: [uploadAnswers],
    async judge(author, run) {
      for (const { purpose, answer } of await uploadAnswers(run)) {
        const isImage = purpose === 'avatar' || purpose === 'character';
        await run.requirement(isImage ? 'AP-FILE-012' : 'AP-FILE-011', () => expect.success(answer));
        if (answer.status > 299) continue;
        await run.requirement('AP-FILE-001', () => expect.status(answer, 201));
        const id = expect.id(expectAttachment(answer, answer.status), answer);
        const read = expect.works(await author.get(`${filesPath}/${id}`));
        for (const exchange of [answer, read]) {
          const record = expectAttachment(exchange, exchange.status);
          await run.requirement('AP-FILE-004', () => expect.member(record, 'purpose', purpose, exchange));
          await run.requirement('AP-FILE-002', () => {
            expect.members(record, { id, available: true }, exchange);
            for (const name of ['preview_url', 'download_url']) {
              expect(typeof record[name] === 'string' && record[name] !== '', `"${name}" is not a text`, exchange);
            }
          });
        }
      }
    },
  }),
  defineCheck(uploadsWithWrongFields, {
    id: 'uploads.fields',
    covers: ['AP-FILE-005', 'AP-FILE-006', 'AP-FILE-007'],
    rule: 'An upload has exactly the fields file, purpose and upload_id, each once and valid.',
    cost: { writes: 3, uploads: 3 },
    async judge({ incomplete, duplicated, additional }, run) {
      await run.requirement('AP-FILE-005', () => {
        for (const answer of [...incomplete, additional]) expect.malformed(answer);
      });
      await run.requirement('AP-FILE-006', () => {
        for (const answer of duplicated) expect.malformed(answer);
      });
      await run.requirement('AP-FILE-007', async () => {
        for (const wrong of [{ purpose: 'video' }, { purpose: 'Portfolio' }, { uploadId: 'one' }]) {
          const refused = await requestUpload(run, await run.freshAgent(), { ...makePhoto(run.random), ...wrong });
          expect.malformed(refused);
        }
      });
    },
  }),
  defineCheck(freshAgent, {
    id: 'uploads.rejected',
    covers: ['AP-FILE-009', 'AP-FILE-010'],
    rule: 'A file that is not a picture is invalid_file, and its upload_id is upload_unavailable afterwards.',
    cost: { writes: 2, uploads: 2 },
    fixtures: [truncatedUpload, rejectedTextUpload],
    async judge(author, run) {
      const truncated = await truncatedUpload(run);
      await expectInspection(run);
      await run.requirement('AP-FILE-009', () =>
        expect(truncated.status < 500, `the status is ${truncated.status}`, truncated),
      );
      const { uploadId } = await rejectedTextUpload(run);
      await run.requirement('AP-FILE-010', async () =>
        expect.refusal(
          await requestUpload(run, author, { ...makePhoto(run.random), uploadId }),
          409,
          'upload_unavailable',
        ),
      );
      await uploadFile(run, author, makePhoto(run.random));
    },
  }),
  defineCheck(freshAgent, {
    id: 'uploads.kinds',
    covers: ['AP-FILE-011', 'AP-FILE-012'],
    rule: 'Every purpose accepts PNG; portfolio and order accept PDF, avatar and character do not.',
    cost: { writes: 8, uploads: 8 },
    fixtures: [rejectedTextUpload],
    async judge(author, run) {
      await expectInspection(run);
      const pdf = { bytes: makePdf(), ...pdfFile };
      const expectTaken = async (file: FileToUpload) => expect.status(await requestUpload(run, author, file), 201);
      await run.requirement('AP-FILE-011', async () => {
        for (const purpose of ['portfolio', 'order']) {
          await expectTaken({ bytes: makePng(), ...pngFile, purpose });
          await expectTaken({ ...pdf, purpose });
        }
      });
      await run.requirement('AP-FILE-012', async () => {
        for (const purpose of ['avatar', 'character']) {
          await expectTaken({ bytes: makePng(), ...pngFile, purpose });
          expect.refusal(await requestUpload(run, author, { ...pdf, purpose }), 400, 'invalid_file');
        }
      });
    },
  }),
  refusedFilesCheck(
    'pictures',
    'AP-FILE-013',
    'Animated pictures, SVG, GIF, WebP and videos are refused.',
    refusedPictures,
    [{ bytes: makePng(), ...pngFile }],
  ),
  refusedFilesCheck('pdfs', 'AP-FILE-014', 'Encrypted and active PDFs are refused.', refusedPdfs, [
    { bytes: makePdf(), ...pdfFile },
  ]),
  refusedFilesCheck('content', 'AP-FILE-015', 'The content determines the type of a file.', mislabelledFiles, [
    { bytes: makePng(), ...pdfFile },
    { bytes: makePhoto(seededRandom('a photo')).bytes, filename: 'notes.txt', type: 'text/plain' },
  ]),
  {
    id: 'uploads.pixels',
    covers: ['AP-FILE-016'],
    rule: 'A picture has at most 20 million pixels.',
    cost: { writes: 1, uploads: 1 },
    fixtures: [largePreview, rejectedTextUpload],
    async judge(run) {
      await expectInspection(run);
      expect.status((await largePreview(run)).uploaded, 201);
      const large = { bytes: makePng(5_001, 4_000), ...pngFile };
      expect.refusal(await requestUpload(run, await run.freshAgent(), large), 400, 'invalid_file');
    },
  },
  defineCheck(freshAgent, {
    id: 'uploads.pages',
    covers: ['AP-FILE-017'],
    rule: 'A PDF has at most 200 pages.',
    cost: { writes: 3, uploads: 3 },
    fixtures: [rejectedTextUpload],
    async judge(author, run) {
      await expectInspection(run);
      const longest = await requestUpload(run, author, { bytes: makePdf({ pages: 200 }), ...pdfFile });
      // If the server refuses every PDF, this upload fails too and reports AP-FILE-011 instead of the page limit.
      if (longest.status !== 201) await uploadFile(run, author, { bytes: makePdf(), ...pdfFile });
      expect.status(longest, 201);
      const large = { bytes: makePdf({ pages: 201 }), ...pdfFile };
      expect.refusal(await requestUpload(run, author, large), 400, 'invalid_file');
    },
  }),
  {
    id: 'uploads.bytes',
    covers: ['AP-FILE-018'],
    rule: 'A file has at most 20 MiB.',
    cost: { writes: 2, uploads: 1 },
    fixtures: [oversizedUpload],
    async judge(run) {
      // The observations also use this answer, but when they run, the token of the fresh agent has been revoked.
      const answer = await oversizedUpload(run);
      expect.status(
        await requestUpload(run, await publicAuthor(run), {
          bytes: makePngWithSize(run.random, fileMaxBytes),
          ...pngFile,
        }),
        201,
      );
      expect(answer.status === 413 || answer.status === 400, `the status is ${answer.status}`, answer);
    },
  },
];

/** Expects valid files to be accepted first, because a server that refuses every file would pass otherwise. */
function refusedFilesCheck(
  name: string,
  requirement: string,
  rule: string,
  files: readonly RefusedFile[],
  valid: readonly FileToUpload[],
): Check {
  const count = valid.length + files.length;
  return defineCheck(freshAgent, {
    id: `uploads.${name}`,
    covers: [requirement],
    rule,
    cost: { writes: count, uploads: count },
    fixtures: [rejectedTextUpload],
    async judge(author, run) {
      await expectInspection(run);
      for (const file of valid) {
        const answer = await requestUpload(run, author, file);
        if (isPdf(file)) await run.precondition('AP-FILE-011', () => expect.status(answer, 201), { isPart: true });
        else expect.status(answer, 201);
      }
      for (const { what, ...file } of files) {
        const exchange = await requestUpload(run, author, file);
        expect(exchange.status === 400, `${what} was answered with ${exchange.status}`, exchange);
        expect.refusal(exchange, 400, 'invalid_file');
      }
    },
  });
}
