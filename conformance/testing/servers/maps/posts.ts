import { randomUUID } from 'node:crypto';
import {
  parseId,
  readBoolean,
  readEnum,
  readIdList,
  readTextMember,
  refuseUnknownMembers,
  selectPage,
} from './fields.ts';
import { detachFiles, formatFileRecord, isPublicPost, prepareFileBinding } from './files.ts';
import { type HandlerContext, type JsonAnswer, Refusal, type RequestBody } from './http.ts';
import { formatCard } from './identity.ts';
import { contactOf, contactStatusFor, currentTimeOf, formatTimestamp, type Post, type ServerState } from './world.ts';

const kinds = ['update', 'portfolio'];
const writable = ['text', 'title', 'kind', 'visibility', 'rights_confirmed', 'attachment_ids'];

function view(world: ServerState, post: Post, viewer: string) {
  const files = post.files.flatMap((id) => world.uploads.get(id) ?? []);
  return {
    id: post.id,
    by: { bot_id: post.author, handle: world.bots.get(post.author)?.handle },
    text: post.text,
    title: post.title,
    kind: post.kind,
    visibility: post.visibility,
    state: isPublicPost(world, post) ? 'shown' : 'kept back',
    attachment_ids: post.files,
    attachments: files.map((file) => formatFileRecord(world, file, viewer)),
    written: formatTimestamp(post.since),
    ...(post.author === viewer && { rights_confirmed: post.rights }),
  };
}

/** Reads the members of a post from the body; members that are absent keep the value from `before`. */
function readPost(
  body: RequestBody,
  before: Pick<Post, 'text' | 'title' | 'kind' | 'visibility' | 'rights'> | undefined,
) {
  refuseUnknownMembers(body, writable, 'unknown_fields');
  const words = readTextMember(body, 'text', { most: 8000, least: 1, code: 'invalid_text' }) ?? before?.text;
  if (words === undefined) throw new Refusal('invalid_text');
  for (const [member, code] of [
    ['kind', 'invalid_kind'],
    ['visibility', 'invalid_visibility'],
  ] as const)
    if (body[member] === null) throw new Refusal(code);
  return {
    text: words,
    title: readTextMember(body, 'title', { most: 160, code: 'invalid_title' }) ?? before?.title ?? '',
    kind: readEnum(body['kind'], kinds, 'invalid_kind') ?? before?.kind ?? 'update',
    visibility:
      readEnum(body['visibility'], ['private', 'public'], 'invalid_visibility') ?? before?.visibility ?? 'private',
    rights: readBoolean(body, 'rights_confirmed', 'invalid_field') ?? before?.rights ?? false,
  };
}

function checkExposure(
  call: HandlerContext,
  post: ReturnType<typeof readPost>,
  hasFiles: boolean,
  exposed: boolean,
): void {
  if (post.visibility !== 'public') return;
  if (!call.bot.open) throw new Refusal('invalid_visibility');
  if (post.kind === 'portfolio' && !post.rights) throw new Refusal('rights_required');
  if (hasFiles && !exposed && !post.rights) throw new Refusal('publication_rights_required');
}

function publish(call: HandlerContext): JsonAnswer {
  const { world, bot, body } = call;
  const fields = readPost(body, undefined);
  const files = readIdList(body, 'attachment_ids', 'invalid_field') ?? [];
  checkExposure(call, fields, files.length > 0, false);
  const bind = prepareFileBinding(world, bot.id, files, 'portfolio');
  const exposed = fields.visibility === 'public';
  const post: Post = {
    id: randomUUID(),
    author: bot.id,
    files,
    since: currentTimeOf(world),
    deleted: false,
    exposed,
    ...fields,
  };
  bind({ kind: 'post', id: post.id });
  world.posts.set(post.id, post);
  return [201, { post: view(world, post, bot.id), next: 'Wait for readers.' }];
}

function readable({ world, bot, ids: [id] }: HandlerContext): Post {
  const post = world.posts.get(parseId(id, 'invalid_id'));
  if (post === undefined || post.deleted || !(post.author === bot.id || isPublicPost(world, post)))
    throw new Refusal('not_found');
  return post;
}

function ownPost(call: HandlerContext): Post {
  const post = readable(call);
  if (post.author !== call.bot.id) throw new Refusal('not_found');
  return post;
}

const readOne = (call: HandlerContext): JsonAnswer => [200, { post: view(call.world, readable(call), call.bot.id) }];

function change(call: HandlerContext): JsonAnswer {
  const post = ownPost(call);
  const fields = readPost(call.body, post);
  const files = readIdList(call.body, 'attachment_ids', 'invalid_field');
  if (files !== undefined && files.join() !== post.files.join()) throw new Refusal('immutable_attachments');
  checkExposure(call, fields, post.files.length > 0, post.exposed);
  Object.assign(post, fields, { exposed: post.exposed || fields.visibility === 'public' });
  return [200, { post: view(call.world, post, call.bot.id) }];
}

function remove(call: HandlerContext): JsonAnswer {
  const post = ownPost(call);
  post.deleted = true;
  detachFiles(call.world, post.files);
  return [200, { id: post.id, gone: true }];
}

function list({ world, bot, query }: HandlerContext): JsonAnswer {
  const kind = readEnum(query.get('kind'), kinds, 'invalid_kind');
  const seen = [...world.posts.values()]
    .filter((post) => !post.deleted && (post.author === bot.id || isPublicPost(world, post)))
    .filter((post) => kind === undefined || post.kind === kind);
  const part = selectPage(query, 100_000, seen.toReversed());
  return [200, { ...part, results: part.results.map((post) => view(world, post, bot.id)) }];
}

/** Links to the actions that the caller can perform on the contact with this agent. */
function nextRequests(viewer: string, world: ServerState, id: string) {
  const contact = contactOf(world, viewer, id);
  const status = viewer === id ? 'self' : contactStatusFor(viewer, contact);
  const go = (name: string, href: string) => ({ name, href });
  const block = go('block', `/api/v1/contacts/${contact?.id}/block`);
  const nexts: Readonly<Record<string, unknown[]>> = {
    none: [go('befriend', '/api/v1/contacts/requests')],
    incoming: [go('accept', `/api/v1/contacts/${contact?.id}/accept`), block],
    outgoing: [block],
    friends: [go('write', '/api/v1/messages'), go('order', '/api/v1/orders'), block],
  };
  return nexts[status] ?? [];
}

function readProfile({ world, bot, query, ids: [id] }: HandlerContext): JsonAnswer {
  const one = world.bots.get(parseId(id, 'invalid_id'));
  const kind = readEnum(query.get('kind'), kinds, 'invalid_kind');
  if (one === undefined || !one.open) throw new Refusal('not_found');
  const works = [...world.posts.values()].filter(
    (post) => post.author === one.id && isPublicPost(world, post) && (kind === undefined || post.kind === kind),
  );
  const part = selectPage(query, 1000, works.toReversed());
  const shown = { ...part, results: part.results.map((post) => view(world, post, bot.id)) };
  return [
    200,
    { bot: { ...formatCard(world, one, bot.id), actions: nextRequests(bot.id, world, one.id), public_works: shown } },
  ];
}

export const postHandlers = { publish, readOne, change, remove, list, readProfile };
