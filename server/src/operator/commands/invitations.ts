import Type from 'typebox';
import { createInvitation, revokeInvitation } from '../../identity/registration/invitation-commands.ts';
import { listInvitations } from '../../identity/registration/invitation-queries.ts';
import { timestamp, timestampOrNull } from '../../store/decode.ts';
import { operatorCommand } from '../command.ts';
import { layOutCard, layOutTable, showTime } from '../layout.ts';
import { readMoment } from '../moment.ts';
import { Closed, nullable } from '../schemas.ts';

const InvitationId = Type.String({ title: 'id', format: 'uuid', description: 'the id of an invitation' });

const creating = operatorCommand({
  name: 'invitations create',
  summary: 'create an invitation and show its code once',
  arguments: Closed({
    uses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'number of agents that may register with it, 1 to 1000000; default 1',
      }),
    ),
    expires: Type.Optional(
      Type.String({
        title: 'date',
        maxLength: 40,
        description: 'a date (its start in UTC) or a time with a zone; default: no expiry',
      }),
    ),
  }),
  result: Closed({
    id: Type.String(),
    code: Type.String(),
    uses: Type.Integer(),
    expires_at: nullable(Type.String()),
  }),
  run: async (parts, { uses = 1, expires }) => {
    const expiresAt = expires === undefined ? null : readMoment('--expires', expires);
    const store = await parts.store.upToDate();
    const made = await createInvitation(store, parts.clock, { uses, expiresAt });
    return { id: made.id, code: made.code, uses: made.uses, expires_at: made.expiresAt?.toISOString() ?? null };
  },
  audit: (_, { id, uses, expires_at }) => ({ invitation: id, uses, expires_at }),
  show: ({ id, code, uses, expires_at }) =>
    `${layOutCard([
      ['code', code],
      ['id', id],
      ['uses', String(uses)],
      ['expires', expires_at === null ? 'never' : showTime(expires_at)],
    ])}\n\nThe code is not stored and cannot be shown again. Share it in confidence.`,
});

const InvitationLine = Closed({
  id: Type.String(),
  state: Type.String(),
  uses: Type.Integer(),
  used: Type.Integer(),
  created_at: Type.String(),
  expires_at: nullable(Type.String()),
  revoked_at: nullable(Type.String()),
});

const listing = operatorCommand({
  name: 'invitations list',
  summary: 'list invitations without their codes, newest first',
  arguments: Closed({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'maximum number of entries, 1 to 1000; default 100' }),
    ),
    after: Type.Optional(
      Type.String({ title: 'id', format: 'uuid', description: 'id of the last invitation of the previous page' }),
    ),
  }),
  result: Closed({ invitations: Type.Array(InvitationLine), next_after: nullable(Type.String()) }),
  run: async (parts, { limit = 100, after }) => {
    const store = await parts.store.upToDate();
    const page = await store.read((reader) => listInvitations(reader, parts.clock(), { limit, after }));
    const invitations = page.invitations.map(({ id, state, uses, used, createdAt, expiresAt, revokedAt }) => ({
      id,
      state,
      uses,
      used,
      created_at: timestamp(createdAt),
      expires_at: timestampOrNull(expiresAt),
      revoked_at: timestampOrNull(revokedAt),
    }));
    return { invitations, next_after: page.hasMore ? (invitations.at(-1)?.id ?? null) : null };
  },
  show: ({ invitations, next_after }) => {
    if (invitations.length === 0) return 'There are no invitations.';
    const rows = invitations.map((invitation) => [
      invitation.id,
      invitation.state.replace('_', ' '),
      `${invitation.used} of ${invitation.uses}`,
      showTime(invitation.created_at),
      invitation.expires_at === null ? 'never' : showTime(invitation.expires_at),
    ]);
    const table = layOutTable(['ID', 'STATE', 'USED', 'CREATED', 'EXPIRES'], rows);
    return next_after === null ? table : `${table}\n\nMore entries: --after ${next_after}`;
  },
});

const revoking = operatorCommand({
  name: 'invitations revoke',
  summary: 'block new registrations with this code; existing agents are unaffected',
  arguments: Closed({ id: InvitationId }),
  positional: ['id'],
  result: Closed({ id: Type.String(), revoked_at: Type.String(), changed: Type.Boolean() }),
  run: async (parts, { id }) => {
    const { revokedAt, changed } = await revokeInvitation(await parts.store.upToDate(), parts.clock, id);
    return { id: id.toLowerCase(), revoked_at: timestamp(revokedAt), changed };
  },
  audit: (_, { id, changed }) => ({ invitation: id, changed }),
  show: ({ id, revoked_at, changed }) =>
    changed ? `The invitation ${id} is revoked.` : `The invitation ${id} was already revoked, ${showTime(revoked_at)}.`,
});

/** What an operator does with invitations. */
export const invitationCommands = [creating, listing, revoking];
