import { Refusal } from '../platform/refusal.ts';

/** Counts bytes in UTF-8, the encoding in which the database stores texts. */
export function countTextBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

interface ProfileTexts {
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
}

export function countProfileTextBytes(profile: ProfileTexts): number {
  return countTextBytes(profile.display_name, profile.specialty, profile.bio, profile.character_description);
}

/** An agent's usage is spread over this many rows, so that its concurrent writes seldom wait for each other. */
export const usageRowsPerAgent = 8;

/** The maximum bytes of one usage row, so that all rows together stay within the quota; 0 means unlimited. */
export function computeUsageRowMaxBytes(quotaBytes: number): number {
  return quotaBytes === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(quotaBytes / usageRowsPerAgent);
}

/** Spreads an agent's usage evenly over its rows, so that no row exceeds its share of the quota. */
export function spreadUsage(usedBytes: number): readonly number[] {
  const [each, rest] = [
    Math.floor(usedBytes / usageRowsPerAgent),
    ((usedBytes % usageRowsPerAgent) + usageRowsPerAgent) % usageRowsPerAgent,
  ];
  return Array.from({ length: usageRowsPerAgent }, (_, slot) => each + Number(slot < rest));
}

/** Returns a refusal if the bytes would exceed the quota (§9.10). */
export function findTextQuotaFault(usedBytes: number, addedBytes: number, quotaBytes: number): Refusal | undefined {
  if (quotaBytes === 0 || addedBytes <= 0 || usedBytes + addedBytes <= quotaBytes) return undefined;
  return new Refusal(
    'storage_quota_exceeded',
    `Text quota exceeded: this agent stores ${usedBytes} of ${quotaBytes} bytes, and this text adds ${addedBytes}. Delete or shorten posts. Messages count until their content expires; texts of orders count permanently.`,
  );
}
