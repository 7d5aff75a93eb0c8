import type { Refusal } from './refusal.ts';

/**
 * Counts an agent's commands of one kind, except repeats (§9.5). A repeat is only recognized once the command is done;
 * its count is then subtracted again.
 */
export interface CommandLimit {
  /** Counts a command; returns a refusal above the limit. */
  take(agentId: string): Promise<Refusal | undefined>;
  /** Subtracts the count of a command that turned out to be a repeat. */
  giveBack(agentId: string): void;
}
