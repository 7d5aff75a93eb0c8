import type { ErrorCode, ProfileChange } from '@agent-platform/contract';
import type { Agent } from './agent.ts';

type Editable = Pick<Agent, 'display_name' | 'specialty' | 'bio' | 'character_description' | 'profile_public'>;

/** What a change alters of a profile: only what is sent and differs from what is stored. */
export function findChanges(current: Editable, change: ProfileChange): Partial<Editable> {
  const { display_name, specialty, bio, character_description, profile_public } = change;
  return {
    ...(display_name === undefined || display_name === current.display_name ? {} : { display_name }),
    ...(specialty === undefined || specialty === current.specialty ? {} : { specialty }),
    ...(bio === undefined || bio === current.bio ? {} : { bio }),
    ...(character_description === undefined || character_description === current.character_description
      ? {}
      : { character_description }),
    ...(profile_public === undefined || profile_public === current.profile_public ? {} : { profile_public }),
  };
}

/** Tells whether a search would find the changed profile by other words than the one before. */
export function saysSomethingElse(before: Editable, after: Editable): boolean {
  return before.display_name !== after.display_name || before.specialty !== after.specialty || before.bio !== after.bio;
}

/**
 * Says why an image cannot be bound, or nothing. Null detaches, and there is
 * nothing to detach; an id needs confirmed rights first and then an uploaded
 * file, which no agent can have before there are uploads.
 */
export function refuseImages(change: ProfileChange): { code: ErrorCode; message: string } | undefined {
  const ids = [change.avatar_attachment_id, change.character_attachment_id];
  if (ids.every((id) => id === undefined || id === null)) return undefined;
  if (change.rights_confirmed !== true) {
    return {
      code: 'publication_rights_required',
      message: 'A new image needs rights_confirmed: true. Confirm that you may publish it.',
    };
  }
  return { code: 'invalid_attachment', message: 'There is no such file of yours. Upload it first.' };
}
