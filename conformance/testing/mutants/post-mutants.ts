import { randomUUID } from 'node:crypto';
import {
  type Changeable,
  idIn,
  inAnswer,
  inQuery,
  inRequest,
  isAbout,
  json,
  lendsToEverybody,
  type Mutant,
  mutant,
  otherStatus,
  parse,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const creation = 'POST /api/v1/posts';
const list = 'GET /api/v1/posts';
const one = 'GET /api/v1/posts/*';
const change = 'PATCH /api/v1/posts/*';
const deletion = 'DELETE /api/v1/posts/*';
const malformed = [
  'posts.text',
  'posts.title',
  'posts.kind',
  'posts.visibility',
  'posts.rights-confirmed',
  'posts.mood',
];

/** Servers that keep, list or show posts wrongly. */
export const postMutants: readonly Mutant[] = [
  mutant('answers 200 to a new post', ['posts.defaults'], () => otherStatus(creation, 201, 200)),
  mutant('answers a post without its container', ['posts.defaults'], () => inAnswer(creation, 201, ({ post }) => post)),
  inPost('has no state', ['posts.defaults'], creation, 201, (post) => delete post['state']),
  inPost('numbers posts', ['posts.defaults'], creation, 201, (post) => (post['id'] = 7)),
  inPost('tells no visibility', ['posts.defaults', 'posts.fields'], one, 200, (post) => delete post['visibility']),
  mutant('cuts texts', ['posts.fields'], () => cut('text', 7999)),
  mutant('cuts titles', ['posts.fields'], () => cut('title', 80)),
  mutant('knows updates alone', ['posts.fields', 'posts.list-kind'], () =>
    inRequest(creation, (body) => ({ ...body, ...(body['kind'] === 'portfolio' ? { kind: 'update' } : {}) })),
  ),
  mutant('keeps every post private', ['posts.fields', 'posts.list', 'files.public'], () =>
    inRequest(creation, (body) => ({ ...body, visibility: 'private' })),
  ),
  repairs('cuts texts that are too long', 'text', (text) => (typeof text === 'string' ? text.slice(0, 8000) : text)),
  repairs('takes an empty text', 'text', (text) => (text === '' ? ' ' : text)),
  repairs('takes a number for a text', 'text', (text) => (typeof text === 'number' ? String(text) : text)),
  repairs('takes a post without text', 'text', (text) => text ?? ' '),
  repairs('cuts titles that are too long', 'title', (title) =>
    typeof title === 'string' ? title.slice(0, 160) : title,
  ),
  repairs('takes a number for a title', 'title', (title) => (typeof title === 'number' ? String(title) : title)),
  repairs('takes any kind for an update', 'kind', (kind) => (kind === 'note' ? 'update' : kind)),
  repairs('takes any visibility for private', 'visibility', (value) => (value === 'friends' ? 'private' : value)),
  repairs('takes true for public', 'visibility', (value) => (value === true ? 'private' : value)),
  repairs('takes words for rights', 'rights_confirmed', (value) => (value === 'yes' ? true : value)),
  repairs('takes numbers for rights', 'rights_confirmed', (value) => (value === 1 ? true : value)),
  repairs('drops what it does not know', 'mood', () => undefined),
  mutant('names one code for all malformed posts', malformed, () =>
    inAnswer(creation, 400, () => ({ error: { code: 'invalid_input', message: 'No.' } })),
  ),
  mutant('answers 422 to malformed posts', malformed, () => otherStatus(creation, 400, 422)),
  mutant('makes one post of two alike', ['posts.repeated'], () => {
    const made = new Map<string, PassingAnswer>();
    const keyOf = (request: PassingRequest) => `${tokenOf(request)} ${request.body}`;
    return {
      onRequest: (request) => (isAbout(request, creation) ? (made.get(keyOf(request)) ?? request) : request),
      onAnswer: (answer, request) => {
        if (isAbout(request, creation) && answer.status === 201) made.set(keyOf(request), answer);
        return answer;
      },
    };
  }),
  mutant('refuses a post that is there already', ['posts.repeated'], () => {
    const made = new Set<string>();
    return {
      onRequest: (request) => {
        if (!isAbout(request, creation)) return request;
        const isKnown = made.has(request.body);
        made.add(request.body);
        return isKnown ? refusal(409, 'idempotency_conflict') : request;
      },
    };
  }),
  mutant('lists no private posts', ['posts.list'], () =>
    inList((posts) => posts.filter((post) => post['visibility'] === 'public')),
  ),
  mutant('lists own posts alone', ['posts.list', 'visibility.closing'], () =>
    inList((posts) => posts.filter((post) => 'rights_confirmed' in post)),
  ),
  mutant('lists the oldest posts first', ['posts.list'], () => inList((posts) => posts.toReversed())),
  mutant('lists public posts before private ones', ['posts.list'], () =>
    inList((posts) => [
      ...posts.filter((post) => post['visibility'] === 'public'),
      ...posts.filter((post) => post['visibility'] !== 'public'),
    ]),
  ),
  mutant('lists posts of every kind', ['posts.list-kind'], () => inQuery(list, (query) => query.delete('kind'))),
  mutant('lists fifty posts unless told otherwise', ['posts.paging'], () =>
    inQuery(list, (query) => query.has('page_size') || query.set('page_size', '50')),
  ),
  mutant('lists ten posts unless told otherwise', ['posts.paging'], () =>
    inQuery(list, (query) => query.has('page_size') || query.set('page_size', '10')),
  ),
  mutant('knows one page of posts', ['posts.paging'], () => inQuery(list, (query) => query.delete('page'))),
  mutant('shows private posts to everybody', ['posts.defaults', 'posts.foreign', 'posts.visibility-change'], () =>
    lendsToEverybody((request) => isAbout(request, one)),
  ),
  mutant('lets everybody change posts', ['posts.foreign'], () =>
    lendsToEverybody((request) => isAbout(request, change)),
  ),
  mutant('lets everybody delete posts', ['posts.foreign'], () =>
    lendsToEverybody((request) => isAbout(request, deletion)),
  ),
  mutant('calls a private post forbidden', ['posts.foreign', 'posts.defaults', 'visibility.closing'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, one) && answer.status === 404 ? refusal(403, 'forbidden') : answer,
  })),
  mutant('deletes nothing', ['posts.deletion', 'files.deleted'], () => ({
    onRequest: (request) => (isAbout(request, deletion) && tokenOf(request) ? json(200, { deleted: true }) : request),
  })),
  mutant('deletes twice', ['posts.deletion'], () => otherStatus(deletion, 404, 200)),
  mutant('lists posts that were deleted', ['posts.deletion'], () => {
    const gone = new Set<string>();
    const seen = { ...inList((posts) => [...posts, ...[...gone].map((id) => ({ id }))]) };
    return {
      ...seen,
      onRequest: (request) => {
        if (isAbout(request, deletion)) gone.add(idIn(request.path));
        return request;
      },
    };
  }),
  mutant('never takes a post back', ['posts.visibility-change', 'files.retracted'], () => ({
    onRequest: (request) =>
      isAbout(request, change) && request.body.includes('"private"')
        ? json(200, { post: { id: idIn(request.path), visibility: 'private' } })
        : request,
  })),
  mutant('changes no visibility', ['posts.visibility-change', 'posts.file-rights'], () =>
    inRequest(change, ({ visibility: _, ...rest }) => rest),
  ),
  mutant('publishes under a closed profile', ['posts.closed-profile'], () => taken(creation, 400, 201)),
  mutant('publishes by a change under a closed profile', ['posts.closed-profile'], () => taken(change, 400, 200)),
  mutant('asks for no rights of works', ['posts.portfolio-rights', 'posts.file-rights'], () =>
    inRequest(creation, (body) => ({ ...body, rights_confirmed: true })),
  ),
  mutant('passes over rights that are denied', ['posts.portfolio-rights'], () =>
    inRequest(creation, (body) => (body['rights_confirmed'] === false ? { ...body, rights_confirmed: true } : body)),
  ),
  mutant('asks for no rights where a post is opened', ['posts.file-rights'], () =>
    inRequest(change, (body) => ({ ...body, rights_confirmed: true })),
  ),
  mutant('names another code for missing rights', ['posts.portfolio-rights', 'posts.file-rights'], () => ({
    onAnswer: (answer) => (answer.body.includes('rights_required') ? refusal(400, 'invalid_field') : answer),
  })),
  mutant('takes the files of others', ['posts.attachments'], () => taken(creation, 404, 201)),
  mutant('calls a foreign file not found', ['posts.attachments'], () =>
    inAnswer(creation, 404, () => ({ error: { code: 'not_found', message: 'No.' } })),
  ),
  mutant('leaves the files away', ['posts.attachments', 'posts.bound-file', 'posts.ten-files'], () =>
    inRequest(creation, ({ attachment_ids: _, ...rest }) => rest),
  ),
  mutant('takes a file twice', ['posts.bound-file'], () => taken(creation, 409, 201)),
  mutant('calls a file that is bound absent', ['posts.bound-file'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, creation) && answer.status === 409 ? refusal(404, 'invalid_attachment') : answer,
  })),
  mutant('takes the first ten of eleven files', ['posts.ten-files'], () =>
    inRequest(creation, (body) => ({ ...body, attachment_ids: (body['attachment_ids'] as string[])?.slice(0, 10) })),
  ),
  mutant('takes nine files', ['posts.ten-files'], () => ({
    onRequest: (request) => {
      const ids = isAbout(request, creation) ? parse(request.body)?.['attachment_ids'] : undefined;
      return Array.isArray(ids) && ids.length === 10 ? refusal(400, 'invalid_field') : request;
    },
  })),
];

