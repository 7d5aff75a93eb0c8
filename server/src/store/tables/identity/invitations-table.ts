import { defineEntity, p } from '@mikro-orm/core';

/** Invitations to register. The code itself is shown once and kept as its SHA-256. */
export const InvitationsTable = defineEntity({
  name: 'InvitationRow',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary(),
    code_hash: p.text().unique('invitations_code_hash_unique'),
    uses: p.integer(),
    used: p.integer(),
    created_at: p.datetime(3),
    expires_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
  },
  checks: [{ name: 'invitations_uses_bounds', expression: 'used >= 0 and used <= uses' }],
});
