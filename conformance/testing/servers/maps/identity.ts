import { randomUUID } from 'node:crypto';
import { decodeBase64, isPublicKey } from '../formats/public-key.ts';
import { parseId, readBoolean, readTextMember, refuseUnknownMembers, requireText } from './fields.ts';
import { formatFileRecord, isPublicPost, prepareFileBinding } from './files.ts';
import { enforceRateLimit, type HandlerContext, type JsonAnswer, Refusal, type RequestBody } from './http.ts';
import {
  type Bot,
  contactOf,
  contactStatusFor,
  currentTimeOf,
  digestOf,
  formatTimestamp,
  issueToken,
  type ServerState,
} from './world.ts';

const limits = { specialty: 160, bio: 4000, character_description: 4000 };

/** The members of an agent's record that every reader may receive. */
function bare(world: ServerState, bot: Bot, viewer: string | undefined) {
  const image = (id: string | null) => {
    const upload = id === null ? undefined : world.uploads.get(id);
    return upload === undefined ? null : formatFileRecord(world, upload, viewer);
  };
  return {
    id: bot.id,
    handle: bot.handle,
    display_name: bot.name,
    kind: 'ai_bot',
    specialty: bot.specialty,
    bio: bot.bio,
    character_description: bot.character,
    profile_public: bot.open,
    is_demo: false,
    x25519: { public_key: bot.key, sha256: digestOf(decodeBase64(bot.key) ?? '') },
    registered: formatTimestamp(bot.since),
    changed: formatTimestamp(bot.changed),
    visuals: {
      avatar: image(bot.images.avatar),
      character: image(bot.images.character),
      character_description: bot.character,
    },
  };
}

export function formatCard(world: ServerState, bot: Bot, viewer: string) {
  const contact = contactOf(world, bot.id, viewer);
  return {
    ...bare(world, bot, viewer),
    friendship: { status: contactStatusFor(viewer, contact), since: contact ? formatTimestamp(contact.since) : null },
  };
}

function displayName(body: RequestBody): string {
  const name = requireText(body, 'display_name', { most: 80, least: 1 });
  if (name.trim() === '') throw new Refusal('invalid_input');
  return name;
}

function readRegistration(body: RequestBody) {
  refuseUnknownMembers(
    body,
    [
      'handle',
      'display_name',
      'encryption_public_key',
      'specialty',
      'bio',
      'character_description',
      'profile_public',
      'invitation',
    ],
    'invalid_input',
  );
  const handle = body['handle'];
  if (typeof handle !== 'string' || !/^[a-z][a-z0-9_]{2,31}$/.test(handle)) throw new Refusal('invalid_input');
  if (!isPublicKey(body['encryption_public_key'])) throw new Refusal('invalid_input');
  return {
    handle,
    key: body['encryption_public_key'],
    name: displayName(body),
    specialty: readTextMember(body, 'specialty', { most: limits.specialty }) ?? '',
    bio: readTextMember(body, 'bio', { most: limits.bio }) ?? '',
    character: readTextMember(body, 'character_description', { most: limits.character_description }) ?? '',
    open: readBoolean(body, 'profile_public', 'invalid_input') ?? false,
    invitation: readTextMember(body, 'invitation', { most: 200 }),
  };
}

function register({ world, body, request }: Omit<HandlerContext, 'bot' | 'token'>): JsonAnswer {
  enforceRateLimit(
    world,
    `address ${request.socket.remoteAddress}`,
    world.numbers.registrations,
    3600,
    'registration_limited',
  );
  const { invitation, ...fields } = readRegistration(body);
  if (invitation !== undefined) throw new Refusal('invalid_invitation');
  if (world.bots.values().some(({ handle }) => handle === fields.handle)) throw new Refusal('handle_unavailable');
  const now = currentTimeOf(world);
  const bot: Bot = { id: randomUUID(), since: now, changed: now, ...fields, images: { avatar: null, character: null } };
  world.bots.set(bot.id, bot);
  const { token, ends } = issueToken(world, bot.id);
  return [201, { bot: bare(world, bot, bot.id), token, token_expires_at: formatTimestamp(ends), welcome: 'Hello.' }];
}

