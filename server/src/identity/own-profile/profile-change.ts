import type { ProfileChange } from '@agent-platform/contract';
import type { Agent } from '../agent.ts';

const editable = ['display_name', 'specialty', 'bio', 'character_description', 'profile_public'] as const;
type Editable = Pick<Agent, (typeof editable)[number]>;

/** What a change alters of a profile: only what is sent and differs from what is stored. */
export function findChanges(current: Editable, change: ProfileChange): Partial<Editable> {
  const changed = editable.filter((name) => change[name] !== undefined && change[name] !== current[name]);
  return Object.fromEntries(changed.map((name) => [name, change[name]]));
}

/** Tells whether a search would find the changed profile by other words than the one before. */
export function changesSearchText(before: Editable, after: Editable): boolean {
  return before.display_name !== after.display_name || before.specialty !== after.specialty || before.bio !== after.bio;
}

/** What a change does to one image of a profile. */
export interface ImageChange {
  readonly purpose: 'avatar' | 'character';
  readonly column: 'avatar_id' | 'character_id';
  /** The image that is taken off; null where there is none. */
  readonly before: string | null;
  /** The image that takes its place; null when it is only taken off. */
  readonly after: string | null;
}

/** The images that a change replaces or takes off; one that is bound now may be sent again and changes nothing (D-26). */
export function findImageChanges(
  current: Pick<Agent, 'avatar_id' | 'character_id'>,
  change: ProfileChange,
): readonly ImageChange[] {
  const slots = [
    { purpose: 'avatar', column: 'avatar_id', sent: change.avatar_attachment_id },
    { purpose: 'character', column: 'character_id', sent: change.character_attachment_id },
  ] as const;
  return slots.flatMap(({ purpose, column, sent }) =>
    sent === undefined || sent === current[column] ? [] : [{ purpose, column, before: current[column], after: sent }],
  );
}

/** Tells whether a change binds a new image without a word on the rights to it, also while the profile is closed. */
export function lacksPublicationRights(images: readonly ImageChange[], change: ProfileChange): boolean {
  return change.rights_confirmed !== true && images.some(({ after }) => after !== null);
}
