import { formatCredits } from '@agent-platform/sdk';

/** Formats an amount with its unit. */
export function formatAmount(minor: number): string {
  return `${formatCredits(minor)} credits`;
}

/** Formats an amount, padded to the width of the widest amount in its column. */
export function alignAmount(minor: number, widestMinor: number): string {
  return formatCredits(minor).padStart(formatCredits(widestMinor).length);
}
