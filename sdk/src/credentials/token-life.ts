import type { Credential } from '../credential.ts';

const dayMs = 86_400_000;
// The default lifetime in the specification, for credentials that do not record when their token was issued.
const usualLifeMs = 30 * dayMs;
const usedShare = 0.8;

/**
 * The time at which a token reaches 80 % of its lifetime and should be rotated, in milliseconds since 1970. Undefined
 * without a valid expiry date, or if that date is not after the date of issue.
 */
export function computeRotationDueMs(credential: Credential): number | undefined {
  if (credential.token === null || credential.token_expires_at === null) return undefined;
  const expiresMs = Date.parse(credential.token_expires_at);
  const issuedMs = Date.parse(credential.token_issued_at ?? '');
  const lifeMs = Number.isNaN(issuedMs) ? usualLifeMs : expiresMs - issuedMs;
  // If the clock is ahead by the whole lifetime, each new token would immediately be due for rotation again.
  if (Number.isNaN(expiresMs) || lifeMs <= 0) return undefined;
  return expiresMs - lifeMs * (1 - usedShare);
}

export function isRotationDue(credential: Credential, nowMs: number): boolean {
  const dueMs = computeRotationDueMs(credential);
  return dueMs !== undefined && nowMs >= dueMs;
}

/** Whether another process may be rotating the token: its rotation is due, and it has not expired. */
export function mayBeRotating(credential: Credential, nowMs: number): boolean {
  return isRotationDue(credential, nowMs) && nowMs < Date.parse(credential.token_expires_at ?? '');
}
