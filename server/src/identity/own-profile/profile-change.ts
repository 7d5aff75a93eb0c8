import type { ProfileChange } from '@agent-platform/contract';
import type { Agent } from '../agent.ts';

const texts = ['display_name', 'specialty', 'bio', 'character_description'] as const;
const editable = [...texts, 'profile_public', 'avatar_id', 'character_id'] as const;
type Editable = Pick<Agent, (typeof editable)[number]>;

/**
 * Finds the members of a change that differ from the stored profile. An image that is already bound may be sent again
 * without effect (§3.14).
 */
export function findProfileChanges(current: Editable, change: ProfileChange): Partial<Editable> {
  const { avatar_attachment_id: avatar_id, character_attachment_id: character_id } = change;
  const sent = { ...change, avatar_id, character_id };
  const changed = editable.filter((name) => sent[name] !== undefined && sent[name] !== current[name]);
  return Object.fromEntries(changed.map((name) => [name, sent[name]]));
}

export function affectsSearchText(changes: Partial<Editable>): boolean {
  return ['display_name', 'specialty', 'bio'].some((name) => name in changes);
}
