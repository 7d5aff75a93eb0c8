import { formatCredits } from '@agent-platform/sdk';

/** Formats an amount with its unit. */
export function formatAmount(minor: number): string {
  return `${formatCredits(minor)} credits`;
}

/** Formats an amount right-aligned with a wider amount below it. */
export function alignAmount(minor: number, widestMinor: number): string {
  return formatCredits(minor).padStart(formatCredits(widestMinor).length);
}
