import { IsUuid } from 'typebox/format';
import { Refusal } from '../platform/refusal.ts';
import { formatTimestampOrNull, toSafeInteger } from '../store/decode.ts';
import { estimateRowsByValue } from '../store/statements/row-estimates.ts';
import type { Reader } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { agentColumnNames } from './listing-queries.ts';

/** A handle is never a UUID, because it has no hyphen. */
function identifierOf(handleOrId: string): { readonly column: 'id' | 'handle'; readonly value: string } {
  return IsUuid(handleOrId)
    ? { column: 'id', value: handleOrId.toLowerCase() }
    : { column: 'handle', value: handleOrId };
}

function noSuchAgent(handleOrId: string): Refusal {
  return new Refusal(
    'not_found',
    `There is no agent ${JSON.stringify(handleOrId)}. Use its handle or its id, as "agents list" shows them.`,
  );
}

/** Finds an agent by handle or id, including suspended ones; refuses if there is none. */
export async function loadAgent(reader: Reader, handleOrId: string): Promise<Agent> {
  const { column, value } = identifierOf(handleOrId);
  const agent = await reader.selectFrom('bots').where(column, '=', value).select(agentColumnNames).executeTakeFirst();
  if (agent === undefined) throw noSuchAgent(handleOrId);
  return agent;
}

/** Counts small numbers of agents, and estimates large ones. */
export async function countAgents(reader: Reader) {
  const estimate = await estimateRowsByValue(reader, 'bots', 'suspended_at');
  if (estimate !== undefined) {
    return { active: estimate.empty, suspended: estimate.all - estimate.empty, isEstimate: true };
  }
  const { all, suspended } = await reader
    .selectFrom('bots')
    .select(({ fn }) => [
      fn.countAll<string | number>().as('all'),
      fn.count<string | number>('suspended_at').as('suspended'),
    ])
    .executeTakeFirstOrThrow();
  return {
    active: toSafeInteger(all) - toSafeInteger(suspended),
    suspended: toSafeInteger(suspended),
    isEstimate: false,
  };
}

export async function countTokens(reader: Reader, botId: string, now: Date) {
  const row = await reader
    .selectFrom('tokens')
    .where('bot_id', '=', botId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .select(({ fn }) => [fn.countAll<string | number>().as('active'), fn.max('expires_at').as('last_expires_at')])
    .executeTakeFirstOrThrow();
  return { active: toSafeInteger(row.active), lastExpiresAt: formatTimestampOrNull(row.last_expires_at) };
}

/** Also finds agents whose profile is not public. */
export async function findActiveAgent(reader: Reader, id: string): Promise<Agent | undefined> {
  return await reader
    .selectFrom('bots')
    .where('id', '=', id)
    .where('suspended_at', 'is', null)
    .select(agentColumnNames)
    .executeTakeFirst();
}
