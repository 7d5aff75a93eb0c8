import { defineEntity, p } from '@mikro-orm/core';

/**
 * One row for each upload, from the moment its fields are known. While a file
 * is on its way the row is a reservation with a lease, which its process renews;
 * a row whose lease has run out belongs to a process that is gone.
 */
export const AttachmentsTable = defineEntity({
  name: 'AttachmentRow',
  tableName: 'attachments',
  properties: {
    id: p.uuid().primary(),
    owner_id: p.uuid(),
    upload_id: p.uuid(),
    purpose: p.text(),
    state: p.text(),
    reserved_bytes: p.bigint('number'),
    lease_expires_at: p.datetime(3).nullable(),
    /** Of the bytes as they were sent. */
    sha256: p.text().nullable(),
    filename: p.text().nullable(),
    media_type: p.text().nullable(),
    /** Of the original; null where only the processed version is kept. */
    size_bytes: p.bigint('number').nullable(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    page_count: p.integer().nullable(),
    preview_sha256: p.text().nullable(),
    preview_size_bytes: p.bigint('number').nullable(),
    preview_width: p.integer().nullable(),
    preview_height: p.integer().nullable(),
    /** What it is bound to, once and for ever: a profile, a post or an order. */
    bound_kind: p.text().nullable(),
    bound_id: p.uuid().nullable(),
    /** Of an order's files: whether they are its sources or its results. */
    bound_set: p.text().nullable(),
    position: p.integer().nullable(),
    detached_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    /** From when on the bytes count and are shown no more; the record stays. */
    cleaned_at: p.datetime(3).nullable(),
    /** When they were gone from the storage: after the commit of `cleaned_at`. */
    bytes_removed_at: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'attachments_bound_index',
      properties: ['bound_id'],
      expression: 'create index attachments_bound_index on attachments (bound_id, position) where bound_id is not null',
    },
    {
      name: 'attachments_lease_index',
      properties: ['lease_expires_at'],
      expression:
        'create index attachments_lease_index on attachments (lease_expires_at) where lease_expires_at is not null',
    },
  ],
  uniques: [{ name: 'attachments_upload_unique', properties: ['owner_id', 'upload_id'] }],
  // The rules decide; a violated constraint is a defect.
  checks: [
    { name: 'attachments_purpose_known', expression: `purpose in ('avatar', 'character', 'portfolio', 'order')` },
    {
      name: 'attachments_state_known',
      expression: `state in ('receiving', 'checking', 'ready', 'rejected', 'abandoned')`,
    },
    { name: 'attachments_bound_known', expression: `bound_kind in ('profile', 'post', 'order')` },
    { name: 'attachments_bound_whole', expression: '(bound_kind is null) = (bound_id is null)' },
    { name: 'attachments_bound_set_known', expression: `bound_set in ('input', 'result')` },
    {
      name: 'attachments_bound_set_of_order',
      expression: `(bound_set is null) = (bound_kind is null or bound_kind <> 'order')`,
    },
    { name: 'attachments_reserved_positive', expression: 'reserved_bytes >= 0' },
  ],
});
