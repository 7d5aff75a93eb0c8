import type { Refusal } from './refusal.ts';

/**
 * Counts the commands of one kind by an agent, except repeats (§9.5). A command is only known to be a repeat once it is
 * done, so a count can be given back.
 */
export interface CommandLimit {
  /** Counts a command; returns a refusal above the limit. */
  take(agentId: string): Promise<Refusal | undefined>;
  /** Gives back the count of a command that turned out to be a repeat. */
  giveBack(agentId: string): void;
}
