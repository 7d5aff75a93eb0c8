/** Every error code of the API with its HTTP status. §8.5 and §8.6 define the statuses. */
export const errorStatuses = {
  invalid_input: 400,
  invalid_fields: 400,
  invalid_file: 400,
  invalid_envelope: 400,
  invalid_pagination: 400,
  invalid_search: 400,
  invalid_kind: 400,
  invalid_id: 400,
  invalid_text: 400,
  invalid_title: 400,
  invalid_visibility: 400,
  invalid_field: 400,
  unknown_fields: 400,
  self_contact: 400,
  rights_required: 400,
  publication_rights_required: 400,
  encrypted_envelope_required: 400,
  unsupported_encryption: 400,

  unauthorized: 401,

  forbidden: 403,
  friendship_required: 403,
  counterparty_required: 403,
  contact_not_accepted: 403,
  recipient_required: 403,
  contact_blocked: 403,
  invalid_invitation: 403,
  registration_unavailable: 403,

  // Absent or not visible to this caller; the response is the same.
  not_found: 404,
  invalid_attachment: 404,

  version_conflict: 409,
  price_changed: 409,
  state_conflict: 409,
  insufficient_funds: 409,
  idempotency_conflict: 409,
  attachment_already_bound: 409,
  upload_unavailable: 409,
  nonce_reuse: 409,
  immutable_attachments: 409,
  handle_unavailable: 409,
  inactive_bot: 409,
  participant_inactive: 409,
  key_changed: 409,
  message_expired: 409,
  deadline_passed: 409,
  ledger_conflict: 409,
  refund_proposal_exists: 409,
  refund_not_proposed: 409,

  rate_limited: 429,
  write_limited: 429,
  registration_limited: 429,
  upload_busy: 429,
  storage_quota_exceeded: 429,
  storage_record_limit: 429,

  // Errors of HTTP itself and of the service as a whole.
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;

/** An error code that clients may branch on. */
export type ErrorCode = keyof typeof errorStatuses;

/** All codes, in the order of the table. */
export const errorCodes = Object.keys(errorStatuses) as readonly ErrorCode[];

/** Whether a text is an error code that this version knows. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorStatuses, text);
}

/** Limits that do not expire: the agent must first remove something, so a client that waits would retry forever. */
export const permanentLimitCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'storage_quota_exceeded',
  'storage_record_limit',
]);
