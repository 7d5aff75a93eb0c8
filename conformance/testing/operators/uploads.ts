import { operations as everyOperation } from '@agent-platform/contract';
import { makePng } from '../../src/payloads/png.ts';
import {
  makePdf,
  mislabelledFiles,
  type RefusedFile,
  refusedPdfs,
  refusedPictures,
} from '../../src/payloads/refused-files.ts';
import { jsonReply, parseJsonObject, refusal, withJson } from '../faults.ts';
import { partOf, partsOf, withField } from '../forms.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';
import { changeOperationRequests, type GeneratedFault, makeFaultFactory } from './generated.ts';
import { isCallOf, isSuccessful } from './places.ts';

const upload = byId('uploadAttachment');
const textOf = (bytes: Buffer) => bytes.toString('latin1');

/** Servers that accept a file that must be refused, as if it had an accepted type. */
const namedTaken = makeFaultFactory('takes', 'only JPEG, PNG and static PDF are accepted, by their content');
const taken = [...refusedPictures, ...refusedPdfs, ...mislabelledFiles].map((file) =>
  namedTaken(upload.id, file.what, () => changeOperationRequests(upload, (request) => withGoodFile(request, file))),
);

/** Servers that refuse files of an accepted type, for each permitted purpose. */
const kinds = [
  { kind: 'a JPEG', start: '\xff\xd8\xff', purposes: ['avatar', 'character', 'portfolio', 'order'] },
  { kind: 'a PNG', start: '\x89PNG', purposes: ['avatar', 'character', 'portfolio', 'order'] },
  { kind: 'a PDF', start: '%PDF-', purposes: ['portfolio', 'order'] },
] as const;
const namedRefused = makeFaultFactory('refuses', 'each accepted kind of file is accepted for its purposes');
const refused = kinds.flatMap(({ kind, start, purposes }) =>
  purposes.map((purpose) =>
    namedRefused(upload.id, `${kind} for ${purpose}`, () =>
      changeOperationRequests(upload, (request) => {
        const isMeant = partOf(request, 'purpose') === purpose && partOf(request, 'file')?.startsWith(start) === true;
        return isMeant ? refusal(400, 'invalid_file') : request;
      }),
    ),
  ),
);

/** Servers that trust the client's media type or file name. */
const namedTrusted = makeFaultFactory('goes by', 'the content determines the type of a file');
const trusted = (['the media type', 'the name'] as const).map((what) =>
  namedTrusted(upload.id, what, () =>
    changeOperationRequests(upload, (request) => {
      const head = partsOf(request).find(({ name }) => name === 'file')?.head ?? '';
      const isGood =
        what === 'the name' ? /filename="[^"]*\.(jpe?g|png|pdf)"/i.test(head) : /image\/(jpeg|png)|pdf/.test(head);
      return isGood ? request : refusal(400, 'invalid_file');
    }),
  ),
);

const send = byId('sendMessage');
const namedPlain = makeFaultFactory('takes', 'a message is an envelope, and its text is not in any other member');
const plainText = [
  namedPlain(send.id, 'a text in place of an envelope', () =>
    changeOperationRequests(send, (request) =>
      request.body.includes('"ciphertext"') ? request : jsonReply(201, { message: {} }),
    ),
  ),
  namedPlain(send.id, 'a text beside an envelope, and returns it', keepsText),
];

export const uploadFaults: readonly GeneratedFault[] = [...taken, ...refused, ...trusted, ...plainText];

function keepsText(): Fault {
  let kept = '';
  return {
    onRequest: (request) => {
      const { text, ...envelope } = parseJsonObject(request.body) ?? {};
      if (!isCallOf(send, request) || typeof text !== 'string' || !('ciphertext' in envelope)) return request;
      kept = text;
      return withJson(request, () => envelope);
    },
    onReply: (reply, request) => {
      const isRead = kept !== '' && isSuccessful(reply) && isCallOf(byId('listMessages'), request);
      const members = `"text":${JSON.stringify(kept)},"ciphertext":`;
      return isRead ? { ...reply, body: reply.body.replaceAll('"ciphertext":', () => members) } : reply;
    },
  };
}

function withGoodFile(request: ProxiedRequest, { bytes, type }: RefusedFile): ProxiedRequest {
  if (partOf(request, 'file') !== textOf(bytes)) return request;
  const good = type === 'application/pdf' ? makePdf() : makePng();
  return withField(request, 'file', textOf(good));
}

function byId(id: string) {
  const found = everyOperation.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}.`);
  return found;
}
