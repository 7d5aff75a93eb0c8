import { randomUUID } from 'node:crypto';
import { parseFaults } from '../fault-language.ts';
import { changeRequests, changeSelectedReplies, isAbout, jsonReply, refusal } from '../faults.ts';
import { formField, type ProxiedPart, partOf, partsOf, withField, withParts } from '../forms.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

const refusing = 'rejected kinds pictures pdfs content pixels pages';
const record = '{"attachment":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const taken = `201 ${record}`;
const isUpload = (passing: ProxiedRequest) => isAbout(passing, 'POST /api/v1/attachments');
const setsField = (name: string, value: () => string) =>
  changeRequests(isUpload, (passing) => withField(passing, name, value()));
const onParts = (change: (parts: readonly ProxiedPart[]) => readonly ProxiedPart[]) =>
  changeRequests(isUpload, (passing) => withParts(passing, change(partsOf(passing))));
const replaces = (content: string, part: () => ProxiedPart) =>
  onParts((parts) => parts.map((each) => (each.content === content ? part() : each)));
const onPdf = (purpose: string, instead: ProxiedReply) =>
  changeRequests(
    (sent) =>
      isUpload(sent) && partOf(sent, 'purpose') === purpose && partOf(sent, 'file')?.startsWith('%PDF') === true,
    () => instead,
  );
const noFile = refusal(400, 'invalid_file');
const accepted = jsonReply(201, { attachment: { id: randomUUID() } });

export const uploadMutants = parseFaults(
  'uploads',
  `
answers a file without its container | answer | POST /attachments 201 -> unwrap attachment
says that a new file is gone | answer | POST /attachments 201 -> set attachment.available false
stores every file for the portfolio | answer posts.attachments images.rights | = portfolio
makes a new file of each upload | repeated rejected | = newIds
calls another file under one id malformed | repeated rejected | POST /attachments 409 -> 400
takes <purpose upload_id file> twice | fields | = <> twice
ignores further fields | fields | = further
takes any purpose | fields | = anyPurpose
answers 415 to files of other kinds | ${refusing} | POST /attachments 400 -> 415
frees the id of a rejected upload | rejected | = freesIds
refuses a picture of another media type | content | POST /attachments sent:'application/pdf\\r\\n\\r\\n\\x89PNG' <- 400 invalid_file
refuses a picture with the name of a text | content | POST /attachments sent:'notes.txt' <- 400 invalid_file
refuses every PNG | kinds pictures posts.ten-files | POST /attachments sent:'\\x89PNG' <- 400 invalid_file
refuses 20 million pixels | pixels | POST /attachments sent:'\\0\\0\\x13\\x88\\0\\0\\x0f\\xa0' <- 400 invalid_file
refuses 200 pages | pages | POST /attachments sent:'/Count 200 ' <- 400 invalid_file
takes no PDF for orders | kinds | = noOrderPdf
takes no PDF for works | kinds pdfs | = noWorkPdf
accepts a PDF as an avatar | kinds | = avatarPdf
accepts a PDF as a character | kinds | = characterPdf
takes files of 19 MiB | bytes | POST /attachments longer:'19922944' <- 413 body_too_large
takes files of any size | bytes | POST /attachments 413 -> ${taken}
`,
  {},
  {
    portfolio: setsField('purpose', () => 'portfolio'),
    newIds: setsField('upload_id', randomUUID),
    further: onParts((parts) => parts.filter(({ name }) => name !== 'note')),
    anyPurpose: replaces('video', () => formField('purpose', 'portfolio')),
    freesIds,
    noOrderPdf: onPdf('order', noFile),
    noWorkPdf: onPdf('portfolio', noFile),
    avatarPdf: onPdf('avatar', accepted),
    characterPdf: onPdf('character', accepted),
    ...Object.fromEntries(['purpose', 'upload_id', 'file'].flatMap(faultsOfField)),
  },
);

function faultsOfField(name: string): readonly (readonly [string, Fault])[] {
  const isFirst = (part: ProxiedPart, index: number, parts: readonly ProxiedPart[]) =>
    part.name !== name || parts.findIndex((other) => other.name === name) === index;
  const isWithout = ({ status }: ProxiedReply, sent: ProxiedRequest) =>
    isUpload(sent) && partOf(sent, name) === undefined && status === 400;
  return [
    [`without ${name}`, changeSelectedReplies(isWithout, () => accepted)],
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
