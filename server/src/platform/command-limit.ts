import type { Refusal } from './refusal.ts';

/**
 * Counts the commands of one kind that an agent gives, repeats not counted
 * (§9.5). Whether a command is a repeat is known for sure only when it is done,
 * so what was counted can be given back.
 */
export interface CommandLimit {
  /** Counts one; a refusal when it was one too many. */
  take(agentId: string): Promise<Refusal | undefined>;
  /** Takes one back that turned out to be a repeat. */
  giveBack(agentId: string): void;
}
