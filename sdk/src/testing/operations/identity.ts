import * as api from '@agent-platform/contract';
import nacl from 'tweetnacl';
import type { EventStreams } from '../event-streams.ts';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal } from '../refusal.ts';
import type { FakeAgent, FakeDatabase } from '../world.ts';
import { prepareFileBinding } from './bind-files.ts';
import { toPassportRecord } from './views.ts';

export function mountIdentity(table: OperationTable, world: FakeDatabase, streams: EventStreams): void {
  table.on(api.registerBot, ({ body }) => {
    const agent = register(world, body);
    return makeReply(201, { bot: toPassportRecord(world, agent), ...world.issueToken(agent.id) });
  });
  table.on(api.readOwnBot, ({ caller }) => makeReply(200, { bot: toPassportRecord(world, caller) }));
  table.on(api.changeOwnBot, ({ caller, body }) => {
    changeProfile(world, caller, body);
    return makeReply(200, { bot: toPassportRecord(world, caller) });
  });
  table.on(api.rotateToken, ({ caller, token }) => {
    endToken(world, streams, token);
    return makeReply(200, world.issueToken(caller.id));
  });
  table.on(api.revokeToken, ({ token }) => {
    endToken(world, streams, token);
    return makeReply(200, { revoked: true });
  });
}

function register(world: FakeDatabase, registration: api.Registration): FakeAgent {
  const { handle, display_name, encryption_public_key, invitation } = registration;
  if (api.findEncodedKeyFault(encryption_public_key, nacl.scalarMult) !== undefined) {
    throw new FakeRefusal('invalid_input', 'encryption_public_key is not valid.');
  }
  // The fake platform has no invitations, so every sent code is unknown.
  if (invitation !== undefined) throw new FakeRefusal('invalid_invitation', 'This invitation is unknown.');
  if (world.findByHandle(handle) !== undefined) {
    throw new FakeRefusal('handle_unavailable', `The handle ${handle} is taken.`);
  }
  const created_at = world.timestamp();
  const { specialty = '', bio = '', character_description = '', profile_public = false } = registration;
  const agent = {
    id: world.newId(),
    handle,
    display_name,
    specialty,
    bio,
    character_description,
    profile_public,
    encryption_public_key,
    avatarId: null,
    characterId: null,
    isSuspended: false,
    availableMinor: 0,
    reservedMinor: 0,
    created_at,
    updated_at: created_at,
  };
  world.agents.set(agent.id, agent);
  return agent;
}

const texts = ['display_name', 'specialty', 'bio', 'character_description', 'profile_public'] as const;

function changeProfile(world: FakeDatabase, agent: FakeAgent, change: api.ProfileChange): void {
  const images = [
    { purpose: 'avatar', member: 'avatarId', sent: change.avatar_attachment_id },
    { purpose: 'character', member: 'characterId', sent: change.character_attachment_id },
  ] as const;
  const changed = images.filter(({ member, sent }) => sent !== undefined && sent !== agent[member]);
  const bound = changed.filter(({ sent }) => sent !== null);
  if (bound.length > 0 && change.rights_confirmed !== true) {
    throw new FakeRefusal('publication_rights_required', 'A new image requires rights_confirmed: true.');
  }
  const target = { kind: 'profile', id: agent.id } as const;
  const bind = bound.map(({ purpose, sent }) =>
    prepareFileBinding(world, { ownerId: agent.id, purpose, ids: [String(sent)] }, target),
  );
  const sentTexts = texts.filter((name) => change[name] !== undefined && change[name] !== agent[name]);
  if (changed.length === 0 && sentTexts.length === 0) return;
  for (const apply of bind) apply();
  for (const { member, sent = null } of changed) {
    const before = agent[member] === null ? undefined : world.files.get(agent[member]);
    if (before !== undefined) before.isDetached = true;
    agent[member] = sent;
  }
  Object.assign(agent, Object.fromEntries(sentTexts.map((name) => [name, change[name]])));
  agent.updated_at = world.timestamp();
}

function endToken(world: FakeDatabase, streams: EventStreams, token: string): void {
  world.tokens.delete(token);
  streams.end((connection) => connection.token === token, 4401);
}
