import { createHash } from 'node:crypto';
import {
  type Changeable,
  type FaultRow,
  faultTable,
  idIn,
  isAbout,
  json,
  parse,
  path,
  refusal,
  reply,
  replyWhen,
  request,
  requestWhen,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';
import { lendsToEverybody, staysAsSeen } from '../stateful-faults.ts';
import { type Original, uploadedBy, withOriginal } from './uploaded-files.ts';

const change = 'PATCH /api/v1/bots/me';
const files = '/api/v1/attachments/';
const anywhere = 'preview public images.public';
const hash = (original: string, form: 'hex' | 'base64') => createHash('sha256').update(original, 'latin1').digest(form);
const isFile = (passing: PassingRequest, end = '') => passing.path.startsWith(files) && passing.path.endsWith(end);
const hasImage = (body: Changeable) =>
  typeof (body['avatar_attachment_id'] ?? body['character_attachment_id']) === 'string';

const hiding: readonly FaultRow[] = ['bots?', 'bots/0', 'posts/', 'posts?', 'attachments/'].map((below) => [
  `hides nothing of ${below} with a profile`,
  'visibility.closing',
  staysAsSeen(({ method, path: sent }) => method === 'GET' && sent.startsWith(`/api/v1/${below}`)),
]);

/** Servers that serve the wrong version of a file, or to the wrong callers, or bind images wrongly. */
export const fileMutants = faultTable('files', [
  ['serves the original as its preview', anywhere, served('preview', (_, original) => original)],
  [
    'keeps the EXIF in previews',
    anywhere,
    served('preview', (preview, original) => (original.includes('Exif') ? withExifOf(preview, original) : preview)),
  ],
  ['serves the original to everybody', 'public images.public', served('download', (_, original) => original)],
  ['cuts the last byte off an original', 'original', served('download', (body) => body.slice(0, -1))],
  ['calls previews PNG', 'preview public', preview((passing) => typed(passing, 'image/png'))],
  ['answers an empty preview', 'preview public', preview((passing) => ({ ...passing, body: '' }))],
  ['gives the processed version to the owner', 'original', path(/download$/, 'preview')],
  [
    'knows no HEAD of files',
    'preview original public',
    requestWhen((sent) => sent.method === 'HEAD' && isFile(sent), { status: 405, headers: {}, body: '' }),
  ],
  [
    'tells another type by HEAD',
    'preview original public',
    replyWhen(
      (_, sent) => sent.method === 'HEAD' && isFile(sent),
      (passing) => typed(passing, 'application/octet-stream'),
    ),
  ],
  [
    'needs a token for public files',
    'public wrong-bearer images.public',
    requestWhen((sent) => isFile(sent) && tokenOf(sent) === undefined, refusal(401, 'unauthorized')),
  ],
  ['ignores a wrong token', 'wrong-bearer', ignoresTokens(() => true)],
  ['ignores a wrong token by HEAD', 'wrong-bearer', ignoresTokens(({ method }) => method === 'HEAD')],
  ['ignores a wrong token on previews', 'wrong-bearer', ignoresTokens((sent) => isFile(sent, 'preview'))],
  [
    'shows the record of the owner to others',
    'public',
    lendsToEverybody('attachment', (sent) => isFile(sent) && !/w$|d$/.test(sent.path)),
  ],
  [
    'shows the files of the author to the readers of a post',
    'in-posts',
    lendsToEverybody('post', (sent) => isAbout(sent, 'GET /api/v1/posts/*')),
  ],
  ['tells the hash of files in lists', 'in-posts', tellsHashes],
  [
    'serves every file to callers that know its id',
    'private deleted retracted visibility.closing',
    lendsToEverybody('attachment', (sent) => isFile(sent)),
  ],
  [
    'calls a file of others forbidden',
    'private visibility.closing',
    replyWhen(({ status }, sent) => isFile(sent) && status === 404, refusal(403, 'forbidden')),
  ],
  ['tells files of others from files that do not exist', 'private', tellsMissingFiles],
  [
    'keeps files public that were public once',
    'deleted retracted visibility.closing',
    staysAsSeen((sent) => isFile(sent)),
  ],
  ...hiding,
  ['hides the posts of a closed profile from its agent', 'visibility.closing', hidesOwnPosts],
  [
    'requires no rights of images',
    'images.rights',
    request(change, (body) => (hasImage(body) ? { ...body, rights_confirmed: true } : body)),
  ],
  ['requires no rights of images while the profile is closed', 'images.rights', requiresNoRightsWhileClosed],
  ['names another code for missing rights of images', 'images.rights', reply(`${change} 400`, 'invalid_input')],
  [
    'binds no image',
    'images.rights images.detached images.public',
    request(change, ({ avatar_attachment_id: _a, character_attachment_id: _c, ...rest }) => rest),
  ],
  [
    'ignores null in the place of an image',
    'images.detached',
    request(change, (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
  ],
  [
    'detaches both images at once',
    'images.detached',
    request(change, (body) =>
      Object.values(body).includes(null) ? { avatar_attachment_id: null, character_attachment_id: null } : body,
    ),
  ],
  ['takes any file for an image', 'images.wrong-file', reply(`${change} 404`, json(200, { bot: {} }))],
  [
    'calls a wrong file for an image malformed',
    'images.wrong-file',
    reply(`${change} 404`, refusal(400, 'invalid_input')),
  ],
  [
    'shows no avatar on cards',
    'images.public',
    replyWhen(
      (_, sent) => /^\/api\/v1\/(bots\/0|attachments)/.test(sent.path) && tokenOf(sent) !== undefined,
      (passing) => ({ ...passing, body: passing.body.replace(/"avatar":\{[^}]*\}/, '"avatar":null') }),
    ),
  ],
  ['tells the name of an avatar', 'images.public', told(({ filename }) => ({ filename }))],
  ['tells the hash of an avatar', 'images.public', told(({ original }) => ({ checksum: hash(original, 'base64') }))],
  [
    'tells the EXIF of an avatar',
    'images.public',
    told(({ original }) => ({ description: /exif[0-9a-f]{18}/.exec(original)?.[0] })),
  ],
]);

function typed(passing: PassingReply, type: string): PassingReply {
  return { ...passing, headers: { ...passing.headers, 'content-type': type } };
}

function preview(become: (passing: PassingReply) => PassingReply): Fault {
  return replyWhen(({ status }, sent) => isFile(sent, 'preview') && status === 200, become);
}

/** Serves other bytes, made from the right ones and from the original. */
function served(end: 'preview' | 'download', become: (body: string, original: string) => string): () => Fault {
  return withOriginal((passing, { original }, sent) =>
    passing.status === 200 && isFile(sent, end) ? { ...passing, body: become(passing.body, original) } : passing,
  );
}

/** Tells something about the original in the record of a file. */
function told(tell: (original: Original) => object): () => Fault {
  return withOriginal((passing, original) => {
    const record = parse(passing.body)?.['attachment'] as Changeable | undefined;
    return record === undefined ? passing : json(200, { attachment: { ...record, ...tell(original) } });
  });
}

function withExifOf(shown: string, original: string): string {
  const bytes = Buffer.from(original, 'latin1');
  const end = 4 + bytes.readUInt16BE(4);
  return `${shown.slice(0, 2)}${bytes.subarray(2, end).toString('latin1')}${shown.slice(2)}`;
}

function ignoresTokens(isMeant: (sent: PassingRequest) => boolean): () => Fault {
  return () => {
    const known = new Set<string>();
    return {
      onRequest: (sent) => {
        const token = tokenOf(sent);
        if (!isFile(sent) || token === undefined || known.has(token) || !isMeant(sent)) return sent;
        const { authorization: _, ...headers } = sent.headers;
        return { ...sent, headers };
      },
      onReply: (passing, sent) => {
        const token = tokenOf(sent);
        if (token !== undefined && isAbout(sent, change) && passing.status === 200) known.add(token);
        return passing;
      },
    };
  };
}

function tellsHashes(): Fault {
  const hashes = new Map<string, string>();
  return {
    onReply: (passing, sent) => {
      const uploaded = uploadedBy(passing, sent);
      if (uploaded !== undefined) hashes.set(uploaded.id, hash(uploaded.original, 'hex'));
      if (!isAbout(sent, 'GET /api/v1/posts?*')) return passing;
      const body = passing.body.replaceAll(/"id":"([^"]+)"/g, (text, id) => `${text},"sha256":"${hashes.get(id)}"`);
      return { ...passing, body };
    },
  };
}

function tellsMissingFiles(): Fault {
  const known = new Set<string>();
  return {
    onReply: (passing, sent) => {
      const uploaded = uploadedBy(passing, sent);
      if (uploaded !== undefined) known.add(uploaded.id);
      const isMissing = isFile(sent) && passing.status === 404 && !known.has(idIn(sent.path));
      return isMissing ? refusal(404, 'no_such_file') : passing;
    },
  };
}

function hidesOwnPosts(): Fault {
  const closed = new Set<string>();
  return {
    onRequest: (sent) => {
      const token = tokenOf(sent) ?? '';
      const { profile_public: isPublic } = (isAbout(sent, change) && parse(sent.body)) || {};
      if (isPublic === false) closed.add(token);
      if (isPublic === true) closed.delete(token);
      return closed.has(token) && isAbout(sent, 'GET /api/v1/posts/*') ? refusal(404, 'not_found') : sent;
    },
  };
}

function requiresNoRightsWhileClosed(): Fault {
  let isClosed = false;
  return request(change, (body) => {
    isClosed = body['profile_public'] === undefined ? isClosed : body['profile_public'] === false;
    return isClosed && hasImage(body) ? { ...body, rights_confirmed: true } : body;
  });
}
