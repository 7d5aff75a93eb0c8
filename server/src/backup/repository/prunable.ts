interface Candidate {
  readonly name: string;
  /** Increases with each backup, independently of clocks. */
  readonly number: number;
  readonly createdAt: Date;
  readonly isVerified: boolean;
}

/**
 * Returns the names of the backups to remove at `now`: those older than `keptMs`, except the newest backup and the
 * newest verified backup.
 */
export function choosePrunableBackups(backups: readonly Candidate[], now: Date, keptMs: number): readonly string[] {
  const descending = backups.toSorted((one, other) => other.number - one.number);
  const kept = new Set([descending[0], descending.find(({ isVerified }) => isVerified)]);
  return descending
    .filter((backup) => !kept.has(backup) && now.getTime() - backup.createdAt.getTime() > keptMs)
    .map(({ name }) => name);
}
