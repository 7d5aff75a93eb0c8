import { randomUUID } from 'node:crypto';
import {
  type Changeable,
  codeIn,
  idIn,
  inAnswer,
  inRequest,
  isAbout,
  json,
  type Mutant,
  otherCode,
  parse,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';
import { instead, renamed, variant } from '../variant-faults.ts';

const me = 'PATCH /api/v1/bots/me';
const posts = '/api/v1/posts';
const posting = `POST ${posts}`;
const files = '/api/v1/attachments';
const uploading = `POST ${files}`;

/** Servers that are right and differ where the specification says nothing of search, cards, posts and files. */
export const publicVariants: readonly Mutant[] = [
  variant('search-case', 'distinguish upper and lower case', () =>
    findsNobody((query) => /^[^a-z]*[A-Z][^a-z]*$/.test(query.get('q') ?? '')),
  ),
  variant('search-updates', 'look into portfolio works alone', () => {
    const updates = new Set<unknown>();
    return bothOf(
      learns(posting, (body) => {
        if (body['kind'] !== 'portfolio') updates.add(body['text']);
      }),
      findsNobody((query) => updates.has(query.get('q'))),
    );
  }),
  variant('search-specialty', 'compare specialties as a whole', () => {
    const specialties = new Set<unknown>([null, '']);
    return bothOf(
      learns(me, (body) => specialties.add(body['specialty'])),
      findsNobody((query) => (query.get('specialty')?.length ?? 0) < 160 && !specialties.has(query.get('specialty'))),
    );
  }),
  variant('search-container', 'put agents elsewhere', () => renamed('/api/v1/bots', [['"bots":', '"agents":']])),
  variant('card-links', 'call action links otherwise', () => renamed('/api/v1/bots/', [['"links":', '"actions":']])),
  variant('card-works', 'put works elsewhere', () => renamed('/api/v1/bots/', [['"works":', '"published":']])),
  variant('post-defaults', 'give a title to what has none', () =>
    inRequest(posting, (body) => ('text' in body ? { title: 'Untitled', ...body } : body)),
  ),
  variant('post-members', 'call the author of a post otherwise', () => renamed(posts, [['"author":', '"by":']])),
  variant('post-deletion', 'say nothing of a deletion', () => inAnswer(`DELETE ${posts}/*`, 200, () => ({}))),
  variant('post-changes', 'change nothing of a post but its visibility', () => ({
    onRequest: (request) =>
      isAbout(request, `PATCH ${posts}/*`) && parse(request.body)?.['visibility'] === undefined
        ? refusal(400, 'invalid_field')
        : request,
  })),
  variant('post-rights', 'have one code for all rights', () =>
    otherCode('rights_required', 'publication_rights_required'),
  ),
  variant('post-under-closed', 'take a closed profile for a conflict', () =>
    instead(
      (answer, request) =>
        request.path.startsWith(posts) &&
        codeIn(answer) === 'invalid_visibility' &&
        parse(request.body)?.['visibility'] === 'public',
      refusal(409, 'state_conflict'),
    ),
  ),
  variant('file-members', 'call the type of a file otherwise', () => renamed(files, [['"media_type":', '"type":']])),
  variant('file-urls', 'name their host in addresses', () => ({
    onAnswer: (answer) => ({
      ...answer,
      body: answer.body.replaceAll(/"(preview|download)_url":"\//g, '"$1_url":"https://files.example/'),
    }),
  })),
  variant('upload-id-again', 'call an id that is used up unavailable', () =>
    instead(
      (answer, request) => isAbout(request, uploading) && codeIn(answer) === 'idempotency_conflict',
      refusal(409, 'upload_unavailable'),
    ),
  ),
  variant('file-too-large', 'call a large file invalid', () =>
    instead((answer, request) => isAbout(request, uploading) && answer.status === 413, refusal(400, 'invalid_file')),
  ),
  variant('upload-fields', 'call one field too many unknown', () =>
    instead(
      (answer, request) => isAbout(request, uploading) && request.body.includes('name="note"') && answer.status === 400,
      refusal(400, 'unknown_fields'),
    ),
  ),
  variant('truncated-file', 'take a JPEG without its end', () => ({
    onRequest: (request) => (isAbout(request, uploading) && isTruncated(request) ? taken() : request),
  })),
  variant('file-for-nobody', 'ask for a token where a file is not public', () => {
    const shown = new Set<string>();
    let isClosed = false;
    return {
      onAnswer: (answer, request) => {
        if (isAbout(request, me) && answer.status === 200) isClosed = parse(request.body)?.['profile_public'] === false;
        if (!request.path.startsWith(files) || tokenOf(request) !== undefined) return answer;
        const id = idIn(request.path);
        if (answer.status === 200) shown.add(id);
        // That is stated.
        const isHidden = isClosed && shown.has(id);
        return answer.status === 404 && !isHidden ? refusal(401, 'unauthorized') : answer;
      },
    };
  }),
  variant('preview-size', 'have previews of half the size', () => ({
    onAnswer: (answer, request) =>
      request.path.endsWith('/preview') && answer.status === 200 ? { ...answer, body: halved(answer.body) } : answer,
  })),
  variant('file-name', 'tell everybody the names of works', () =>
    inAnswer(`GET ${files}/*`, 200, (body) => {
      const attachment = body['attachment'] as Readonly<Record<string, unknown>>;
      return attachment['purpose'] === 'portfolio'
        ? { attachment: { filename: 'photo.jpg', ...attachment } }
        : { attachment };
    }),
  ),
  variant('image-again', 'take a detached image back', () =>
    instead(
      (answer, request) => isAbout(request, me) && codeIn(answer) === 'attachment_already_bound',
      json(200, { bot: {} }),
    ),
  ),
  variant('file-headers', 'give no advice to browsers', () => ({
    onAnswer: ({ headers: { 'content-disposition': _, ...headers }, ...answer }) => ({ ...answer, headers }),
  })),
];

/** Learns from one kind of requests, and answers another. */
function bothOf({ onRequest: learn }: Fault, { onRequest: answer }: Fault): Fault {
  return {
    onRequest: (request) => {
      const passing = learn?.(request) ?? request;
      return 'status' in passing ? passing : (answer?.(passing) ?? passing);
    },
  };
}

/** Reads requests and passes them on as they are, to the last space. */
function learns(about: string, learn: (body: Changeable) => unknown): Fault {
  return {
    onRequest: (request) => {
      const body = isAbout(request, about) ? parse(request.body) : undefined;
      if (body !== undefined) learn(body);
      return request;
    },
  };
}

function findsNobody(isMeant: (query: URLSearchParams) => boolean): Fault {
  return {
    onRequest: (request) => {
      const [path, search = ''] = request.path.split('?');
      const isSearch = request.method === 'GET' && path === '/api/v1/bots';
      return isSearch && isMeant(new URLSearchParams(search)) ? json(200, { agents: [] }) : request;
    },
  };
}

function isTruncated({ body }: PassingRequest): boolean {
  const bytes = Buffer.from(body.slice(0, 65_536), 'latin1');
  const isJpeg = bytes.includes(Buffer.from('ffd8ff', 'hex'));
  return isJpeg && !bytes.includes(Buffer.from('ffd9', 'hex'));
}

// The header of the frame of a picture tells its height and its width, in two bytes each.
function halved(body: string): string {
  const bytes = Buffer.from(body, 'latin1');
  const heads = ['ffc0001108', 'ffc2001108'].map((head) => bytes.indexOf(head, 0, 'hex'));
  const at = Math.max(...heads);
  if (at < 0) return body;
  for (const size of [at + 5, at + 7]) bytes.writeUInt16BE(Math.ceil(bytes.readUInt16BE(size) / 2), size);
  return bytes.toString('latin1');
}

function taken(): PassingAnswer {
  return json(201, { attachment: { id: randomUUID(), purpose: 'portfolio', available: true } });
}
