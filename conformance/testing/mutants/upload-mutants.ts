import { randomUUID } from 'node:crypto';
import { type Changeable, inAnswer, isAbout, json, type Mutant, mutant, otherStatus, refusal } from '../faults.ts';
import { field, type PassingPart, partOf, partsOf, withField, withParts } from '../forms.ts';
import type { Fault, PassingRequest } from '../proxy.ts';

const upload = 'POST /api/v1/attachments';
const refusing = ['uploads.rejected', 'uploads.kinds', 'uploads.pictures', 'uploads.pdfs', 'uploads.content'];
const limited = ['uploads.pixels', 'uploads.pages'];

/** Servers that take the wrong files, or the right ones wrongly. */
export const uploadMutants: readonly Mutant[] = [
  mutant('answers 200 to a new upload', ['uploads.answer', 'uploads.repeated'], () => otherStatus(upload, 201, 200)),
  mutant('answers a file without its container', ['uploads.answer'], () =>
    inAnswer(upload, 201, ({ attachment }) => attachment),
  ),
  ...['preview_url', 'download_url', 'available', 'purpose'].map((name) =>
    mutant(`tells no ${name} of a file`, ['uploads.answer'], () =>
      inAnswer('GET /api/v1/attachments/*', 200, (body) => {
        delete (body['attachment'] as Changeable)[name];
      }),
    ),
  ),
  mutant('says that a new file is gone', ['uploads.answer'], () =>
    inAnswer(upload, 201, (body) => {
      (body['attachment'] as Changeable)['available'] = false;
    }),
  ),
  mutant('takes every file for the portfolio', ['uploads.answer', 'posts.attachments', 'images.rights'], () =>
    onUpload((request) => withField(request, 'purpose', 'portfolio')),
  ),
  mutant('answers 201 to a repeated upload', ['uploads.repeated'], () => otherStatus(upload, 200, 201)),
  mutant('makes a new file of each upload', ['uploads.repeated', 'uploads.rejected'], () =>
    onUpload((request) => withField(request, 'upload_id', randomUUID())),
  ),
  mutant('looks at the upload_id alone', ['uploads.repeated'], () =>
    onAnswerTo(upload, 409, () => json(200, { attachment: { id: randomUUID() } })),
  ),
  mutant('calls another file under one id malformed', ['uploads.repeated', 'uploads.rejected'], () =>
    otherStatus(upload, 409, 400),
  ),
  ...['purpose', 'upload_id', 'file'].map((name) =>
    mutant(`takes an upload without ${name}`, ['uploads.fields'], () => ({
      onAnswer: (answer, request) =>
        isAbout(request, upload) && partOf(request, name) === undefined && answer.status === 400 ? taken() : answer,
    })),
  ),
  ...['purpose', 'upload_id', 'file'].map((name) =>
    onParts(`takes ${name} twice`, ['uploads.fields'], (parts) =>
      parts.filter((part, index) => part.name !== name || parts.findIndex((other) => other.name === name) === index),
    ),
  ),
  onParts('passes over further fields', ['uploads.fields'], (parts) => parts.filter(({ name }) => name !== 'note')),
  onParts('takes any purpose', ['uploads.fields'], (parts) =>
    parts.map((part) => (part.content === 'video' ? field('purpose', 'portfolio') : part)),
  ),
  onParts('takes any text for an id', ['uploads.fields'], (parts) =>
    parts.map((part) => (part.content === 'one' ? field('upload_id', randomUUID()) : part)),
  ),
  mutant('takes whatever is sent for a file', [...refusing, ...limited], () => onAnswerTo(upload, 400, taken)),
  mutant('answers 415 to files of other kinds', [...refusing, ...limited], () => otherStatus(upload, 400, 415)),
  mutant('names another code for files of other kinds', [...refusing, ...limited], () =>
    inAnswer(upload, 400, () => ({ error: { code: 'unsupported_file', message: 'No.' } })),
  ),
  mutant('frees the id of a rejected upload', ['uploads.rejected'], () => {
    const rejected = new Set<string>();
    return {
      onRequest: (request) =>
        rejected.has(partOf(request, 'upload_id') ?? '') ? withField(request, 'upload_id', randomUUID()) : request,
      onAnswer: (answer, request) => {
        if (isAbout(request, upload) && answer.status === 400) rejected.add(partOf(request, 'upload_id') ?? '');
        return answer;
      },
    };
  }),
  mutant('names a conflict for the id of a rejected upload', ['uploads.rejected'], () =>
    inAnswer(upload, 409, () => ({ error: { code: 'idempotency_conflict', message: 'No.' } })),
  ),
  takes('a GIF', 'uploads.pictures', 'GIF89a'),
  takes('an animated PNG', 'uploads.pictures', 'acTL'),
  takes('an SVG', 'uploads.pictures', '<svg'),
  takes('a WebP', 'uploads.pictures', 'WEBP'),
  takes('a video', 'uploads.pictures', 'ftyp'),
  takes('an encrypted PDF', 'uploads.pdfs', '/Encrypt'),
  takes('a PDF with JavaScript at its opening', 'uploads.pdfs', '/OpenAction << /S /JavaScript'),
  takes('a PDF with JavaScript among its names', 'uploads.pdfs', '/Names << /JavaScript'),
  takes('a PDF that starts a program', 'uploads.pdfs', '/Launch'),
  takes('a GIF that says it is a JPEG', 'uploads.content', 'image/jpeg\r\n\r\nGIF89a'),
  takes('a text that says it is a PNG', 'uploads.content', 'image/png\r\n\r\nThis'),
  refusesFiles('believes what the client says of a picture', ['uploads.content'], 'application/pdf\r\n\r\n\x89PNG'),
  refusesFiles('goes by the names of files', ['uploads.content'], 'notes.txt'),
  mutant('takes no PDF for orders', ['uploads.kinds'], () => onPdf('order', () => refusal(400, 'invalid_file'))),
  mutant('takes no PDF for works', ['uploads.kinds', 'uploads.pdfs'], () =>
    onPdf('portfolio', () => refusal(400, 'invalid_file')),
  ),
  mutant('takes a PDF for an avatar', ['uploads.kinds'], () => onPdf('avatar', taken)),
  mutant('takes a PDF for a character', ['uploads.kinds'], () => onPdf('character', taken)),
  refusesFiles('takes no PNG', ['uploads.kinds', 'uploads.pictures', 'posts.ten-files'], '\x89PNG'),
  refusesFiles('takes no 20 million pixels', ['uploads.pixels'], '\0\0\x13\x88\0\0\x0f\xa0'),
  takes('20 million pixels and more', 'uploads.pixels', '\0\0\x13\x89\0\0\x0f\xa0'),
  refusesFiles('takes no 200 pages', ['uploads.pages'], '/Count 200 '),
  takes('201 pages', 'uploads.pages', '/Count 201 '),
  mutant('takes files of 19 MiB', ['uploads.bytes'], () =>
    onUpload((request) => (request.body.length > 19 * 1024 * 1024 ? refusal(413, 'body_too_large') : request)),
  ),
  mutant('takes files of any size', ['uploads.bytes'], () => onAnswerTo(upload, 413, taken)),
];

