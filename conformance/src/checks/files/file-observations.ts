import type { Observation } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { Run } from '../../context/run.ts';
import { expectAttachment, pathsOfFile } from '../../fixtures/profiles/files.ts';
import { sizeOfJpeg } from '../../payloads/jpeg.ts';
import { answerTo, combine, compareAnswer, compareNames, observation, withCommon } from '../observation.ts';
import { ownDownloads, privateFiles, publicPhoto } from './files.ts';
import { detachedImage } from './images.ts';
import {
  largePreview,
  largeUpload,
  repeatedUpload,
  truncatedUpload,
  uploadAnswers,
  uploadsWithWrongFields,
} from './uploads.ts';

const decidedMembers = [
  ...['id', 'purpose', 'preview_url', 'download_url', 'available', 'media_type', 'size_bytes', 'width', 'height'],
  ...['page_count', 'created_at', 'filename', 'sha256'],
];
const decidedHeaders: Readonly<Record<string, RegExp>> = {
  'content-disposition': /^attachment\b/,
  'x-content-type-options': /^nosniff$/,
  'content-security-policy': /\bsandbox\b/,
};
const previewMaxPixels = 1_280;

/** Open behaviour of files. All observations share the uploads of checks, as an upload leaves a permanent record. */
export const fileObservations: readonly Observation[] = [
  ...withCommon({ fixtures: [uploadAnswers] }, [
    observation('file-members', 'AP-FILE-040', 'Which members does an attachment have? (D-11)', async (run) =>
      compareNames(Object.keys(expectAttachment(await lastUpload(run), 201)), decidedMembers),
    ),
    observation('file-urls', 'AP-FILE-041', 'Do the URLs of a file include the host? (D-11)', async (run) => {
      const { preview_url, download_url } = expectAttachment(await lastUpload(run), 201) as Record<string, unknown>;
      const isPath = [preview_url, download_url].every((url) => /^\/[^/]/.test(String(url)));
      return { observed: isPath ? 'no, they are absolute paths' : 'yes', matchesDecision: isPath };
    }),
  ]),
  ...withCommon({ fixtures: [repeatedUpload] }, [
    answerTo(
      'upload-id-again',
      'AP-FILE-042',
      'Which 409 code does an upload_id with another file have? (D-38)',
      '409 idempotency_conflict',
      async (run) => (await repeatedUpload(run)).conflict,
    ),
  ]),
  ...withCommon({ fixtures: [largeUpload] }, [
    answerTo(
      'file-too-large',
      'AP-FILE-043',
      'How is a file over the size limit answered? (D-38)',
      '413 body_too_large',
      largeUpload,
    ),
  ]),
  ...withCommon({ fixtures: [uploadsWithWrongFields] }, [
    observation('upload-fields', 'AP-FILE-044', 'Which code has an upload with wrong fields? (D-22)', async (run) => {
      const { incomplete, additional } = await uploadsWithWrongFields(run);
      const [, , withoutFile] = incomplete as [Exchange, Exchange, Exchange];
      return combine({
        'without a file': compareAnswer(withoutFile, '400 invalid_file'),
        'with another field': compareAnswer(additional, '400 invalid_input'),
      });
    }),
  ]),
  ...withCommon({ fixtures: [truncatedUpload] }, [
    answerTo(
      'truncated-file',
      'AP-FILE-045',
      'Is a truncated JPEG accepted? (D-39)',
      '400 invalid_file',
      truncatedUpload,
    ),
  ]),
  ...withCommon({ fixtures: [privateFiles] }, [
    answerTo(
      'file-for-nobody',
      'AP-FILE-046',
      'How is a private file answered without a token? (D-45)',
      '404 not_found',
      async (run) => run.anonymous.get(pathsOfFile((await privateFiles(run)).bound)[0]),
    ),
  ]),
  ...withCommon({ fixtures: [largePreview] }, [
    observation(
      'preview-size',
      'AP-FILE-047',
      'Which size does a preview of 5000 by 4000 pixels have? (D-39)',
      async (run) => {
        const size = sizeOfJpeg(expect.status(await largePreview(run), 200).bytes) ?? [0, 0];
        return { observed: size.join(' by '), matchesDecision: Math.max(...size) === previewMaxPixels };
      },
    ),
  ]),
  ...withCommon({ fixtures: [publicPhoto] }, [
    observation('file-name', 'AP-FILE-048', 'Is the file name visible to other agents? (D-11)', async (run) => {
      const isVisible = (await publicPhoto(run)).record.text.includes('photo.jpg');
      return { observed: isVisible ? 'yes' : 'no', matchesDecision: !isVisible };
    }),
  ]),
  ...withCommon({ fixtures: [detachedImage] }, [
    answerTo(
      'image-again',
      'AP-FILE-049',
      'Can a detached image be bound again? (D-26)',
      '409 attachment_already_bound',
      async (run) => (await detachedImage(run)).again,
    ),
  ]),
  ...withCommon({ fixtures: [ownDownloads] }, [
    observation(
      'file-headers',
      'AP-FILE-050',
      'Which headers prevent a browser from executing a file? (D-39)',
      async (run) => {
        const headers = (await ownDownloads(run)).at(-1)?.download.headers ?? {};
        const observed = Object.keys(decidedHeaders).map((name) => `${name}: ${headers[name] ?? 'none'}`);
        const matchesDecision = Object.entries(decidedHeaders).every(([name, form]) =>
          form.test(String(headers[name])),
        );
        return { observed: observed.join(', '), matchesDecision };
      },
    ),
  ]),
];

async function lastUpload(run: Run): Promise<Exchange> {
  return (await uploadAnswers(run)).map(({ answer }) => answer).at(-1) as Exchange;
}
