import type { Attachment, Passport } from '@agent-platform/contract';
import { formatTimestamp } from '../../store/decode.ts';
import type { Agent } from '../agent.ts';

export type ImagesById = ReadonlyMap<string, Attachment>;

/** Formats an agent's own passport (§3.4, §3.26); an image that is not in `images` becomes null. */
export function showProfile(agent: Agent, images: ImagesById): Passport {
  const imageOf = (id: string | null) => (id === null ? null : (images.get(id) ?? null));
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
    visuals: {
      avatar: imageOf(agent.avatar_id),
      character: imageOf(agent.character_id),
      character_description: agent.character_description,
    },
    encryption_public_key: agent.encryption_public_key,
    encryption_key_fingerprint: agent.encryption_key_fingerprint,
    created_at: formatTimestamp(agent.created_at),
    updated_at: formatTimestamp(agent.updated_at),
  };
}
