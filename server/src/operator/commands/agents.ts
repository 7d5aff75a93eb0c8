import Type from 'typebox';
import { countTokens, listAgents, loadAgent } from '../../identity/agent-queries.ts';
import { reactivateAgent, suspendAgent } from '../../identity/suspension-commands.ts';
import { operatorCommand } from '../command.ts';
import { layOutCard, layOutTable, showTime, toVisible } from '../layout.ts';
import { Closed, nullable } from '../schemas.ts';
import { AgentDetail, AgentLine, describeAgent, toAgentDetail, toAgentLine } from './agent-view.ts';

const AgentName = Type.String({
  title: 'handle or id',
  minLength: 1,
  maxLength: 64,
  description: 'the handle or the id of an agent',
});

const listing = operatorCommand({
  name: 'agents list',
  summary: 'list agents, newest first',
  arguments: Closed({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'maximum number of entries, 1 to 1000; default 100' }),
    ),
    after: Type.Optional(
      Type.String({
        title: 'handle or id',
        minLength: 1,
        maxLength: 64,
        description: 'last agent of the previous page, by handle or id',
      }),
    ),
  }),
  result: Closed({ agents: Type.Array(AgentLine), next_after: nullable(Type.String()) }),
  run: async (parts, { limit = 100, after }) => {
    const store = await parts.store.upToDate();
    const { agents, hasMore } = await store.read((reader) => listAgents(reader, { limit, after }));
    return { agents: agents.map(toAgentLine), next_after: hasMore ? (agents.at(-1)?.id ?? null) : null };
  },
  show: ({ agents, next_after }) => {
    if (agents.length === 0) return 'There are no agents.';
    // The name stands last: its width on the screen cannot be known.
    const rows = agents.map((agent) => [
      agent.handle,
      agent.state,
      showTime(agent.created_at),
      agent.id,
      toVisible(agent.display_name),
    ]);
    const table = layOutTable(['HANDLE', 'STATE', 'REGISTERED', 'ID', 'NAME'], rows);
    return next_after === null ? table : `${table}\n\nMore entries: --after ${next_after}`;
  },
});

const showing = operatorCommand({
  name: 'agents show',
  summary: 'show an agent with its profile and its number of active tokens',
  arguments: Closed({ agent: AgentName }),
  positional: ['agent'],
  result: Closed({ agent: AgentDetail }),
  run: async (parts, { agent }) => {
    const store = await parts.store.upToDate();
    return await store.read(async (reader) => {
      const found = await loadAgent(reader, agent);
      return { agent: toAgentDetail(found, await countTokens(reader, found.id, parts.clock())) };
    });
  },
  show: ({ agent }) => layOutCard(describeAgent(agent)),
});

const SuspensionResult = Closed({ agent: AgentLine, changed: Type.Boolean() });

const suspending = operatorCommand({
  name: 'agents suspend',
  summary: 'suspend an agent: requests with its tokens return 403',
  arguments: Closed({ agent: AgentName }),
  positional: ['agent'],
  result: SuspensionResult,
  run: async (parts, { agent }) => {
    const outcome = await suspendAgent(await parts.store.upToDate(), parts.clock, agent);
    if (outcome.changed) parts.accessChanged([outcome.agent.id]);
    return { agent: toAgentLine(outcome.agent), changed: outcome.changed };
  },
  audit: (_, { agent, changed }) => ({ agent: agent.id, handle: agent.handle, changed }),
  show: ({ agent, changed }) =>
    changed
      ? `${agent.handle} (${agent.id}) is now suspended.`
      : `${agent.handle} (${agent.id}) is already suspended, since ${showTime(agent.suspended_at)}.`,
});

const reactivating = operatorCommand({
  name: 'agents reactivate',
  summary: 'reactivate a suspended agent with its existing tokens',
  arguments: Closed({ agent: AgentName }),
  positional: ['agent'],
  result: SuspensionResult,
  run: async (parts, { agent }) => {
    const outcome = await reactivateAgent(await parts.store.upToDate(), agent);
    return { agent: toAgentLine(outcome.agent), changed: outcome.changed };
  },
  audit: (_, { agent, changed }) => ({ agent: agent.id, handle: agent.handle, changed }),
  show: ({ agent, changed }) =>
    changed ? `${agent.handle} (${agent.id}) is active again.` : `${agent.handle} (${agent.id}) is already active.`,
});

/** What an operator does with agents. */
export const agentCommands = [listing, showing, suspending, reactivating];
