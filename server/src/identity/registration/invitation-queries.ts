import { milliseconds } from '../../store/decode.ts';
import type { Reader } from '../../store/store.ts';
import { type InvitationState, stateOfInvitation } from './invitation.ts';

/** An invitation as it is kept: everything but its code. */
interface StoredInvitation {
  readonly id: string;
  readonly uses: number;
  readonly used: number;
  readonly state: InvitationState;
  readonly createdAt: Date | string;
  readonly expiresAt: Date | string | null;
  readonly revokedAt: Date | string | null;
}

/** Invitations, the newest first, from the one after the id `after` on. */
export async function listInvitations(
  reader: Reader,
  now: Date,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ readonly invitations: readonly StoredInvitation[]; readonly hasMore: boolean }> {
  let query = reader.selectFrom('invitations').select(['id', 'uses', 'used', 'created_at', 'expires_at', 'revoked_at']);
  if (page.after !== undefined) query = query.where('id', '<', page.after.toLowerCase());
  const rows = await query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const invitations = rows.slice(0, page.limit).map((row) => {
    const { id, uses, used, created_at, expires_at, revoked_at } = row;
    const facts = {
      uses,
      used,
      expiresAtMs: expires_at === null ? null : milliseconds(expires_at),
      isRevoked: revoked_at !== null,
    };
    const state = stateOfInvitation(facts, now.getTime());
    return { id, uses, used, state, createdAt: created_at, expiresAt: expires_at, revokedAt: revoked_at };
  });
  return { invitations, hasMore: rows.length > page.limit };
}
