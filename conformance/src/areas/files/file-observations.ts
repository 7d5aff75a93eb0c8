import type { Observation } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { parseJpegDimensions } from '../../payloads/jpeg.ts';
import { combineBehaviours, compareAnswer, compareMemberNames, openQuestion, withStart } from '../observation.ts';
import { attachedFile, ownDownloads, publicPhoto } from './files.ts';
import { detachedImage } from './images.ts';
import { repeatedUpload } from './repeated-uploads.ts';
import { expectAttachment, pathsOfFile } from './uploading.ts';
import * as uploads from './uploads.ts';

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

/** Reuses the uploads of the checks, because uploads have a quota. */
export const fileObservations: readonly Observation[] = [
  ...withStart(uploads.uploadAnswers, {}, [
    openQuestion('file-members', 'AP-FILE-040', 'Which members does an attachment have?', (all) =>
      compareMemberNames(lastAttachment(all), decidedMembers),
    ),
    openQuestion('file-urls', 'AP-FILE-041', 'Do the URLs of a file include the host?', (all) => {
      const { preview_url, download_url } = lastAttachment(all) as Record<string, unknown>;
      const isPath = [preview_url, download_url].every((url) => /^\/[^/]/.test(String(url)));
      return { observed: isPath ? 'no, they are absolute paths' : 'yes', matchesDecision: isPath };
    }),
  ]),
  ...withStart(repeatedUpload, {}, [
    openQuestion('upload-id-again', 'AP-FILE-042', 'Which 409 code does an upload_id with another file have?', (all) =>
      compareAnswer(all.conflict, '409 idempotency_conflict'),
    ),
  ]),
  ...withStart(uploads.oversizedUpload, {}, [
    openQuestion('file-too-large', 'AP-FILE-043', 'How is a file over the size limit answered?', (answer) =>
      compareAnswer(answer, '413 body_too_large'),
    ),
  ]),
  ...withStart(uploads.uploadsWithWrongFields, {}, [
    openQuestion('upload-fields', 'AP-FILE-044', 'Which code does an upload with wrong fields have?', (answers) =>
      combineBehaviours({
        'without a file': compareAnswer(answers.incomplete[2] as Exchange, '400 invalid_file'),
        'with another field': compareAnswer(answers.additional, '400 invalid_input'),
      }),
    ),
  ]),
  ...withStart(uploads.truncatedUpload, {}, [
    openQuestion('truncated-file', 'AP-FILE-045', 'Is a truncated JPEG accepted?', (answer) =>
      compareAnswer(answer, '400 invalid_file'),
    ),
  ]),
  ...withStart(attachedFile, {}, [
    openQuestion(
      'file-for-nobody',
      'AP-FILE-046',
      'How is a request for a private file without a token answered?',
      ({ file }, run) => compareAnswer(run.anonymous.get(pathsOfFile(file)[0]), '404 not_found'),
    ),
  ]),
  ...withStart(uploads.largePreview, {}, [
    openQuestion(
      'preview-size',
      'AP-FILE-047',
      'Which size does a preview of 5000 by 4000 pixels have?',
      ({ preview }) => {
        const size = parseJpegDimensions(expect.status(preview, 200).bytes) ?? [0, 0];
        return { observed: size.join(' by '), matchesDecision: Math.max(...size) === previewMaxPixels };
      },
    ),
  ]),
  ...withStart(publicPhoto, {}, [
    openQuestion('file-name', 'AP-FILE-048', 'Is the file name visible to other agents?', ({ record }) => {
      const isVisible = record.text.includes('photo.jpg');
      return { observed: isVisible ? 'yes' : 'no', matchesDecision: !isVisible };
    }),
  ]),
  ...withStart(detachedImage, {}, [
    openQuestion('image-again', 'AP-FILE-049', 'Can a detached image be bound again?', ({ again }) =>
      compareAnswer(again, '409 attachment_already_bound'),
    ),
  ]),
  ...withStart(ownDownloads, {}, [
    openQuestion(
      'file-headers',
      'AP-FILE-050',
      'Which headers prevent a browser from executing a file?',
      (downloads) => {
        const headers = downloads.at(-1)?.download.headers ?? {};
        const observed = Object.keys(decidedHeaders).map((name) => `${name}: ${headers[name] ?? 'none'}`);
        const matchesDecision = Object.entries(decidedHeaders).every(([name, form]) =>
          form.test(String(headers[name])),
        );
        return { observed: observed.join(', '), matchesDecision };
      },
    ),
  ]),
];

function lastAttachment(uploaded: readonly { readonly answer: Exchange }[]) {
  return expectAttachment(uploaded.at(-1)?.answer as Exchange, 201);
}
