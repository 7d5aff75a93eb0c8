/** A backup, as far as pruning goes. */
interface Candidate {
  readonly name: string;
  /** Orders backups whatever the clocks said when they were made. */
  readonly number: number;
  readonly createdAt: Date;
  readonly isVerified: boolean;
}

/**
 * Chooses the backups that may go at `now`: those older than `keptMs`. The newest verified one stays,
 * and so does the newest of all, whatever the clock says.
 */
export function choosePrunable(backups: readonly Candidate[], now: Date, keptMs: number): readonly string[] {
  const descending = backups.toSorted((one, other) => other.number - one.number);
  const kept = new Set([descending[0], descending.find(({ isVerified }) => isVerified)]);
  return descending
    .filter((backup) => !kept.has(backup) && now.getTime() - backup.createdAt.getTime() > keptMs)
    .map(({ name }) => name);
}
