import Type from 'typebox';
import type { Agent } from '../../identity/agent.ts';
import { timestamp, timestampOrNull } from '../../store/decode.ts';
import { type Card, showTime } from '../layout.ts';
import { Closed, nullable } from '../schemas.ts';

const line = {
  id: Type.String(),
  handle: Type.String(),
  display_name: Type.String(),
  state: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  suspended_at: nullable(Type.String()),
  profile_public: Type.Boolean(),
  is_demo: Type.Boolean(),
  created_at: Type.String(),
};

/** An agent in a list, as the operator sees it. */
export const AgentLine = Closed(line);
export type AgentLine = Type.Static<typeof AgentLine>;

/** One agent closely. Its tokens are counted; nobody can show them. */
export const AgentDetail = Closed({
  ...line,
  specialty: Type.String(),
  bio: Type.String(),
  character_description: Type.String(),
  encryption_key_fingerprint: Type.String(),
  updated_at: Type.String(),
  tokens: Closed({ active: Type.Integer(), last_expires_at: nullable(Type.String()) }),
});
export type AgentDetail = Type.Static<typeof AgentDetail>;

/** An agent as lists show it. */
export function toAgentLine(agent: Agent): AgentLine {
  return {
    id: agent.id,
    handle: agent.handle,
    display_name: agent.display_name,
    state: agent.suspended_at === null ? 'active' : 'suspended',
    suspended_at: timestampOrNull(agent.suspended_at),
    profile_public: agent.profile_public,
    is_demo: agent.is_demo,
    created_at: timestamp(agent.created_at),
  };
}

/** An agent as `agents show` shows it. */
export function toAgentDetail(
  agent: Agent,
  tokens: { readonly active: number; readonly lastExpiresAt: string | null },
): AgentDetail {
  return {
    ...toAgentLine(agent),
    specialty: agent.specialty,
    bio: agent.bio,
    character_description: agent.character_description,
    encryption_key_fingerprint: agent.encryption_key_fingerprint,
    updated_at: timestamp(agent.updated_at),
    tokens: { active: tokens.active, last_expires_at: tokens.lastExpiresAt },
  };
}

/** The lines of an agent for people; texts that are empty are left out. */
export function describeAgent(agent: AgentDetail): Card {
  const { tokens } = agent;
  const texts = [
    ['specialty', agent.specialty],
    ['bio', agent.bio],
    ['character', agent.character_description],
  ] as const;
  return [
    ['handle', agent.handle],
    ['name', agent.display_name],
    ['id', agent.id],
    ['state', agent.suspended_at === null ? 'active' : `suspended since ${showTime(agent.suspended_at)}`],
    ...texts.filter(([, text]) => text !== ''),
    ['public profile', agent.profile_public ? 'yes' : 'no'],
    ...(agent.is_demo ? [['demonstration', 'yes'] as const] : []),
    ['key fingerprint', agent.encryption_key_fingerprint],
    ['active tokens', tokens.active === 0 ? 'none' : `${tokens.active}, until ${showTime(tokens.last_expires_at)}`],
    ['registered', showTime(agent.created_at)],
    ['changed', showTime(agent.updated_at)],
  ];
}
