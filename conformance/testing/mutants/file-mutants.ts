import { createHash } from 'node:crypto';
import {
  type Changeable,
  idIn,
  inAnswer,
  inRequest,
  isAbout,
  json,
  lendsToEverybody,
  type Mutant,
  mutant,
  parse,
  refusal,
  staysAsSeen,
  tokenOf,
} from '../faults.ts';
import { partOf, partsOf } from '../forms.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const change = 'PATCH /api/v1/bots/me';
const hidden = ['files.private', 'files.deleted', 'files.retracted', 'visibility.closing'];

/** Servers that hand out the wrong version of a file, or to the wrong ones, or bind images wrongly. */
export const fileMutants: readonly Mutant[] = [
  served(
    'serves the original as its preview',
    ['files.preview', 'files.public', 'images.public'],
    'preview',
    (_, original) => original,
  ),
  served(
    'keeps the EXIF in previews',
    ['files.preview', 'files.public', 'images.public'],
    'preview',
    (preview, original) => (original.includes('Exif') ? withExifOf(preview, original) : preview),
  ),
  served('serves the original to everybody', ['files.public', 'images.public'], 'download', (_, original) => original),
  served('cuts the last byte off an original', ['files.original'], 'download', (body) => body.slice(0, -1)),
  mutant('calls previews PNG', ['files.preview', 'files.public'], () => ({
    onAnswer: (answer, request) =>
      isFilePath(request, 'preview') && answer.status === 200
        ? { ...answer, headers: { ...answer.headers, 'content-type': 'image/png' } }
        : answer,
  })),
  mutant('answers an empty preview', ['files.preview', 'files.public'], () => ({
    onAnswer: (answer, request) => (isFilePath(request, 'preview') ? { ...answer, body: '' } : answer),
  })),
  mutant('gives the processed version to the owner', ['files.original'], () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace(/download$/, 'preview') }),
  })),
  mutant('knows no HEAD of files', ['files.preview', 'files.original', 'files.public'], () => ({
    onRequest: (request) =>
      request.method === 'HEAD' && isFilePath(request) ? { status: 405, headers: {}, body: '' } : request,
  })),
  mutant('tells another type by HEAD', ['files.preview', 'files.original', 'files.public'], () => ({
    onAnswer: (answer, request) =>
      request.method === 'HEAD' && isFilePath(request)
        ? { ...answer, headers: { 'content-type': 'application/octet-stream' } }
        : answer,
  })),
  mutant('needs a token for public files', ['files.public', 'files.wrong-bearer', 'images.public'], () => ({
    onRequest: (request) =>
      isFilePath(request) && tokenOf(request) === undefined ? refusal(401, 'unauthorized') : request,
  })),
  mutant('takes a wrong token for none', ['files.wrong-bearer'], () => anonymous(() => true)),
  mutant('takes a wrong token for none by HEAD', ['files.wrong-bearer'], () =>
    anonymous(({ method }) => method === 'HEAD'),
  ),
  mutant('takes a wrong token for none on previews', ['files.wrong-bearer'], () =>
    anonymous((request) => isFilePath(request, 'preview')),
  ),
  mutant('shows the record of the owner to others', ['files.public'], () =>
    lendsToEverybody((request) => isFilePath(request) && !/w$|d$/.test(request.path)),
  ),
  mutant('shows the files of the author to the readers of a post', ['files.in-posts'], () =>
    lendsToEverybody((request) => isAbout(request, 'GET /api/v1/posts/*')),
  ),
  mutant('tells the hash of files in lists', ['files.in-posts'], () => {
    const hashes = new Map<string, string>();
    return {
      onAnswer: (answer, request) => {
        const known = remembered(answer, request);
        if (known !== undefined)
          hashes.set(known.id, createHash('sha256').update(known.original, 'latin1').digest('hex'));
        if (!isAbout(request, 'GET /api/v1/posts?*')) return answer;
        return {
          ...answer,
          body: answer.body.replaceAll(/"id":"([^"]+)"/g, (text, id) => `${text},"sha256":"${hashes.get(id)}"`),
        };
      },
    };
  }),
  mutant('hands every file to whoever knows its id', hidden, () => lendsToEverybody((request) => isFilePath(request))),
  mutant('calls a file of others forbidden', ['files.private', 'visibility.closing'], () => ({
    onAnswer: (answer, request) =>
      isFilePath(request) && answer.status === 404 ? { ...refusal(403, 'forbidden') } : answer,
  })),
  mutant('tells files of others from files that never were', ['files.private'], () => {
    const known = new Set<string>();
    return {
      onAnswer: (answer, request) => {
        const made = remembered(answer, request);
        if (made !== undefined) known.add(made.id);
        return isFilePath(request) && answer.status === 404 && !known.has(idIn(request.path))
          ? refusal(404, 'no_such_file')
          : answer;
      },
    };
  }),
  mutant('keeps files public that were so once', ['files.deleted', 'files.retracted', 'visibility.closing'], () =>
    staysAsSeen((request) => isFilePath(request)),
  ),
  ...['/api/v1/bots?', '/api/v1/bots/0', '/api/v1/posts/', '/api/v1/posts?', '/api/v1/attachments/'].map((path) =>
    mutant(`hides nothing of ${path} with a profile`, ['visibility.closing'], () =>
      staysAsSeen(({ method, path: asked }) => method === 'GET' && asked.startsWith(path)),
    ),
  ),
  mutant('hides the posts of a closed profile from its agent', ['visibility.closing'], () => {
    const closed = new Set<string>();
    return {
      onRequest: (request) => {
        const token = tokenOf(request) ?? '';
        const { profile_public: isPublic } = (isAbout(request, change) && parse(request.body)) || {};
        if (isPublic === false) closed.add(token);
        if (isPublic === true) closed.delete(token);
        return closed.has(token) && isAbout(request, 'GET /api/v1/posts/*') ? refusal(404, 'not_found') : request;
      },
    };
  }),
  mutant('asks for no rights of images', ['images.rights'], () =>
    inRequest(change, (body) => (hasImage(body) ? { ...body, rights_confirmed: true } : body)),
  ),
  mutant('asks for no rights of images while the profile is closed', ['images.rights'], () => {
    let isClosed = false;
    return inRequest(change, (body) => {
      isClosed = body['profile_public'] === undefined ? isClosed : body['profile_public'] === false;
      return isClosed && hasImage(body) ? { ...body, rights_confirmed: true } : body;
    });
  }),
  mutant('names another code for missing rights of images', ['images.rights'], () =>
    inAnswer(change, 400, () => ({ error: { code: 'invalid_input', message: 'No.' } })),
  ),
  mutant('binds no image', ['images.rights', 'images.detached', 'images.public'], () =>
    inRequest(change, ({ avatar_attachment_id: _a, character_attachment_id: _c, ...rest }) => rest),
  ),
  mutant('passes over null in the place of an image', ['images.detached'], () =>
    inRequest(change, (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
  ),
  mutant('detaches both images at once', ['images.detached'], () =>
    inRequest(change, (body) =>
      Object.values(body).includes(null) ? { avatar_attachment_id: null, character_attachment_id: null } : body,
    ),
  ),
  mutant('takes any file for an image', ['images.wrong-file'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, change) && answer.status === 404 ? json(200, { bot: {} }) : answer,
  })),
  mutant('calls a wrong file for an image malformed', ['images.wrong-file'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, change) && answer.status === 404 ? refusal(400, 'invalid_input') : answer,
  })),
  mutant('shows no avatar on cards', ['images.public'], () => ({
    onAnswer: (answer, request) => {
      if (!/^\/api\/v1\/(bots\/0|attachments)/.test(request.path) || tokenOf(request) === undefined) return answer;
      return { ...answer, body: answer.body.replace(/"avatar":\{[^}]*\}/, '"avatar":null') };
    },
  })),
  told('the name of an avatar', ({ filename }) => ({ filename })),
  told('the hash of an avatar', ({ original }) => ({
    checksum: createHash('sha256').update(original, 'latin1').digest('base64'),
  })),
  told('the EXIF of an avatar', ({ original }) => ({ description: /exif[0-9a-f]{18}/.exec(original)?.[0] })),
];

