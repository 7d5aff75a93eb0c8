import { createHash } from 'node:crypto';
import { parseFaults } from '../fault-language.ts';
import {
  changeRequestJson,
  isAbout,
  jsonReply,
  type MutableObject,
  parseJsonObject,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';
import { findUploadedOriginal, type UploadedOriginal, withOriginal } from './uploaded-files.ts';

const change = 'PATCH /api/v1/bots/me';
const anywhere = 'preview public images.public';
const anyImage = `sent:'(avatar|character)_attachment_id":"'`;
const hash = (original: string, form: 'hex' | 'base64') => createHash('sha256').update(original, 'latin1').digest(form);
const isFile = (passing: ProxiedRequest, end = '') =>
  passing.path.startsWith('/api/v1/attachments/') && passing.path.endsWith(end);

export const fileMutants = parseFaults(
  'files',
  `
serves the original as its preview | ${anywhere} | = originalAsPreview
keeps the EXIF in previews | ${anywhere} | = keepsExif
serves the original to everybody | public images.public | = originalToAll
cuts the last byte off an original | original | = cutsOriginal
calls previews PNG | preview public | * /attachments/* path:'preview$' 200 -> header content-type image/png
answers an empty preview | preview public | * /attachments/* path:'preview$' 200 -> body ''
gives the processed version to the owner | original | * <- path download$ preview
knows no HEAD of files | preview original public | HEAD /attachments/* <- 405 -
tells another type by HEAD | preview original public | HEAD /attachments/* -> header content-type application/octet-stream
needs a token for public files | public wrong-bearer images.public | * /attachments/* anonymous <- 401 unauthorized
ignores a wrong token | wrong-bearer | = ignoresTokens
names the address of a preview that is not there | addresses | * /attachments* -> replace '/preview"' '/picture"'
names the address of a download that is not there | addresses | * /attachments* -> replace '/download"' '/original"'
ignores a wrong token by HEAD | wrong-bearer | = ignoresTokensByHead
ignores a wrong token on previews | wrong-bearer | = ignoresTokensOnPreviews
shows the record of the owner to others | public | * /attachments/* path:'attachments/[^/]+$' <- as-author attachment
tells the hash of files in lists | in-posts | = leaksHashes
serves every file to callers that know its id | private deleted retracted visibility.closing contacts.friend-privacy | * /attachments/* <- as-author attachment
calls a file of others forbidden | private visibility.closing | * /attachments/* 404 -> 403 forbidden
keeps files public that were public once | deleted retracted visibility.closing | * /attachments/* -> as-first-seen
hides nothing of <bots? bots/0 posts/ posts? attachments/> with a profile | visibility.closing | GET /<>* -> as-first-seen
hides the posts of a closed profile from its agent | visibility.closing | = hidesOwnPosts
requires no rights of images | images.rights | PATCH /bots/me ${anyImage} <- set rights_confirmed true
requires no rights of images while the profile is closed | images.rights | = requiresNoRightsWhileClosed
ignores null in the place of an image | images.detached | PATCH /bots/me <- change avatar_attachment_id null undefined & PATCH /bots/me <- change character_attachment_id null undefined
accepts any file as an image | images.wrong-file | PATCH /bots/me 404 -> 200 {"bot":{}}
shows no avatar on cards | images.public | * path:'^/api/v1/(bots/0|attachments)' token -> replace '"avatar":{[^}]*}' '"avatar":null'
tells the name of an avatar | images.public | = leaksName
tells the hash of an avatar | images.public | = leaksHash
tells the EXIF of an avatar | images.public | = leaksExif
`,
  {},
  {
    originalAsPreview: served('preview', (_, original) => original),
    keepsExif: served('preview', (shown, original) =>
      original.includes('Exif') ? withExifOf(shown, original) : shown,
    ),
    originalToAll: served('download', (_, original) => original),
    cutsOriginal: served('download', (body) => body.slice(0, -1)),
    ignoresTokens: ignoresTokens(() => true),
    ignoresTokensByHead: ignoresTokens(({ method }) => method === 'HEAD'),
    ignoresTokensOnPreviews: ignoresTokens((sent) => isFile(sent, 'preview')),
    leaksName: describesOriginal(({ filename }) => ({ filename })),
    leaksHash: describesOriginal(({ original }) => ({ checksum: hash(original, 'base64') })),
    leaksExif: describesOriginal(({ original }) => ({ description: /exif[0-9a-f]{18}/.exec(original)?.[0] })),
    leaksHashes,
    hidesOwnPosts,
    requiresNoRightsWhileClosed,
  },
);

/** Serves other bytes, which `become` derives from the correct bytes and the original. */
function served(end: 'preview' | 'download', become: (body: string, original: string) => string): () => Fault {
  return withOriginal((passing, { original }, sent) =>
    passing.status === 200 && isFile(sent, end) ? { ...passing, body: become(passing.body, original) } : passing,
  );
}

/** Adds data from the original to the record of a file. */
function describesOriginal(tell: (original: UploadedOriginal) => object): () => Fault {
  return withOriginal((passing, original) => {
    const record = parseJsonObject(passing.body)?.['attachment'] as MutableObject | undefined;
    return record === undefined ? passing : jsonReply(200, { attachment: { ...record, ...tell(original) } });
  });
}

function withExifOf(shown: string, original: string): string {
  const bytes = Buffer.from(original, 'latin1');
  const end = 4 + bytes.readUInt16BE(4);
  return `${shown.slice(0, 2)}${bytes.subarray(2, end).toString('latin1')}${shown.slice(2)}`;
}

function ignoresTokens(isMeant: (sent: ProxiedRequest) => boolean): () => Fault {
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

function leaksHashes(): Fault {
  const hashes = new Map<string, string>();
  return {
    onReply: (passing, sent) => {
      const uploaded = findUploadedOriginal(passing, sent);
      if (uploaded !== undefined) hashes.set(uploaded.id, hash(uploaded.original, 'hex'));
      if (!isAbout(sent, 'GET /api/v1/posts?*')) return passing;
      const body = passing.body.replaceAll(/"id":"([^"]+)"/g, (text, id) => `${text},"sha256":"${hashes.get(id)}"`);
      return { ...passing, body };
    },
  };
}

function hidesOwnPosts(): Fault {
  const closed = new Set<string>();
  return {
    onRequest: (sent) => {
      const token = tokenOf(sent) ?? '';
      const { profile_public: isPublic } = (isAbout(sent, change) && parseJsonObject(sent.body)) || {};
      if (isPublic === false) closed.add(token);
      if (isPublic === true) closed.delete(token);
      return closed.has(token) && isAbout(sent, 'GET /api/v1/posts/*') ? refusal(404, 'not_found') : sent;
    },
  };
}

function requiresNoRightsWhileClosed(): Fault {
  let isClosed = false;
  return changeRequestJson(change, (body) => {
    isClosed = body['profile_public'] === undefined ? isClosed : body['profile_public'] === false;
    const hasImage = [body['avatar_attachment_id'], body['character_attachment_id']].some(
      (id) => typeof id === 'string',
    );
    return isClosed && hasImage ? { ...body, rights_confirmed: true } : body;
  });
}
