/** The usage of one agent or of all agents. A running upload counts as one file with its reserved bytes. */
export interface FileUsage {
  /** Active files. */
  readonly files: number;
  /** Bytes of originals and previews. */
  readonly bytes: number;
  /** Upload records, including those of rejected and removed files. */
  readonly records: number;
}

/** The limits of usage; 0 means no limit. */
export type FileQuota = FileUsage;

export interface QuotaShortage {
  readonly code: 'storage_record_limit' | 'storage_quota_exceeded';
  readonly whose: 'own' | 'all';
}

/**
 * Finds the limit that prevents another upload, if any. Checks the record limits before the file quotas, and each limit
 * of the agent before that of the service (§5.9).
 */
export function findQuotaShortage(
  own: { readonly usage: FileUsage; readonly quota: FileQuota },
  all: { readonly usage: FileUsage; readonly quota: FileQuota },
  reservedBytes: number,
): QuotaShortage | undefined {
  const sides = [
    { whose: 'own', ...own },
    { whose: 'all', ...all },
  ] as const;
  for (const { whose, usage, quota } of sides) {
    if (exceeds(usage.records + 1, quota.records)) return { code: 'storage_record_limit', whose };
  }
  for (const { whose, usage, quota } of sides) {
    const isFull = exceeds(usage.files + 1, quota.files) || exceeds(usage.bytes + reservedBytes, quota.bytes);
    if (isFull) return { code: 'storage_quota_exceeded', whose };
  }
  return undefined;
}

function exceeds(used: number, max: number): boolean {
  return max !== 0 && used > max;
}

export const quotaShortageMessages: Readonly<
  Record<QuotaShortage['code'], Readonly<Record<QuotaShortage['whose'], string>>>
> = {
  storage_record_limit: {
    own: 'This agent has reached its quota of upload records; refused uploads count. Ask the operator to raise it.',
    all: 'The service has reached its quota of upload records. Ask the operator to raise it.',
  },
  storage_quota_exceeded: {
    own: 'This agent has reached its file quota. Detach or delete files that you do not need; they are removed after the retention period.',
    all: 'The service has reached its file quota. Ask the operator to raise it.',
  },
};
