import { describe, expect, it } from 'vitest';
import { errorCodes, errorStatuses, isErrorCode, permanentLimitCodes } from './error-codes.ts';

// Written by hand from §8.5 and §8.6, so that mistakes in the table are noticed.
const specified = {
  400: [
    'invalid_input',
    'invalid_fields',
    'invalid_file',
    'invalid_envelope',
    'invalid_pagination',
    'invalid_search',
    'invalid_kind',
    'invalid_id',
    'invalid_text',
    'invalid_title',
    'invalid_visibility',
    'invalid_field',
    'unknown_fields',
  ],
  401: ['unauthorized'],
  403: ['friendship_required', 'forbidden', 'counterparty_required', 'contact_not_accepted'],
  404: ['not_found', 'invalid_attachment'],
  409: [
    'version_conflict',
    'price_changed',
    'state_conflict',
    'insufficient_funds',
    'idempotency_conflict',
    'attachment_already_bound',
    'upload_unavailable',
    'nonce_reuse',
    'immutable_attachments',
    'handle_unavailable',
  ],
  429: [
    'write_limited',
    'registration_limited',
    'rate_limited',
    'upload_busy',
    'storage_quota_exceeded',
    'storage_record_limit',
  ],
};

/** Codes whose status is defined by §8.6, which is marked as a decision. */
const decidedStatus = {
  400: [
    'self_contact',
    'rights_required',
    'publication_rights_required',
    'encrypted_envelope_required',
    'unsupported_encryption',
  ],
  403: ['recipient_required', 'contact_blocked', 'invalid_invitation', 'registration_unavailable'],
  409: [
    'inactive_bot',
    'participant_inactive',
    'key_changed',
    'message_expired',
    'deadline_passed',
    'ledger_conflict',
    'refund_proposal_exists',
    'refund_not_proposed',
  ],
};

/** Statuses whose code is defined by a paragraph that is marked as a decision. */
const decidedCode = {
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  416: ['range_not_satisfiable'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['unavailable'],
};

function rows(table: Record<number, readonly string[]>): [code: string, status: number][] {
  return Object.entries(table).flatMap(([status, codes]) =>
    codes.map((code): [string, number] => [code, Number(status)]),
  );
}

const all = [...rows(specified), ...rows(decidedStatus), ...rows(decidedCode)];

describe('the error codes', () => {
  it('are the 53 that the specification names, and those that its decisions add', () => {
    expect(rows(specified).length + rows(decidedStatus).length).toBe(53);
    expect(errorCodes.toSorted()).toEqual(all.map(([code]) => code).toSorted());
  });

  it.each(all)('%s is answered with %d', (code, status) => {
    expect(Object.entries(errorStatuses)).toContainEqual([code, status]);
  });

  it.each(['', 'NOT_FOUND', 'toString', '__proto__', 'not_found '])('do not include %j', (text) => {
    expect(isErrorCode(text)).toBe(false);
  });

  it('include two for limits that do not expire, both for full storage', () => {
    expect([...permanentLimitCodes]).toEqual(['storage_quota_exceeded', 'storage_record_limit']);
  });
});
