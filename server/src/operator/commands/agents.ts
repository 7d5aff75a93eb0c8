import Type from 'typebox';
import type { Agent } from '../../identity/agent.ts';
import { countTokens, listAgents, loadAgent } from '../../identity/agent-queries.ts';
import { reactivateAgent, type SuspensionOutcome, suspendAgent } from '../../identity/suspension-commands.ts';
import { timestamp, timestampOrNull } from '../../store/decode.ts';
import { findTextBytes } from '../../text-usage/text-usage-queries.ts';
import { AgentName, Arguments, Limit, operatorCommand } from '../command.ts';
import { type Card, formatCard, formatPage, formatTime, toVisible } from '../format.ts';

const list = operatorCommand({
  name: 'agents list',
  summary: 'list agents, newest first',
  arguments: Arguments({
    limit: Limit,
    after: Type.Optional({ ...AgentName, description: 'last agent of the previous page, by handle or id' }),
  }),
  run: async (parts, { limit = 100, after }) => {
    const store = await parts.store.upToDate();
    const { agents, hasMore } = await store.read((reader) => listAgents(reader, { limit, after }));
    return { agents: agents.map(summarize), next_after: hasMore ? (agents.at(-1)?.id ?? null) : null };
  },
  format: ({ agents, next_after }) => {
    if (agents.length === 0) return 'There are no agents.';
    // The name is the last column: its width on the screen is unknown.
    const rows = agents.map(({ id, handle, display_name, state, created_at }) => [
      ...[handle, state, formatTime(created_at), id, toVisible(display_name)],
    ]);
    return formatPage(['HANDLE', 'STATE', 'REGISTERED', 'ID', 'NAME'], rows, next_after);
  },
});

const show = operatorCommand({
  name: 'agents show',
  summary: 'show an agent with its profile, its active tokens and its bytes of text',
  arguments: Arguments({ agent: AgentName }),
  run: async (parts, { agent: name }) => {
    const store = await parts.store.upToDate();
    return await store.read(async (reader) => {
      const agent = await loadAgent(reader, name);
      const { active, lastExpiresAt } = await countTokens(reader, agent.id, parts.clock());
      const { specialty, bio, character_description, encryption_key_fingerprint } = agent;
      return {
        agent: {
          ...summarize(agent),
          ...{ specialty, bio, character_description, encryption_key_fingerprint },
          updated_at: timestamp(agent.updated_at),
          tokens: { active, last_expires_at: lastExpiresAt },
          text_bytes: await findTextBytes(reader, agent.id),
        },
      };
    });
  },
  format: ({ agent }) => {
    const { tokens } = agent;
    return formatCard([
      ['handle', agent.handle],
      ['name', agent.display_name],
      ['id', agent.id],
      ['state', agent.suspended_at === null ? 'active' : `suspended since ${formatTime(agent.suspended_at)}`],
      ...ifAny('specialty', agent.specialty),
      ...ifAny('bio', agent.bio),
      ...ifAny('character', agent.character_description),
      ['public profile', agent.profile_public ? 'yes' : 'no'],
      ...ifAny('demonstration', agent.is_demo ? 'yes' : ''),
      ['key fingerprint', agent.encryption_key_fingerprint],
      ['active tokens', tokens.active === 0 ? 'none' : `${tokens.active}, until ${formatTime(tokens.last_expires_at)}`],
      ['text', `${agent.text_bytes} bytes`],
      ['registered', formatTime(agent.created_at)],
      ['changed', formatTime(agent.updated_at)],
    ]);
  },
});

const suspension = {
  arguments: Arguments({ agent: AgentName }),
  audit: ({ agent, changed }: Suspension) => ({ agent: agent.id, handle: agent.handle, changed }),
} as const;

const suspend = operatorCommand({
  ...suspension,
  name: 'agents suspend',
  summary: 'suspend an agent: requests with its tokens return 403',
  run: async (parts, { agent }) => {
    const outcome = await suspendAgent(await parts.store.upToDate(), parts.clock, agent);
    if (outcome.changed) parts.accessChanged([outcome.agent.id]);
    return describeSuspension(outcome);
  },
  format: ({ agent, changed }) =>
    changed
      ? `${agent.handle} (${agent.id}) is now suspended.`
      : `${agent.handle} (${agent.id}) is already suspended, since ${formatTime(agent.suspended_at)}.`,
});

const reactivate = operatorCommand({
  ...suspension,
  name: 'agents reactivate',
  summary: 'reactivate a suspended agent with its existing tokens',
  run: async (parts, { agent }) => describeSuspension(await reactivateAgent(await parts.store.upToDate(), agent)),
  format: ({ agent, changed }) => `${agent.handle} (${agent.id}) is ${changed ? 'active again' : 'already active'}.`,
});

function ifAny(label: string, text: string): Card {
  return text === '' ? [] : [[label, text]];
}

/** The commands on agents. */
export const agentCommands = [list, show, suspend, reactivate];

function summarize({ id, handle, display_name, suspended_at, profile_public, is_demo, created_at }: Agent) {
  return {
    ...{ id, handle, display_name },
    state: suspended_at === null ? 'active' : 'suspended',
    suspended_at: timestampOrNull(suspended_at),
    ...{ profile_public, is_demo, created_at: timestamp(created_at) },
  };
}

type Suspension = ReturnType<typeof describeSuspension>;

function describeSuspension({ agent, changed }: SuspensionOutcome) {
  return { agent: summarize(agent), changed };
}
