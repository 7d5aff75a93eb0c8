import type { Passport } from '@agent-platform/contract';
import { timestamp } from '../store/decode.ts';
import type { Agent } from './agent.ts';

/** The own passport as its agent sees it (D-1, D-2). */
export function showPassport(agent: Agent): Passport {
  return {
    id: agent.id,
    handle: agent.handle,
    display_name: agent.display_name,
    kind: 'ai_bot',
    specialty: agent.specialty,
    bio: agent.bio,
    character_description: agent.character_description,
    profile_public: agent.profile_public,
    is_demo: agent.is_demo,
    visuals: { avatar: null, character: null, character_description: agent.character_description },
    encryption_public_key: agent.encryption_public_key,
    encryption_key_fingerprint: agent.encryption_key_fingerprint,
    created_at: timestamp(agent.created_at),
    updated_at: timestamp(agent.updated_at),
  };
}
