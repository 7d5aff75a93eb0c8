/** What is known of an agent whose file waits for its check. */
export interface WaitingCheck {
  readonly ownerId: string;
}

/** The use that agents make of the checks of one instance. */
export interface CheckUsage {
  /** Files of an agent that are being checked. */
  runningOf(ownerId: string): number;
  /** The part of the time that an agent's files have taken that still counts against it. */
  spentMsOf(ownerId: string): number;
}

/** Above it, an agent has one check at a time, whoever waits. */
const spentMaxMs = 2_000;

/**
 * Orders waiting files: agents without a running check first, then those whose
 * files have taken the least time, then the order of arrival. One file of each
 * agent, because the next one has the same rank or a worse one.
 */
export function orderChecks<Waiting extends WaitingCheck>(
  waiting: readonly Waiting[],
  usage: CheckUsage,
): readonly Waiting[] {
  const first = waiting.filter(({ ownerId }, index) => waiting.findIndex((one) => one.ownerId === ownerId) === index);
  return first.toSorted(
    (one, other) =>
      usage.runningOf(one.ownerId) - usage.runningOf(other.ownerId) ||
      usage.spentMsOf(one.ownerId) - usage.spentMsOf(other.ownerId),
  );
}

/** Whether an agent may have a check beside its first one; it is a short one. */
export function mayCheckFurther(usage: CheckUsage, ownerId: string): boolean {
  return usage.spentMsOf(ownerId) <= spentMaxMs;
}