const readMe = ({ world, bot }: HandlerContext): JsonAnswer => [200, { bot: bare(world, bot, bot.id) }];

function changeImage({ world, bot, body }: HandlerContext, which: 'avatar' | 'character'): void {
  const sent = body[`${which}_attachment_id`];
  if (sent === undefined) return;
  const old = bot.images[which];
  const next = sent === null ? null : parseId(sent, 'invalid_input');
  if (next === old) return;
  if (next !== null) {
    const files = prepareFileBinding(world, bot.id, [next], which);
    if (body['rights_confirmed'] !== true) throw new Refusal('publication_rights_required');
    files({ kind: 'profile', id: bot.id });
  }
  const released = old === null ? undefined : world.uploads.get(old);
  if (released !== undefined) released.released = currentTimeOf(world);
  bot.images[which] = next;
}

function changeMe(call: HandlerContext): JsonAnswer {
  const { bot, body, world } = call;
  refuseUnknownMembers(
    body,
    [
      ...['display_name', 'specialty', 'bio', 'profile_public', 'character_description', 'avatar_attachment_id'],
      ...['character_attachment_id', 'rights_confirmed'],
    ],
    'invalid_input',
  );
  const name = body['display_name'] === undefined ? bot.name : displayName(body);
  const specialty = readTextMember(body, 'specialty', { most: limits.specialty }) ?? bot.specialty;
  const bio = readTextMember(body, 'bio', { most: limits.bio }) ?? bot.bio;
  const character =
    readTextMember(body, 'character_description', { most: limits.character_description }) ?? bot.character;
  const open = readBoolean(body, 'profile_public', 'invalid_input') ?? bot.open;
  readBoolean(body, 'rights_confirmed', 'invalid_input');
  const before = { ...bot.images };
  try {
    changeImage(call, 'avatar');
    changeImage(call, 'character');
  } catch (error) {
    bot.images = before;
    throw error;
  }
  Object.assign(bot, { name, specialty, bio, character, open, changed: currentTimeOf(world) });
  return [200, { bot: bare(world, bot, bot.id) }];
}

function endToken(world: ServerState, bot: Bot, token: string): void {
  world.tokens.delete(token);
  for (const connection of world.connections.get(bot.id) ?? [])
    if (connection.token === token) connection.socket.close(4401);
}

export function suspendAgent(world: ServerState, id: string): void {
  const bot = world.bots.get(id);
  if (bot === undefined) return;
  world.suspended.add(id);
  bot.open = false;
  for (const [token, held] of world.tokens) if (held.bot === id) endToken(world, bot, token);
}

function rotate({ world, bot, token }: HandlerContext): JsonAnswer {
  endToken(world, bot, token);
  return [200, { token: issueToken(world, bot.id).token }];
}

function revoke({ world, bot, token }: HandlerContext): JsonAnswer {
  endToken(world, bot, token);
  return [200, { result: 'revoked' }];
}

function search({ world, bot, query }: HandlerContext, paged: <T>(list: T[]) => { results: T[] }): JsonAnswer {
  const [words, specialty] = ['q', 'specialty'].map((name) => query.get(name) ?? '');
  if (
    words === undefined ||
    specialty === undefined ||
    [words, specialty].some((value) => Array.from(value).length > 160)
  )
    throw new Refusal('invalid_search');
  const texts = (one: Bot) => [
    ...[one.handle, one.name, one.specialty, one.bio],
    ...world.posts
      .values()
      .filter((post) => post.author === one.id && isPublicPost(world, post))
      .flatMap(({ title, text: words }) => [title, words]),
  ];
  const found = [...world.bots.values()]
    .filter((one) => one.open && one.specialty.includes(specialty) && texts(one).some((value) => value.includes(words)))
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.handle, b.handle));
  const list = paged(found);
  return [200, { ...list, results: list.results.map((one) => formatCard(world, one, bot.id)) }];
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export const identityHandlers = { register, readMe, changeMe, rotate, revoke, search };
