import { randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { isAbout, json, refusal, replyWhen, requestWhen } from '../faults.ts';
import { formField, type PassingPart, partOf, partsOf, withField, withParts } from '../forms.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';

const refusing = 'rejected kinds pictures pdfs content pixels pages';
const record = '{"attachment":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const taken = `201 ${record}`;
const missing = ['preview_url', 'download_url', 'available', 'purpose'].map(
  (name) => `tells no ${name} of a file | answer | GET /attachments/* 200 -> drop attachment.${name}\n`,
);
const fields = ['purpose', 'upload_id', 'file'];
const isUpload = (passing: PassingRequest) => isAbout(passing, 'POST /api/v1/attachments');
const setsField = (name: string, value: () => string) =>
  requestWhen(isUpload, (passing) => withField(passing, name, value()));
const onParts = (change: (parts: readonly PassingPart[]) => readonly PassingPart[]) =>
  requestWhen(isUpload, (passing) => withParts(passing, change(partsOf(passing))));
const replaces = (content: string, part: () => PassingPart) =>
  onParts((parts) => parts.map((each) => (each.content === content ? part() : each)));
const takes = (text: string) =>
  replyWhen(({ status }, sent) => isUpload(sent) && status === 400 && sent.body.includes(text), accepted);
const refuses = (text: string) => requestWhen((sent) => isUpload(sent) && sent.body.includes(text), noFile);
const onPdf = (purpose: string, instead: PassingReply) =>
  requestWhen(
    (sent) =>
      isUpload(sent) && partOf(sent, 'purpose') === purpose && partOf(sent, 'file')?.startsWith('%PDF') === true,
    instead,
  );
const noFile = refusal(400, 'invalid_file');
const accepted = json(201, { attachment: { id: randomUUID() } });

/** What the bytes of a file contain: those that are taken, and those that are refused. */
const takenTexts = {
  'a GIF | pictures': 'GIF89a',
  'an animated PNG | pictures': 'acTL',
  'an SVG | pictures': '<svg',
  'a WebP | pictures': 'WEBP',
  'a video | pictures': 'ftyp',
  'an encrypted PDF | pdfs': '/Encrypt',
  'a PDF with JavaScript at its opening | pdfs': '/OpenAction << /S /JavaScript',
  'a PDF with JavaScript among its names | pdfs': '/Names << /JavaScript',
  'a PDF that starts a program | pdfs': '/Launch',
  'a GIF that says it is a JPEG | content': 'image/jpeg\r\n\r\nGIF89a',
  'a text that says it is a PNG | content': 'image/png\r\n\r\nThis',
  'more than 20 million pixels | pixels': '\0\0\x13\x89\0\0\x0f\xa0',
  '201 pages | pages': '/Count 201 ',
};
const refusedTexts = {
  'a picture of another media type | content': 'application/pdf\r\n\r\n\x89PNG',
  'a picture with the name of a text | content': 'notes.txt',
  'every PNG | kinds pictures posts.ten-files': '\x89PNG',
  '20 million pixels | pixels': '\0\0\x13\x88\0\0\x0f\xa0',
  '200 pages | pages': '/Count 200 ',
};

/** Servers that take the wrong files, or the right ones wrongly. */
export const uploadMutants = faultsOf(
  'uploads',
  `
answers 200 to a new upload | answer repeated | POST /attachments 201 -> 200
answers a file without its container | answer | POST /attachments 201 -> unwrap attachment
${missing.join('')}
says that a new file is gone | answer | POST /attachments 201 -> set attachment.available false
takes every file for the portfolio | answer posts.attachments images.rights | = portfolio
answers 201 to a repeated upload | repeated | POST /attachments 200 -> 201
makes a new file of each upload | repeated rejected | = newIds
compares the upload_id alone | repeated | POST /attachments 409 -> 200 ${record}
calls another file under one id malformed | repeated rejected | POST /attachments 409 -> 400
${fields.map((name) => `takes an upload without ${name} | fields | = without ${name}\n`).join('')}
${fields.map((name) => `takes ${name} twice | fields | = ${name} twice\n`).join('')}
ignores further fields | fields | = further
takes any purpose | fields | = anyPurpose
takes any text for an id | fields | = anyId
takes every file | ${refusing} | POST /attachments 400 -> ${taken}
answers 415 to files of other kinds | ${refusing} | POST /attachments 400 -> 415
names another code for files of other kinds | ${refusing} | POST /attachments 400 -> code unsupported_file
frees the id of a rejected upload | rejected | = freesIds
names a conflict for the id of a rejected upload | rejected | POST /attachments 409 -> code idempotency_conflict
${Object.keys(takenTexts)
  .map((name) => `takes ${name} | = takes ${name.split(' |')[0]}\n`)
  .join('')}
${Object.keys(refusedTexts)
  .map((name) => `refuses ${name} | = refuses ${name.split(' |')[0]}\n`)
  .join('')}
takes no PDF for orders | kinds | = noOrderPdf
takes no PDF for works | kinds pdfs | = noWorkPdf
takes a PDF for an avatar | kinds | = avatarPdf
takes a PDF for a character | kinds | = characterPdf
takes files of 19 MiB | bytes | = smallFiles
takes files of any size | bytes | POST /attachments 413 -> ${taken}
`,
  {
    portfolio: setsField('purpose', () => 'portfolio'),
    newIds: setsField('upload_id', randomUUID),
    further: onParts((parts) => parts.filter(({ name }) => name !== 'note')),
    anyPurpose: replaces('video', () => formField('purpose', 'portfolio')),
    anyId: replaces('one', () => formField('upload_id', randomUUID())),
    freesIds,
    noOrderPdf: onPdf('order', noFile),
    noWorkPdf: onPdf('portfolio', noFile),
    avatarPdf: onPdf('avatar', accepted),
    characterPdf: onPdf('character', accepted),
    smallFiles: requestWhen(
      (sent) => isUpload(sent) && sent.body.length > 19 * 1024 * 1024,
      refusal(413, 'body_too_large'),
    ),
    ...Object.fromEntries(fields.flatMap(faultsOfField)),
    ...Object.fromEntries(
      Object.entries(takenTexts).map(([name, text]) => [`takes ${name.split(' |')[0]}`, takes(text)]),
    ),
    ...Object.fromEntries(
      Object.entries(refusedTexts).map(([name, text]) => [`refuses ${name.split(' |')[0]}`, refuses(text)]),
    ),
  },
);

function faultsOfField(name: string): readonly (readonly [string, Fault])[] {
  const isFirst = (part: PassingPart, index: number, parts: readonly PassingPart[]) =>
    part.name !== name || parts.findIndex((other) => other.name === name) === index;
  const isWithout = ({ status }: PassingReply, sent: PassingRequest) =>
    isUpload(sent) && partOf(sent, name) === undefined && status === 400;
  return [
    [`without ${name}`, replyWhen(isWithout, accepted)],
    [`${name} twice`, onParts((parts) => parts.filter(isFirst))],
  ];
}

function freesIds(): Fault {
  const rejected = new Set<string>();
  return {
    onRequest: (passing) =>
      rejected.has(partOf(passing, 'upload_id') ?? '') ? withField(passing, 'upload_id', randomUUID()) : passing,
    onReply: (passing, sent) => {
      if (isUpload(sent) && passing.status === 400) rejected.add(partOf(sent, 'upload_id') ?? '');
      return passing;
    },
  };
}
