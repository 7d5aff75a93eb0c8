import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

/**
 * One row per upload, from the moment its fields are known. While a file is arriving, the row is a reservation with a
 * lease that its process renews; an expired lease means that its process has ended.
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
    /** The hash of the original. */
    sha256: p.text().nullable(),
    /** The hash of the bytes as sent; null if it equals `sha256`. */
    sent_sha256: p.text().nullable(),
    filename: p.text().nullable(),
    media_type: p.text().nullable(),
    /** The size of the original; null if only the processed version is stored. */
    size_bytes: p.bigint('number').nullable(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    page_count: p.integer().nullable(),
    preview_sha256: p.text().nullable(),
    preview_size_bytes: p.bigint('number').nullable(),
    preview_width: p.integer().nullable(),
    preview_height: p.integer().nullable(),
    /** The kind of object that the file is permanently bound to: a profile, a post or an order. */
    bound_kind: p.text().nullable(),
    bound_id: p.uuid().nullable(),
    /** Whether a file of an order is an input or a result. */
    bound_set: p.text().nullable(),
    position: p.integer().nullable(),
    detached_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    /** The time from which the bytes are neither counted nor served; the record stays. */
    cleaned_at: p.datetime(3).nullable(),
    /** When the bytes were removed from the storage, after the commit of `cleaned_at`. */
    bytes_removed_at: p.datetime(3).nullable(),
    hidden_at: p.datetime(3).nullable(),
    /** When all stored bytes were last read and compared with their hashes. */
    verified_at: p.datetime(3).nullable(),
    /** The recorded fault: `missing`, `damaged`, or null. */
    original_fault: p.text().nullable(),
    preview_fault: p.text().nullable(),
  },
  indexes: [
    sqlIndex('attachments_bound_index', ['bound_id'], 'attachments (bound_id, position) where bound_id is not null'),
    sqlIndex(
      'attachments_lease_index',
      ['lease_expires_at'],
      'attachments (lease_expires_at) where lease_expires_at is not null',
    ),
    sqlIndex(
      'attachments_unverified_index',
      ['verified_at', 'created_at'],
      'attachments (coalesce(verified_at, created_at))',
    ),
    sqlIndex(
      'attachments_fault_index',
      ['id'],
      'attachments (id) where original_fault is not null or preview_fault is not null',
    ),
  ],
  uniques: [{ name: 'attachments_upload_unique', properties: ['owner_id', 'upload_id'] }],
  // Commands check the rules first; a violated constraint is a defect.
  checks: namedChecks({
    attachments_purpose_known: `purpose in ('avatar', 'character', 'portfolio', 'order')`,
    attachments_state_known: `state in ('receiving', 'checking', 'ready', 'rejected', 'abandoned')`,
    attachments_bound_known: `bound_kind in ('profile', 'post', 'order')`,
    attachments_bound_whole: '(bound_kind is null) = (bound_id is null)',
    attachments_bound_set_known: `bound_set in ('input', 'result')`,
    attachments_bound_set_of_order: `(bound_set is null) = (bound_kind is null or bound_kind <> 'order')`,
    attachments_reserved_positive: 'reserved_bytes >= 0',
  }),
});

/** Storage usage: one row per agent that has uploaded, and one for the total. */
export const FileUsageTable = defineEntity({
  name: 'FileUsageRow',
  tableName: 'file_usage',
  properties: {
    /** The id of an agent, or `all`. */
    key: p.text().primary(),
    files: p.integer(),
    bytes: p.bigint('number'),
    records: p.integer(),
  },
  checks: [{ name: 'file_usage_positive', expression: 'files >= 0 and bytes >= 0 and records >= 0' }],
});
