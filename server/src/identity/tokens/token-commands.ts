import type { TokenGrant } from '@agent-platform/contract';
import type { Clock } from '../../platform/clock.ts';
import { endOfLifetime } from '../../platform/end-of.ts';
import { newSecret } from '../../platform/new-secret.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Store, Writer } from '../../store/store.ts';
import { type Caller, unauthorized } from './token-queries.ts';

/** Issues a token to an agent; the text that is returned exists nowhere else. */
export async function issueToken(writer: Writer, botId: string, now: Date, lifetimeDays: number): Promise<TokenGrant> {
  // 256 random bits (D-5).
  const token = newSecret('apt_', 32);
  const expiresAt = endOfLifetime(now, lifetimeDays);
  await writer
    .insertInto('tokens')
    .values({ token_hash: sha256(token), bot_id: botId, created_at: now, expires_at: expiresAt, ended_at: null })
    .execute();
  return { token, token_expires_at: expiresAt.toISOString() };
}

/**
 * Replaces the caller's token in one transaction. Of parallel rotations with one
 * token the row lock lets exactly one through; for the others it has ended.
 */
export async function rotateToken(
  store: Store,
  clock: Clock,
  lifetimeDays: number,
  caller: Caller,
): Promise<TokenGrant> {
  return await store.transact(async (writer) => {
    const now = clock();
    await endToken(writer, caller.tokenHash, now);
    return await issueToken(writer, caller.agent.id, now, lifetimeDays);
  });
}

/** Ends the token of this request and no other. */
export async function revokeToken(store: Store, clock: Clock, caller: Caller): Promise<void> {
  await store.transact((writer) => endToken(writer, caller.tokenHash, clock()));
}

async function endToken(writer: Writer, tokenHash: string, now: Date): Promise<void> {
  const ended = await writer
    .updateTable('tokens')
    .set({ ended_at: now })
    .where('token_hash', '=', tokenHash)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('token_hash')
    .executeTakeFirst();
  if (ended === undefined) throw unauthorized();
}
