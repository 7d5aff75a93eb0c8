import { defineEntity, p } from '@mikro-orm/core';

/** Posts, deleted ones included: they are marked, and nothing shows them any more. */
export const PostsTable = defineEntity({
  name: 'PostRow',
  tableName: 'posts',
  properties: {
    id: p.uuid().primary(),
    author_id: p.uuid(),
    kind: p.text(),
    title: p.text(),
    text: p.text(),
    /** What the author chose; what holds depends on the profile, too (D-8). */
    visibility: p.text(),
    rights_confirmed: p.boolean(),
    /** Whether the files of the post have been public before: only the first time asks for rights (D-26). */
    was_public: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'posts_of_author_index',
      properties: ['author_id'],
      expression:
        'create index posts_of_author_index on posts (author_id, created_at desc, id desc) where deleted_at is null',
    },
    {
      name: 'posts_works_index',
      properties: ['author_id'],
      expression: `create index posts_works_index on posts (author_id, created_at desc, id desc) where deleted_at is null and visibility = 'public'`,
    },
    {
      name: 'posts_public_index',
      properties: ['created_at'],
      expression: `create index posts_public_index on posts (created_at desc, id desc) include (author_id) where deleted_at is null and visibility = 'public'`,
    },
    {
      name: 'posts_public_kind_index',
      properties: ['kind'],
      expression: `create index posts_public_kind_index on posts (kind, created_at desc, id desc) include (author_id) where deleted_at is null and visibility = 'public'`,
    },
  ],
  // The rules refuse first, with a code; a reached check is a defect of ours.
  checks: [
    { name: 'posts_kind_known', expression: `kind in ('update', 'portfolio')` },
    { name: 'posts_visibility_known', expression: `visibility in ('private', 'public')` },
    { name: 'posts_title_length', expression: 'char_length(title) <= 160' },
    { name: 'posts_text_length', expression: 'char_length(text) >= 1 and char_length(text) <= 8000' },
  ],
});
