import { formatCredits } from '@agent-platform/sdk';

/** An amount with its unit. */
export function formatAmount(minor: number): string {
  return `${formatCredits(minor)} credits`;
}

/** An amount aligned to the right with a wider amount below it. */
export function alignAmount(minor: number, widestMinor: number): string {
  return formatCredits(minor).padStart(formatCredits(widestMinor).length);
}
