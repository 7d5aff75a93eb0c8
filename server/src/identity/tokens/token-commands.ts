import type { TokenGrant } from '@agent-platform/contract';
import { sql } from 'kysely';
import { type Clock, endOfLifetime } from '../../platform/clock.ts';
import { newSecret, sha256 } from '../../platform/crypto.ts';
import { recordRevocation } from '../../store/statements/after-commit.ts';
import { formatArray } from '../../store/statements/parameters.ts';
import type { Store, Writer } from '../../store/store.ts';
import { unauthorizedRefusal } from '../access-refusals.ts';
import { lockProfile } from '../agent-commands.ts';
import {
  type AgentCommandDependencies,
  type AgentOutcome,
  lockNamedAgents,
  makeAgentOutcomes,
} from '../named-agents-commands.ts';
import type { Caller } from './token-queries.ts';

/** Only the hash of the returned token is stored. */
export async function issueToken(writer: Writer, botId: string, now: Date, lifetimeDays: number): Promise<TokenGrant> {
  // A token has 256 random bits (§2.20).
  const token = newSecret('apt_', 32);
  const expiresAt = endOfLifetime(now, lifetimeDays);
  await writer
    .insertInto('tokens')
    .values({ token_hash: sha256(token), bot_id: botId, created_at: now, expires_at: expiresAt, ended_at: null })
    .execute();
  return { token, token_expires_at: expiresAt.toISOString() };
}

/**
 * Replaces the caller's token in one transaction. The row lock ensures that only one of several concurrent rotations
 * succeeds; for the others, the token has ended.
 */
export async function rotateToken(
  store: Store,
  clock: Clock,
  lifetimeDays: number,
  caller: Caller,
): Promise<TokenGrant> {
  return await store.transact(async (writer) => {
    const now = clock();
    // With this lock, a concurrent revocation of all tokens ends either the old or the new token.
    await lockProfile(writer, caller.agent.id);
    await endToken(writer, caller.tokenHash, now);
    const granted = await issueToken(writer, caller.agent.id, now, lifetimeDays);
    const [agent_id, token_hash, expires_at] = [caller.agent.id, sha256(granted.token), granted.token_expires_at];
    recordRevocation(writer, { kind: 'token_issued', agent_id, token_hash, expires_at });
    return granted;
  });
}

/** Revokes only the token of this request. */
export async function revokeToken(store: Store, clock: Clock, caller: Caller): Promise<void> {
  await store.transact((writer) => endToken(writer, caller.tokenHash, clock()));
}

/** Ends all valid tokens of these agents; the agents cannot get new ones. */
export async function revokeAllTokens(
  { store, clock, record }: AgentCommandDependencies,
  names: readonly string[],
): Promise<readonly AgentOutcome[]> {
  return await store.transact(async (writer) => {
    const agents = await lockNamedAgents(writer, names);
    const now = clock();
    const ids = [...agents.values()].map(({ id }) => id);
    const { rows } = await sql<{ bot_id: string; tokens: number; hashes: string }>`
      with ended as (
        update tokens set ended_at = ${now}
        where bot_id = any(${formatArray(ids)}::uuid[]) and ended_at is null and expires_at > ${now} returning bot_id, token_hash
      ) select bot_id, count(*)::int as tokens, string_agg(token_hash, ' ') as hashes from ended group by bot_id`.execute(
      writer,
    );
    const hashes = rows.flatMap((row) => row.hashes.split(' '));
    recordRevocation(writer, ...hashes.map((token_hash) => ({ kind: 'token_ended', token_hash }) as const));
    await record(
      writer,
      rows.map(({ bot_id, tokens }) => ({ agentId: bot_id, details: { tokens } })),
    );
    const revoked = new Set(rows.map(({ bot_id }) => bot_id));
    const changed = [...agents.values()].filter(({ id }) => revoked.has(id));
    return makeAgentOutcomes(names, agents, new Map(changed.map((agent) => [agent.id, agent])));
  });
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
  if (ended === undefined) throw unauthorizedRefusal();
  recordRevocation(writer, { kind: 'token_ended', token_hash: tokenHash });
}