function isFilePath({ path }: PassingRequest, end = ''): boolean {
  return path.startsWith('/api/v1/attachments/') && path.endsWith(end);
}

function hasImage(body: Changeable): boolean {
  return typeof (body['avatar_attachment_id'] ?? body['character_attachment_id']) === 'string';
}

interface Original {
  readonly id: string;
  readonly filename: string;
  /** One character for each byte. */
  readonly original: string;
}

/** What was uploaded by a request, where it was. */
function remembered(answer: PassingAnswer, request: PassingRequest): Original | undefined {
  const record = parse(answer.body)?.['attachment'] as Changeable | undefined;
  const original = partOf(request, 'file');
  if (original === undefined || typeof record?.['id'] !== 'string') return undefined;
  const head = partsOf(request).find(({ name }) => name === 'file')?.head ?? '';
  return { id: record['id'], original, filename: /filename="([^"]*)"/.exec(head)?.[1] ?? '' };
}

/** Serves other bytes, made from what would be served and from the original. */
function served(
  name: string,
  kills: readonly string[],
  end: 'preview' | 'download',
  change: (body: string, original: string) => string,
): Mutant {
  return mutant(name, kills, () => {
    const originals = new Map<string, string>();
    return {
      onAnswer: (answer, request) => {
        const known = remembered(answer, request);
        if (known !== undefined) originals.set(known.id, known.original);
        const original = originals.get(idIn(request.path));
        if (answer.status !== 200 || !isFilePath(request, end) || original === undefined) return answer;
        return { ...answer, body: change(answer.body, original) };
      },
    };
  });
}

/** Tells something of the original in the record of a file. */
function told(what: string, tell: (original: Original) => object): Mutant {
  return mutant(`tells ${what}`, ['images.public'], () => {
    const originals = new Map<string, Original>();
    return {
      onAnswer: (answer, request) => {
        const known = remembered(answer, request);
        if (known !== undefined) originals.set(known.id, known);
        const original = originals.get(idIn(request.path));
        const record = parse(answer.body)?.['attachment'] as Changeable | undefined;
        if (original === undefined || record === undefined) return answer;
        return json(200, { attachment: { ...record, ...tell(original) } });
      },
    };
  });
}

function withExifOf(preview: string, original: string): string {
  const bytes = Buffer.from(original, 'latin1');
  const end = 4 + bytes.readUInt16BE(4);
  return `${preview.slice(0, 2)}${bytes.subarray(2, end).toString('latin1')}${preview.slice(2)}`;
}

function anonymous(isMeant: (request: PassingRequest) => boolean): Fault {
  const known = new Set<string>();
  return {
    onRequest: (request) => {
      const token = tokenOf(request);
      if (!isFilePath(request) || token === undefined || known.has(token) || !isMeant(request)) return request;
      const { authorization: _, ...headers } = request.headers;
      return { ...request, headers };
    },
    onAnswer: (answer, request) => {
      const token = tokenOf(request);
      if (token !== undefined && isAbout(request, change) && answer.status === 200) known.add(token);
      return answer;
    },
  };
}
