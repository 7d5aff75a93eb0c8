import type { AgentCommandDependencies, AgentOutcome } from '../../../identity/named-agents-commands.ts';
import { reactivateAgents, suspendAgents } from '../../../identity/suspension-commands.ts';
import { revokeAllTokens } from '../../../identity/tokens/token-commands.ts';
import { defineOperatorCommand, HandlesOrIds, makeArgumentsSchema } from '../../command.ts';
import { formatTime } from '../../format.ts';
import {
  type BulkResult,
  bulkTimeoutMs,
  formatBulkLines,
  hasBulkSucceeded,
  makeBulkLogFields,
  runOnAgents,
} from './bulk.ts';

type Single = Extract<BulkResult, { agent: unknown }>;

interface AccessCommand {
  readonly name: string;
  readonly summary: string;
  change(parts: AgentCommandDependencies, names: readonly string[]): Promise<readonly AgentOutcome[]>;
  /** The words for one agent in the result for several agents. */
  readonly words: { readonly changed: string; readonly unchanged: string };
  /** The sentence in the result for a single agent. */
  readonly sentence: (result: Single) => string;
}

function accessCommand({ name, summary, change, words, sentence }: AccessCommand) {
  return defineOperatorCommand({
    name,
    summary,
    arguments: makeArgumentsSchema({ agents: HandlesOrIds }),
    answerWithinMs: bulkTimeoutMs,
    run: async (parts, { agents }) => {
      const { clock, record } = parts;
      const store = await parts.store.upToDate();
      return await runOnAgents(parts, agents, (part) => change({ store, clock, record }, part));
    },
    succeeded: hasBulkSucceeded,
    audit: makeBulkLogFields,
    format: (result) => ('failed' in result ? formatBulkLines(result, words) : sentence(result)),
  });
}

export const suspendAgentsCommand = accessCommand({
  name: 'agents suspend',
  summary: 'suspend agents: requests with their tokens return 403',
  change: suspendAgents,
  words: { changed: 'is now suspended', unchanged: 'is already suspended' },
  sentence: ({ agent, changed }) =>
    changed
      ? `${agent.handle} (${agent.id}) is now suspended.`
      : `${agent.handle} (${agent.id}) is already suspended, since ${formatTime(agent.suspended_at)}.`,
});

export const reactivateAgentsCommand = accessCommand({
  name: 'agents reactivate',
  summary: 'reactivate suspended agents with their existing tokens',
  change: reactivateAgents,
  words: { changed: 'is active again', unchanged: 'is already active' },
  sentence: ({ agent, changed }) => `${agent.handle} (${agent.id}) is ${changed ? 'active again' : 'already active'}.`,
});

export const revokeTokensCommand = accessCommand({
  name: 'agents revoke-tokens',
  summary: 'permanently revoke all tokens of agents: their requests return 401, and they cannot get new ones',
  change: revokeAllTokens,
  words: { changed: 'no longer has a valid token', unchanged: 'has no valid token' },
  sentence: ({ agent, changed }) =>
    changed
      ? `All tokens of ${agent.handle} (${agent.id}) are revoked.`
      : `${agent.handle} (${agent.id}) has no valid token.`,
});
