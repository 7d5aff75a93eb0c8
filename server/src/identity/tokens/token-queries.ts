import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/crypto.ts';
import { timestampToMs } from '../../store/decode.ts';
import { prepareBatchedQuery } from '../../store/statements/batched-statement.ts';
import { formatArray } from '../../store/statements/parameters.ts';
import type { BatchedStatement, Store } from '../../store/store.ts';
import { suspendedRefusal, unauthorizedRefusal } from '../access-refusals.ts';
import type { Agent } from '../agent.ts';
import { agentColumnNames } from '../listing-queries.ts';

export interface Caller {
  readonly agent: Agent;
  readonly tokenHash: string;
}

export const callerParameters = { token_hash: 'text', now: 'timestamptz' } as const;

/** This SQL is for statements that `authenticateWithQuery` runs. */
export function selectAgentOfTokenSql(parameter: (name: keyof typeof callerParameters) => string): string {
  return `select bot_id from tokens
     where token_hash = ${parameter('token_hash')} and ended_at is null and expires_at > ${parameter('now')}`;
}

const callerByToken: BatchedStatement<Agent> = prepareBatchedQuery(
  'caller-by-token',
  callerParameters,
  (parameter) =>
    `select ${agentColumnNames.map((name) => `bots.${name}`).join(', ')}
     from (${selectAgentOfTokenSql(parameter)}) token join bots on bots.id = token.bot_id`,
);

/** This runs for every request, so that all instances immediately refuse an ended token. */
export async function authenticate(store: Store, clock: Clock, token: string): Promise<Caller> {
  return await authenticateWithQuery(callerByToken, store, clock, token);
}

/** Fields needed to authenticate an agent. */
export interface AuthenticatedAgent {
  readonly id: string;
  readonly suspended_at: Date | string | null;
}

const tokenForm = /^apt_[A-Za-z0-9_-]{43}$/;

/** Authenticates a token with a query that may select additional columns. */
export async function authenticateWithQuery<Row extends AuthenticatedAgent>(
  query: BatchedStatement<Row>,
  store: Store,
  clock: Clock,
  token: string,
): Promise<{ readonly agent: Row; readonly tokenHash: string }> {
  // Text in any other format is refused without a query.
  if (!tokenForm.test(token)) throw unauthorizedRefusal();
  const tokenHash = sha256(token);
  const agent = await store.ask(query, [tokenHash, clock()]);
  if (agent === undefined) throw unauthorizedRefusal();
  if (agent.suspended_at !== null) throw suspendedRefusal();
  return { agent, tokenHash };
}

/** SQL for batched statements that selects a token's agent, suspension and expiry, or no row if the token has ended. */
export function selectTokenStatusSql(parameter: (name: keyof typeof callerParameters) => string): string {
  return `select bots.id as agent_id, bots.suspended_at, tokens.expires_at
     from tokens join bots on bots.id = tokens.bot_id
     where token_hash = ${parameter('token_hash')} and ended_at is null and expires_at > ${parameter('now')}`;
}

/** Returns the statuses by token hash, without those of ended tokens. */
export async function findTokenStatuses(store: Store, clock: Clock, tokenHashes: readonly string[]) {
  const rows = await store.read((reader) =>
    reader
      .selectFrom('tokens')
      .innerJoin('bots', 'bots.id', 'tokens.bot_id')
      .where(sql<boolean>`tokens.token_hash = any(${formatArray(tokenHashes)}::text[])`)
      .where('tokens.ended_at', 'is', null)
      .where('tokens.expires_at', '>', clock())
      .select(['tokens.token_hash', 'tokens.expires_at', 'bots.suspended_at'])
      .execute(),
  );
  return new Map(
    rows.map(({ token_hash, expires_at, suspended_at }) => {
      const status = { expiresAtMs: timestampToMs(expires_at), isSuspended: suspended_at !== null };
      return [token_hash, status] as const;
    }),
  );
}
