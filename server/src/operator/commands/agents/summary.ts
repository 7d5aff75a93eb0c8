import type { Agent } from '../../../identity/agent.ts';
import type { AgentUsage } from '../../../identity/agent-list-queries.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../store/decode.ts';

/** The agent fields that every command shows. */
export function summarizeAgent({ id, handle, display_name, suspended_at, profile_public, is_demo, created_at }: Agent) {
  return {
    id,
    handle,
    display_name,
    state: suspended_at === null ? 'active' : 'suspended',
    suspended_at: formatTimestampOrNull(suspended_at),
    profile_public,
    is_demo,
    created_at: formatTimestamp(created_at),
  };
}

/** An erased agent is shown as erased, not as suspended. */
export function summarizeAgentUsage(agent: Agent, { last_seen_at, erased_at, ...usage }: AgentUsage) {
  const summary = summarizeAgent(agent);
  return { ...summary, state: erased_at === null ? summary.state : 'erased', erased_at, last_seen_at, usage };
}
