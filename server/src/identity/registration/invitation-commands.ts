import type { Clock } from '../../platform/clock.ts';
import { newId, newSecret, sha256 } from '../../platform/crypto.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Store } from '../../store/store.ts';
import type { ActRecorder } from '../audit-commands.ts';

/** Creates an invitation for `uses` registrations, until `expiresAt` if given. The code is not stored. */
export async function createInvitation(
  store: Store,
  clock: Clock,
  { uses, expiresAt }: { readonly uses: number; readonly expiresAt: Date | null },
  record: ActRecorder,
): Promise<{ readonly id: string; readonly code: string }> {
  const now = clock();
  if (expiresAt !== null && expiresAt <= now) {
    throw new Refusal(
      'invalid_input',
      `An invitation cannot expire at ${expiresAt.toISOString()}, which is in the past. Use a future time.`,
    );
  }
  const [id, code] = [newId(), newSecret('inv_', 18)];
  const row = { id, code_hash: sha256(code), uses, used: 0, created_at: now, expires_at: expiresAt };
  await store.transact(async (writer) => {
    await writer
      .insertInto('invitations')
      .values({ ...row, revoked_at: null })
      .execute();
    await record(writer, [{ subject: id, details: { uses, expires_at: expiresAt?.toISOString() ?? null } }]);
  });
  return { id, code };
}

/** Agents that are already registered are unaffected. A repeat has no effect. */
export async function revokeInvitation(
  store: Store,
  clock: Clock,
  id: string,
  record: ActRecorder,
): Promise<{ readonly revokedAt: Date | string; readonly changed: boolean }> {
  return await store.transact(async (writer) => {
    const found = await writer
      .selectFrom('invitations')
      .where('id', '=', id.toLowerCase())
      .select('revoked_at')
      .forUpdate()
      .executeTakeFirst();
    if (found === undefined) {
      throw new Refusal('not_found', `There is no invitation ${id}. "invitations list" shows the ids.`);
    }
    if (found.revoked_at !== null) return { revokedAt: found.revoked_at, changed: false };
    const revokedAt = clock();
    await writer.updateTable('invitations').set({ revoked_at: revokedAt }).where('id', '=', id.toLowerCase()).execute();
    await record(writer, [{ subject: id.toLowerCase() }]);
    return { revokedAt, changed: true };
  });
}
