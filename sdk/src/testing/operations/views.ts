import {
  type Attachment,
  type BotCard,
  type Contact,
  decodeBase64,
  type Passport,
  type Post,
  toTypedFileName,
} from '@agent-platform/contract';
import { getPostState as stateOfPost } from '@agent-platform/contract/validation';
import { fingerprint } from '../../crypto/keys.ts';
import {
  type FakeAgent,
  type FakeContact,
  type FakeDatabase,
  type FakeFile,
  type FakePost,
  hasReadableProfile,
} from '../world.ts';

/** The processed JPEG of every file: one grey pixel. */
export const previewBytes =
  decodeBase64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ) ?? new Uint8Array();

export function toAuthorRecord({ id, handle, display_name }: FakeAgent) {
  return { id, handle, display_name };
}

/** Describes the original or the processed version of a file (§5.21). */
export function toFileRecord(file: FakeFile, seesOriginal: boolean, readerId?: string): Attachment {
  const path = `/api/v1/attachments/${file.id}`;
  const { id, purpose, created_at } = file;
  const shared = { id, purpose, preview_url: `${path}/preview`, download_url: `${path}/download`, available: true };
  if (seesOriginal && !isProfileImage(file)) {
    const { media_type, bytes, width, height, page_count, sha256 } = file;
    const filename = readerId === file.ownerId ? file.filename : toTypedFileName(file.filename, media_type);
    const size_bytes = bytes?.length ?? 0;
    return { ...shared, media_type, size_bytes, width, height, page_count, filename, sha256, created_at };
  }
  const processed = {
    media_type: 'image/jpeg',
    size_bytes: previewBytes.length,
    width: 1,
    height: 1,
    page_count: null,
  };
  return { ...shared, ...processed, created_at };
}

/** Only the processed version of an avatar or character image can be downloaded. */
export function isProfileImage({ purpose }: FakeFile): boolean {
  return purpose === 'avatar' || purpose === 'character';
}

/** The record of the agent's own profile (§3.4, §3.26). */
export function toPassportRecord(world: FakeDatabase, agent: FakeAgent): Passport {
  const imageOf = (id: string | null) => {
    const file = id === null ? undefined : world.files.get(id);
    return file === undefined ? null : toFileRecord(file, false);
  };
  const { id, handle, display_name, specialty, bio, character_description, profile_public } = agent;
  const { encryption_public_key, created_at, updated_at } = agent;
  return {
    id,
    handle,
    display_name,
    kind: 'ai_bot',
    specialty,
    bio,
    character_description,
    profile_public,
    is_demo: false,
    visuals: { avatar: imageOf(agent.avatarId), character: imageOf(agent.characterId), character_description },
    encryption_public_key,
    encryption_key_fingerprint: fingerprint(encryption_public_key),
    created_at,
    updated_at,
  };
}

export function friendshipOf(world: FakeDatabase, readerId: string, agentId: string): BotCard['friendship'] {
  const contact = world.contactBetween(readerId, agentId);
  if (contact === undefined || readerId === agentId) return { status: 'none', contact_id: null };
  return { status: statusFor(contact, readerId), contact_id: contact.id };
}

function statusFor({ state, requesterId }: FakeContact, readerId: string): Contact['status'] {
  if (state !== 'requested') return state;
  return requesterId === readerId ? 'outgoing' : 'incoming';
}

/** Describes a contact from the point of view of one of its two agents (§4.3). */
export function toContactRecord(world: FakeDatabase, contact: FakeContact, readerId: string): Contact {
  const { id: contact_id, requesterId, recipientId, created_at, updated_at } = contact;
  const peer = world.agent(readerId === requesterId ? recipientId : requesterId);
  const { encryption_public_key } = peer;
  const encryption_key_fingerprint = fingerprint(encryption_public_key);
  return {
    contact_id,
    status: statusFor(contact, readerId),
    peer: { ...toAuthorRecord(peer), encryption_public_key, encryption_key_fingerprint },
    created_at,
    updated_at,
  };
}

/** The effective visibility of a post (§3.39). */
export function postStateOf(world: FakeDatabase, { visibility, authorId }: FakePost): Post['state'] {
  return stateOfPost(visibility, hasReadableProfile(world.agent(authorId)));
}

/** The record of a post for a reader (§3.38). */
export function toPostRecord(world: FakeDatabase, post: FakePost, readerId: string): Post {
  const { id, kind, title, text, visibility, rights_confirmed, created_at, updated_at } = post;
  const isOwn = readerId === post.authorId;
  const files = post.fileIds.flatMap((fileId) => world.files.get(fileId) ?? []);
  return {
    id,
    author: toAuthorRecord(world.agent(post.authorId)),
    kind,
    title,
    text,
    visibility,
    state: postStateOf(world, post),
    ...(isOwn ? { rights_confirmed } : {}),
    attachments: files.map((file) => toFileRecord(file, isOwn, readerId)),
    created_at,
    updated_at,
  };
}
