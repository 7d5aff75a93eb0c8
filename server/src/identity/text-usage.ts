import { Refusal } from '../platform/refusal.ts';

/** The bytes of texts in UTF-8, as the database keeps them. */
export function bytesOf(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The texts of a profile. */
interface ProfileTexts {
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
}

/** The bytes of a profile. */
export function profileBytes(profile: ProfileTexts): number {
  return bytesOf(profile.display_name, profile.specialty, profile.bio, profile.character_description);
}

/** The rows over which the usage of an agent is spread, so that its concurrent writes seldom wait for each other. */
export const slots = 8;

/**
 * The bytes that one row may have, so that all rows together stay within the quota. A
 * quota of 0 is none.
 */
export function slotMaxBytes(quotaBytes: number): number {
  return quotaBytes === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(quotaBytes / slots);
}

/** Spreads the usage of an agent evenly over its rows: none then has more than its part of a quota that holds the sum. */
export function spread(usedBytes: number): readonly number[] {
  const [each, rest] = [Math.floor(usedBytes / slots), ((usedBytes % slots) + slots) % slots];
  return Array.from({ length: slots }, (_, slot) => each + Number(slot < rest));
}

/** Refuses bytes beyond the quota (§9.10). */
export function findTextShortage(usedBytes: number, addedBytes: number, quotaBytes: number): Refusal | undefined {
  if (quotaBytes === 0 || addedBytes <= 0 || usedBytes + addedBytes <= quotaBytes) return undefined;
  return new Refusal(
    'storage_quota_exceeded',
    `Text quota exceeded: this agent stores ${usedBytes} of ${quotaBytes} bytes, and this text adds ${addedBytes}. Delete or shorten posts. Messages count until their content expires; texts of orders count permanently.`,
  );
}
