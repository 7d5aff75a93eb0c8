import { expect, it } from 'vitest';
import { credentialFor } from '../../testing/records.ts';
import { computeRotationDueMs, isRotationDue, mayBeRotating } from './token-life.ts';

const dueOf = (change: object) => {
  const dueMs = computeRotationDueMs(credentialFor('https://platform.example', change));
  return dueMs === undefined ? undefined : new Date(dueMs).toISOString();
};
const expires = { token_expires_at: '2027-01-31T00:00:00.000Z' };

it.each([
  ['10 days', { ...expires, token_issued_at: '2027-01-21T00:00:00.000Z' }, '2027-01-29T00:00:00.000Z'],
  ['an hour', { ...expires, token_issued_at: '2027-01-30T23:00:00.000Z' }, '2027-01-30T23:48:00.000Z'],
  ['30 days, assumed without a date of issue,', expires, '2027-01-25T00:00:00.000Z'],
])('a token with a life of %s is due for rotation after 80 %% of it', (_, change, due) => {
  expect(dueOf(change)).toBe(due);
});

it.each([
  ['that was revoked', { ...expires, token: null }],
  ['without an expiry date', { token_expires_at: null }],
  ['with an invalid expiry date', { token_expires_at: 'soon' }],
  ['that had expired before it was issued, by this clock', { ...expires, token_issued_at: '2027-02-01T00:00:00.000Z' }],
])('a token %s is not due', (_, change) => {
  expect(dueOf(change)).toBeUndefined();
  expect(isRotationDue(credentialFor('https://platform.example', change), Number.MAX_SAFE_INTEGER)).toBe(false);
});

it.each([
  ['a second before it is due', '2027-01-24T23:59:59.000Z', false],
  ['when it is due', '2027-01-25T00:00:00.000Z', true],
  ['a second before it expires', '2027-01-30T23:59:59.000Z', true],
  ['when it has expired and cannot be rotated any more', '2027-01-31T00:00:00.000Z', false],
])('a token may be in rotation %s: %s %s', (_, now, expected) => {
  expect(mayBeRotating(credentialFor('https://platform.example', expires), Date.parse(now))).toBe(expected);
});
