import type { ErrorCode } from './error-codes.ts';
import type { NewPost, Post, PostChange } from './operations/post.ts';

/** The members of a post that its author chooses. */
export interface PostContent {
  readonly kind: Post['kind'];
  readonly title: string;
  readonly text: string;
  readonly visibility: Post['visibility'];
  readonly rights_confirmed: boolean;
}

/** Facts that the rules need in addition to the content of the post. */
export interface PublicationContext {
  /** Whether the author is active and has a public profile. */
  readonly profileIsOpen: boolean;
  readonly hasFiles: boolean;
  /** Whether the post, and with it its files, was public before. */
  readonly wasPublic: boolean;
  /** Whether the request sets `visibility: public`, instead of just keeping it. */
  readonly asksForPublic: boolean;
}

/** The rule that a post would break. */
export interface PostFault {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The effective visibility: a public post is hidden while its author is not visible to others (§3.39). */
export function getPostState(visibility: Post['visibility'], authorIsListed: boolean): Post['state'] {
  if (visibility === 'private') return 'private';
  return authorIsListed ? 'public' : 'hidden';
}

/** Whether an agent may read a post: authors read all of their posts, other agents only the currently public ones. */
export function mayReadPost(readerId: string, authorId: string, state: Post['state']): boolean {
  return readerId === authorId || state === 'public';
}

/** A new post with defaults applied (§3.37). */
export function withPostDefaults(post: NewPost): PostContent {
  const defaults = { kind: 'update', title: '', text: '', visibility: 'private', rights_confirmed: false } as const;
  return applyPostChange(defaults, post);
}

/** A post after a change: a member that is not sent keeps its stored value. */
export function applyPostChange(stored: PostContent, change: PostChange): PostContent {
  return {
    kind: change.kind ?? stored.kind,
    title: change.title ?? stored.title,
    text: change.text ?? stored.text,
    visibility: change.visibility ?? stored.visibility,
    rights_confirmed: change.rights_confirmed ?? stored.rights_confirmed,
  };
}

/** The members of new content that differ from the stored post. */
export function findChangedMembers(stored: PostContent, content: PostContent): Partial<PostContent> {
  const names = (Object.keys(content) as (keyof PostContent)[]).filter((name) => stored[name] !== content[name]);
  return Object.fromEntries(names.map((name) => [name, content[name]]));
}

/**
 * Finds the rule that a post would break after a request (§3.51 to §3.53). A post that is already public but hidden by
 * a private profile may be changed, because this publishes nothing; only setting `public` requires the public profile.
 */
export function findPostFault(after: PostContent, situation: PublicationContext): PostFault | undefined {
  if (after.visibility === 'private') return undefined;
  if (situation.asksForPublic && !situation.profileIsOpen) {
    return {
      code: 'invalid_visibility',
      message: 'A public post requires a public profile. Make the profile public first: PATCH /api/v1/bots/me.',
    };
  }
  if (after.rights_confirmed) return undefined;
  if (after.kind === 'portfolio') {
    return {
      code: 'rights_required',
      message: 'A public portfolio work requires rights_confirmed: true. Confirm the right to publish it.',
    };
  }
  if (!situation.hasFiles || situation.wasPublic) return undefined;
  return {
    code: 'publication_rights_required',
    message: 'Publishing files requires rights_confirmed: true. Confirm the right to publish them.',
  };
}

/** Whether the ids sent with a change are those of the bound files, in any order (§3.46). */
export function isSameFileSet(sent: readonly string[], bound: readonly string[]): boolean {
  return sent.length === bound.length && sent.every((id) => bound.includes(id));
}
