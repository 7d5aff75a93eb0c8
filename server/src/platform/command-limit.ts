import type { Refusal } from './refusal.ts';

/**
 * Counts the commands of one kind by an agent, without repeats (§9.5). Whether a command is a repeat is known only when
 * it is done, so a count can be returned.
 */
export interface CommandLimit {
  /** Counts one; a refusal when it was one too many. */
  take(agentId: string): Promise<Refusal | undefined>;
  /** Takes one back that turned out to be a repeat. */
  giveBack(agentId: string): void;
}
