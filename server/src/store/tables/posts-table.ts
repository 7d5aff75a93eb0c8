import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

/** Posts. Deleted posts are marked and no longer shown, and retention removes them later. */
export const PostsTable = defineEntity({
  name: 'PostRow',
  tableName: 'posts',
  properties: {
    id: p.uuid().primary(),
    author_id: p.uuid(),
    kind: p.text(),
    title: p.text(),
    text: p.text(),
    /** The visibility that the author chose; the effective one also depends on the profile (§3.39). */
    visibility: p.text(),
    rights_confirmed: p.boolean(),
    /** Whether the post's files were ever public: rights must be confirmed only the first time (§3.52). */
    was_public: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).nullable(),
    /** The visibility that the author chose, if the operator has hidden the post (`visibility` is then `private`). */
    hidden_visibility: p.text().nullable(),
  },
  indexes: [
    sqlIndex(
      'posts_of_author_index',
      ['author_id'],
      'posts (author_id, created_at desc, id desc) where deleted_at is null',
    ),
    sqlIndex(
      'posts_works_index',
      ['author_id'],
      `posts (author_id, created_at desc, id desc) where deleted_at is null and visibility = 'public'`,
    ),
    sqlIndex(
      'posts_of_author_by_kind_index',
      ['author_id'],
      'posts (author_id, kind, created_at desc, id desc) where deleted_at is null',
    ),
    sqlIndex(
      'posts_works_by_kind_index',
      ['author_id'],
      `posts (author_id, kind, created_at desc, id desc) where deleted_at is null and visibility = 'public'`,
    ),
    sqlIndex(
      'posts_public_index',
      ['created_at'],
      `posts (created_at desc, id desc) include (author_id) where deleted_at is null and visibility = 'public'`,
    ),
    sqlIndex(
      'posts_public_kind_index',
      ['kind'],
      `posts (kind, created_at desc, id desc) include (author_id) where deleted_at is null and visibility = 'public'`,
    ),
    sqlIndex('posts_deleted_index', ['deleted_at'], 'posts (deleted_at) where deleted_at is not null'),
    sqlIndex(
      'posts_deleted_of_author_index',
      ['author_id'],
      'posts (author_id, deleted_at) where deleted_at is not null',
    ),
  ],
  // Commands check the rules first; a violated constraint is a defect.
  checks: namedChecks({
    posts_kind_known: `kind in ('update', 'portfolio')`,
    posts_visibility_known: `visibility in ('private', 'public')`,
    posts_hidden_visibility_known: `hidden_visibility in ('private', 'public')`,
    posts_hidden_is_private: `hidden_visibility is null or visibility = 'private'`,
    posts_title_length: 'char_length(title) <= 160',
    posts_text_length: 'char_length(text) >= 1 and char_length(text) <= 8000',
  }),
});
