import type { Behaviour, Observation } from '../../context/check.ts';
import { expectStatus } from '../../context/expectations.ts';
import type { Remembered } from '../../context/run.ts';
import { expectAttachment } from '../../fixtures/profiles/publishing.ts';
import { sizeOfJpeg } from '../../payloads/jpeg.ts';
import { answeredWith, both } from '../contacts/contact-observations.ts';
import { observation } from '../observation.ts';

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

/**
 * What servers may choose of files. All of it is what checks saw: an upload leaves
 * a record for ever, and the agents that stay serve later runs as well.
 */
export const fileObservations: readonly Observation[] = [
  observation('file-members', 'AP-FILE-040', 'Which members does an attachment have? (D-11)', async (run) => {
    const names = Object.keys(expectAttachment(run.recall('upload')));
    return {
      observed: names.join(', '),
      matchesDecision: names.toSorted().join() === decidedMembers.toSorted().join(),
    };
  }),
  observation('file-urls', 'AP-FILE-041', 'Do the URLs of a file include the host? (D-11)', async (run) => {
    const { preview_url, download_url } = expectAttachment(run.recall('upload')) as Readonly<Record<string, unknown>>;
    const isPath = [preview_url, download_url].every((url) => /^\/[^/]/.test(String(url)));
    return { observed: isPath ? 'no, they are absolute paths' : 'they are no absolute paths', matchesDecision: isPath };
  }),
  refused(
    'upload-id-again',
    'AP-FILE-042',
    'Which 409 code does an upload_id with another file have? (D-38)',
    'other upload',
    [409, 'idempotency_conflict'],
  ),
  refused('file-too-large', 'AP-FILE-043', 'How is a file over the size limit answered? (D-38)', 'large upload', [
    413,
    'body_too_large',
  ]),
  observation('upload-fields', 'AP-FILE-044', 'Which code do invalid fields of an upload have? (D-22)', async (run) =>
    both(
      ['without a file', answeredWith(run.recall('upload without a file'), 400, 'invalid_file')],
      ['with one more', answeredWith(run.recall('upload with more'), 400, 'invalid_input')],
    ),
  ),
  refused('truncated-file', 'AP-FILE-045', 'Is a truncated JPEG accepted? (D-39)', 'truncated upload', [
    400,
    'invalid_file',
  ]),
  refused(
    'file-for-nobody',
    'AP-FILE-046',
    'How is a private file answered without a token? (D-45)',
    'file for nobody',
    [404, 'not_found'],
  ),
  observation(
    'preview-size',
    'AP-FILE-047',
    'Which size does a preview of 5000 by 4000 pixels have? (D-39)',
    async (run) => {
      const preview = run.recall('large preview');
      expectStatus(preview, 200);
      const size = sizeOfJpeg(preview.bytes) ?? [0, 0];
      return { observed: size.join(' by '), matchesDecision: Math.max(...size) === previewMaxPixels };
    },
  ),
  observation('file-name', 'AP-FILE-048', 'Is the file name visible to other agents? (D-11)', async (run) => {
    const isTold = run.recall('file for others').text.includes('photo.jpg');
    return { observed: isTold ? 'yes' : 'no', matchesDecision: !isTold };
  }),
  refused('image-again', 'AP-FILE-049', 'Can a detached image be bound again? (D-26)', 'image again', [
    409,
    'attachment_already_bound',
  ]),
  observation(
    'file-headers',
    'AP-FILE-050',
    'Which headers prevent a browser from executing a file? (D-39)',
    async (run) => {
      const { headers } = run.recall('original');
      const seen = Object.keys(decidedHeaders).map((name) => `${name}: ${headers[name] ?? 'none'}`);
      const asDecided = Object.entries(decidedHeaders).every(([name, form]) => form.test(String(headers[name])));
      return { observed: seen.join(', '), matchesDecision: asDecided };
    },
  ),
];

function refused(
  id: string,
  requirement: string,
  question: string,
  name: Remembered,
  decided: readonly [status: number, code: string],
): Observation {
  return observation(
    id,
    requirement,
    question,
    async (run): Promise<Behaviour> => answeredWith(run.recall(name), ...decided),
  );
}
