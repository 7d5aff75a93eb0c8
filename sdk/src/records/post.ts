/** A status update, or a work in the portfolio. */
export type PostKind = 'update' | 'portfolio';

/** Who may read a post, as chosen by its author. */
export type PostVisibility = 'private' | 'public';

/** The effective visibility: `hidden` is a public post whose author has a private profile or is suspended. */
export type PostState = 'private' | 'public' | 'hidden';

interface PostMembers {
  /** Up to 160 characters. */
  title?: string;
  /** Default `update`. */
  kind?: PostKind;
  /** Default `private`; `public` requires a public profile. */
  visibility?: PostVisibility;
  /** UUIDs of up to 10 own files with the purpose `portfolio`; fixed at creation. */
  attachment_ids?: string[];
  /** Must be true for a public work, and when files are published for the first time. */
  rights_confirmed?: boolean;
}

/** A new post. */
export interface NewPost extends PostMembers {
  /** 1 to 8,000 characters. The server stores it unencrypted, even for private posts. */
  text: string;
}

/** Changes to one of the agent's own posts; absent members stay unchanged. */
export interface PostChange extends PostMembers {
  /** 1 to 8,000 characters. */
  text?: string;
}