function taken() {
  return json(201, { attachment: { id: randomUUID() } });
}

function onUpload(change: Required<Fault>['onRequest']): Fault {
  return { onRequest: (request) => (isAbout(request, upload) ? change(request) : request) };
}

function onAnswerTo(about: string, status: number, answerInstead: () => ReturnType<typeof json>): Fault {
  return {
    onAnswer: (answer, request) => (isAbout(request, about) && answer.status === status ? answerInstead() : answer),
  };
}

function onParts(
  name: string,
  kills: readonly string[],
  change: (parts: readonly PassingPart[]) => readonly PassingPart[],
): Mutant {
  return mutant(name, kills, () => onUpload((request) => withParts(request, change(partsOf(request)))));
}

/** Takes what the server refuses, where the form has this in it. */
function takes(what: string, kill: string, inForm: string): Mutant {
  return mutant(`takes ${what}`, [kill], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, upload) && answer.status === 400 && request.body.includes(inForm) ? taken() : answer,
  }));
}

/** Refuses what the server takes, where the form has this in it. */
function refusesFiles(name: string, kills: readonly string[], inForm: string): Mutant {
  return mutant(name, kills, () =>
    onUpload((request) => (request.body.includes(inForm) ? refusal(400, 'invalid_file') : request)),
  );
}

function onPdf(purpose: string, answerInstead: () => ReturnType<typeof json>): Fault {
  const isMeant = (request: PassingRequest) =>
    partOf(request, 'purpose') === purpose && partOf(request, 'file')?.startsWith('%PDF') === true;
  return onUpload((request) => (isMeant(request) ? answerInstead() : request));
}
