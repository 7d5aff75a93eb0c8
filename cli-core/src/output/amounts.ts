import { formatCredits } from '@agent-platform/sdk';

export function formatAmount(minor: number): string {
  return `${formatCredits(minor)} credits`;
}

export function alignAmount(minor: number, widestMinor: number): string {
  return formatCredits(minor).padStart(formatCredits(widestMinor).length);
}
