import { timestampToMs } from '../../store/decode.ts';
import type { Reader } from '../../store/store.ts';

/** Lists the newest invitations first, starting after the id `after`. */
export async function listInvitations(
  reader: Reader,
  now: Date,
  page: { readonly limit: number; readonly after: string | undefined },
) {
  let query = reader.selectFrom('invitations').select(['id', 'uses', 'used', 'created_at', 'expires_at', 'revoked_at']);
  if (page.after !== undefined) query = query.where('id', '<', page.after.toLowerCase());
  const rows = await query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const invitations = rows.slice(0, page.limit).map((row) => {
    const { id, uses, used, created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt } = row;
    const expiresAtMs = expiresAt === null ? null : timestampToMs(expiresAt);
    const state = determineInvitationState({ uses, used, expiresAtMs, isRevoked: revokedAt !== null }, now.getTime());
    return { id, uses, used, state, createdAt, expiresAt, revokedAt };
  });
  return { invitations, hasMore: rows.length > page.limit };
}

type InvitationState = 'active' | 'used_up' | 'expired' | 'revoked';

interface InvitationFacts {
  readonly uses: number;
  readonly used: number;
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
}

/** Revocation takes precedence over use, and use over expiry. */
export function determineInvitationState(facts: InvitationFacts, nowMs: number): InvitationState {
  if (facts.isRevoked) return 'revoked';
  if (facts.used >= facts.uses) return 'used_up';
  return facts.expiresAtMs !== null && facts.expiresAtMs <= nowMs ? 'expired' : 'active';
}
