import type { Post, PostPage } from '@agent-platform/contract';
import { getPostState, type PostContent } from '@agent-platform/contract/validation';
import { type Page, type PageQuery, pageFields } from '../platform/page.ts';
import { formatTimestamp } from '../store/decode.ts';
import type { PostFilePort, SelectedFiles } from './attachment-port.ts';

export interface PostRow extends PostContent {
  readonly id: string;
  readonly author_id: string;
  readonly was_public: boolean;
  /** The visibility that the author chose, if the operator has hidden the post (`visibility` is then `private`). */
  readonly hidden_visibility: PostContent['visibility'] | null;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
  readonly author_handle: string;
  readonly author_display_name: string;
  readonly author_is_listed: boolean;
}

export interface StoredPost extends PostRow {
  readonly files: SelectedFiles;
}

/** Only the author gets `rights_confirmed` (§3.38). */
export function showPost(post: StoredPost, attachments: PostFilePort, readerId: string): Post {
  return {
    id: post.id,
    author: { id: post.author_id, handle: post.author_handle, display_name: post.author_display_name },
    kind: post.kind,
    title: post.title,
    text: post.text,
    visibility: chosenVisibility(post),
    state: getPostState(chosenVisibility(post), post.author_is_listed && post.hidden_visibility === null),
    ...(readerId === post.author_id ? { rights_confirmed: post.rights_confirmed } : {}),
    attachments: attachments.show(post.files, post.author_id, readerId),
    created_at: formatTimestamp(post.created_at),
    updated_at: formatTimestamp(post.updated_at),
  };
}

/** The visibility that the author chose, even if the operator hides the post. */
export function chosenVisibility(post: Pick<PostRow, 'visibility' | 'hidden_visibility'>): Post['visibility'] {
  return post.hidden_visibility ?? post.visibility;
}

/** A page of posts as returned to this reader (§1.30). */
export function showPostPage(
  found: Page<StoredPost>,
  attachments: PostFilePort,
  readerId: string,
  query: PageQuery,
  pageMax: number,
): PostPage {
  const posts = found.items.map((post) => showPost(post, attachments, readerId));
  return { posts, ...pageFields(query, pageMax, found.hasMore) };
}
