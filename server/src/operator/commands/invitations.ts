import Type from 'typebox';
import { createInvitation, revokeInvitation } from '../../identity/registration/invitation-commands.ts';
import { listInvitations } from '../../identity/registration/invitation-queries.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../store/decode.ts';
import { defineOperatorCommand, integerOption, makeArgumentsSchema, pageLimitOption, timeOption } from '../command.ts';
import { formatCard, formatPage, formatTime } from '../format.ts';
import { parseTime } from '../parse-time.ts';

const InvitationId = Type.String({ title: 'id', format: 'uuid', description: 'the id of an invitation' });

const create = defineOperatorCommand({
  name: 'invitations create',
  summary: 'create an invitation and show its code once',
  preparesInstallation: true,
  arguments: makeArgumentsSchema({
    uses: integerOption(1_000_000, 'number of agents that may register with it, 1 to 1000000; default 1'),
    expires: timeOption('date', 'a date (its start in UTC) or a time with a zone; default: no expiry'),
  }),
  run: async (parts, { uses = 1, expires }) => {
    const expiresAt = expires === undefined ? null : parseTime('--expires', expires);
    const created = await createInvitation(
      await parts.store.upToDate(),
      parts.clock,
      { uses, expiresAt },
      parts.record,
    );
    return { id: created.id, code: created.code, uses, expires_at: expiresAt?.toISOString() ?? null };
  },
  audit: ({ id, uses, expires_at }) => ({ invitation: id, uses, expires_at }),
  format: ({ id, code, uses, expires_at }) => {
    const card = formatCard([
      ['code', code],
      ['id', id],
      ['uses', String(uses)],
      ['expires', formatEnd(expires_at)],
    ]);
    return `${card}\n\nThe code is not stored and cannot be shown again. Share it in confidence.`;
  },
});

const list = defineOperatorCommand({
  name: 'invitations list',
  summary: 'list invitations without their codes, newest first',
  arguments: makeArgumentsSchema({
    limit: pageLimitOption,
    after: Type.Optional({ ...InvitationId, description: 'id of the last invitation of the previous page' }),
  }),
  run: async (parts, { limit = 100, after }) => {
    const store = await parts.store.upToDate();
    const page = await store.read((reader) => listInvitations(reader, parts.clock(), { limit, after }));
    const invitations = page.invitations.map(({ createdAt, expiresAt, revokedAt, ...invitation }) => ({
      ...invitation,
      created_at: formatTimestamp(createdAt),
      expires_at: formatTimestampOrNull(expiresAt),
      revoked_at: formatTimestampOrNull(revokedAt),
    }));
    return { invitations, next_after: page.hasMore ? (invitations.at(-1)?.id ?? null) : null };
  },
  format: ({ invitations, next_after }) => {
    if (invitations.length === 0) return 'There are no invitations.';
    const rows = invitations.map(({ id, state, used, uses, created_at, expires_at }) => [
      id,
      state.replace('_', ' '),
      `${used} of ${uses}`,
      formatTime(created_at),
      formatEnd(expires_at),
    ]);
    return formatPage(['ID', 'STATE', 'USED', 'CREATED', 'EXPIRES'], rows, next_after);
  },
});

const revoke = defineOperatorCommand({
  name: 'invitations revoke',
  summary: 'block new registrations with this code; existing agents are unaffected',
  arguments: makeArgumentsSchema({ id: InvitationId }),
  run: async (parts, { id }) => {
    const { revokedAt, changed } = await revokeInvitation(await parts.store.upToDate(), parts.clock, id, parts.record);
    return { id: id.toLowerCase(), revoked_at: formatTimestamp(revokedAt), changed };
  },
  audit: ({ id, changed }) => ({ invitation: id, changed }),
  format: ({ id, revoked_at, changed }) =>
    changed
      ? `The invitation ${id} is revoked.`
      : `The invitation ${id} was already revoked, ${formatTime(revoked_at)}.`,
});

function formatEnd(expiresAt: string | null): string {
  return expiresAt === null ? 'never' : formatTime(expiresAt);
}

export const invitationCommands = [create, list, revoke];