function inPost(
  name: string,
  kills: readonly string[],
  about: string,
  status: number,
  damage: (post: Changeable) => unknown,
): Mutant {
  return mutant(name, kills, () =>
    inAnswer(about, status, (body) => {
      damage(body['post'] as Changeable);
    }),
  );
}

function cut(name: string, length: number): Fault {
  return inRequest(creation, (body) => ({ ...body, [name]: (body[name] as string | undefined)?.slice(0, length) }));
}

function repairs(name: string, member: string, repair: (value: unknown) => unknown): Mutant {
  return mutant(name, [`posts.${member.replaceAll('_', '-')}`], () =>
    inRequest(creation, (body) => ({ ...body, [member]: repair(body[member]) })),
  );
}

type Posts = readonly Changeable[];

function inList(reorder: (posts: Posts) => Posts): Fault {
  return {
    onAnswer: (answer, request) => {
      if (!isAbout(request, `${list}?*`) || answer.status !== 200) return answer;
      const { posts, ...rest } = parse(answer.body) as { readonly posts: Posts };
      return json(200, { posts: reorder(posts), ...rest });
    },
  };
}

/** Says yes where the server says no. */
function taken(about: string, from: number, to: number): Fault {
  return {
    onAnswer: (answer, request) =>
      isAbout(request, about) && answer.status === from ? json(to, { post: { id: randomUUID() } }) : answer,
  };
}
