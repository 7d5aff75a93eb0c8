import { sql } from 'kysely';
import { formatTimestamp, formatTimestampOrNull } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

interface FoundPost {
  readonly id: string;
  readonly author_id: string;
  readonly author_handle: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly visibility: string;
  readonly is_hidden: boolean;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
  readonly deleted_at: Date | string | null;
  /** This is JSON text, because not all database drivers parse JSON. */
  readonly files: string | null;
}

/** Also finds private, hidden and deleted posts. */
export async function findAnyPost(reader: Reader, id: string) {
  const { rows } = await sql<FoundPost>`
    select posts.id, author_id, bots.handle as author_handle, kind, title, text,
           coalesce(hidden_visibility, visibility) as visibility, hidden_visibility is not null as is_hidden,
           posts.created_at, posts.updated_at, deleted_at,
           (select json_agg(id order by position)::text from attachments
            where bound_kind = 'post' and bound_id = posts.id) as files
    from posts join bots on bots.id = posts.author_id where posts.id = ${id}`.execute(reader);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { author_id, author_handle, files, created_at, updated_at, deleted_at, ...post } = row;
  return {
    ...post,
    author: { id: author_id, handle: author_handle },
    files: JSON.parse(files ?? '[]') as readonly string[],
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    deleted_at: formatTimestampOrNull(deleted_at),
  };
}
