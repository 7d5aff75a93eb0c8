import Type from 'typebox';
import { listAgents, readAgentUsage } from '../../../identity/agent-list-queries.ts';
import { countTokens, loadAgent } from '../../../identity/agent-queries.ts';
import { formatTimestamp } from '../../../store/decode.ts';
import {
  defineOperatorCommand,
  flagOption,
  HandleOrId,
  integerOption,
  makeArgumentsSchema,
  pageLimitOption,
} from '../../command.ts';
import { type CardRows, formatCard, formatPage, formatTime, toVisible } from '../../format.ts';
import { describeQuotas } from './quota.ts';
import { summarizeAgentUsage } from './summary.ts';

export const listAgentsCommand = defineOperatorCommand({
  name: 'agents list',
  summary: 'list agents with their usage, newest first',
  arguments: makeArgumentsSchema({
    suspended: flagOption('suspended agents only'),
    erased: flagOption('erased agents only'),
    demo: flagOption('demonstration agents only'),
    idleDays: integerOption(36_500, 'agents not seen for this number of days'),
    minBytes: integerOption(2 ** 50, 'agents whose files and texts have at least this number of bytes'),
    limit: pageLimitOption,
    after: Type.Optional({ ...HandleOrId, description: 'last agent of the previous page, by handle or id' }),
  }),
  run: async (parts, { limit = 100, suspended, erased, demo, idleDays, minBytes, after }) => {
    const store = await parts.store.upToDate();
    const filter = { isSuspended: suspended, isErased: erased, isDemo: demo, idleDays, minBytes, limit, after };
    const { agents, hasMore } = await listAgents(store, filter, parts.clock());
    return {
      agents: agents.map(({ usage, ...agent }) => summarizeAgentUsage(agent, usage)),
      next_after: hasMore ? (agents.at(-1)?.id ?? null) : null,
    };
  },
  format: ({ agents, next_after }) => {
    if (agents.length === 0) return 'There are no agents.';
    // The display name is the last column, because its width on the screen is unknown.
    const rows = agents.map(({ handle, display_name, state, created_at, last_seen_at, usage }) => [
      handle,
      state,
      formatTime(created_at),
      formatTime(last_seen_at ?? created_at),
      String(usage.files),
      String(usage.file_bytes),
      String(usage.text_bytes),
      toVisible(display_name),
    ]);
    const headings = ['HANDLE', 'STATE', 'REGISTERED', 'LAST SEEN', 'FILES', 'FILE BYTES', 'TEXT BYTES', 'NAME'];
    return formatPage(headings, rows, next_after);
  },
});

export const showAgentCommand = defineOperatorCommand({
  name: 'agents show',
  summary: 'show an agent with its profile, its active tokens, its usage and its limits',
  arguments: makeArgumentsSchema({ agent: HandleOrId }),
  run: async (parts, { agent: name }) => {
    const store = await parts.store.upToDate();
    return await store.read(async (reader) => {
      const agent = await loadAgent(reader, name);
      const { active, lastExpiresAt } = await countTokens(reader, agent.id, parts.clock());
      const { specialty, bio, character_description, encryption_key_fingerprint } = agent;
      const usage = await readAgentUsage(reader, agent.id);
      return {
        agent: {
          ...summarizeAgentUsage(agent, usage),
          specialty,
          bio,
          character_description,
          encryption_key_fingerprint,
          updated_at: formatTimestamp(agent.updated_at),
          tokens: { active, last_expires_at: lastExpiresAt },
          quotas: describeQuotas(agent, parts.settings),
          // Repeats `usage.text_bytes` for programs that were written for version 0.1.
          text_bytes: usage.text_bytes,
        },
      };
    });
  },
  format: ({ agent }) => {
    const { tokens, usage, quotas } = agent;
    return formatCard([
      ['handle', agent.handle],
      ['name', agent.display_name],
      ['id', agent.id],
      ['state', describeState(agent)],
      ...ifAny('specialty', agent.specialty),
      ...ifAny('bio', agent.bio),
      ...ifAny('character', agent.character_description),
      ['public profile', agent.profile_public ? 'yes' : 'no'],
      ...ifAny('demonstration', agent.is_demo ? 'yes' : ''),
      ['key fingerprint', agent.encryption_key_fingerprint],
      ['active tokens', tokens.active === 0 ? 'none' : `${tokens.active}, until ${formatTime(tokens.last_expires_at)}`],
      ['files', formatUsage(usage.files, quotas.files)],
      ['file bytes', formatUsage(usage.file_bytes, quotas.file_bytes)],
      ['uploads', formatUsage(usage.uploads, quotas.uploads)],
      ['text bytes', formatUsage(usage.text_bytes, quotas.text_bytes)],
      ['last seen', formatTime(agent.last_seen_at)],
      ['registered', formatTime(agent.created_at)],
      ['changed', formatTime(agent.updated_at)],
    ]);
  },
});

function describeState({ state, suspended_at, erased_at }: ReturnType<typeof summarizeAgentUsage>): string {
  if (state === 'erased') return `erased at ${formatTime(erased_at)}`;
  return suspended_at === null ? state : `suspended since ${formatTime(suspended_at)}`;
}

function formatUsage(used: number, { limit, own }: { readonly limit: number; readonly own: boolean }): string {
  const ofLimit = limit === 0 ? 'no limit' : `of ${limit}`;
  return `${used} (${ofLimit}${own ? ', set for this agent' : ''})`;
}

function ifAny(label: string, text: string): CardRows {
  return text === '' ? [] : [[label, text]];
}
