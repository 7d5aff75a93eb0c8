import { describe, expect, it } from 'vitest';
import {
  computeUsageRowMaxBytes,
  countTextBytes,
  findTextQuotaFault,
  spreadUsage,
  usageRowsPerAgent,
} from './text-usage.ts';

describe('the quota of text', () => {
  it('counts the bytes of UTF-8', () => {
    expect(countTextBytes('', 'aé', '語🦊')).toBe(3 + 7);
  });

  it('is divided among the rows of an agent, so that full rows do not exceed it', () => {
    for (const quota of [1, 7, 8, 1_000_003])
      expect(computeUsageRowMaxBytes(quota) * usageRowsPerAgent).toBeLessThanOrEqual(quota);
    expect(computeUsageRowMaxBytes(0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([0, 1, 7, 8, 1_000_003, -5])(
    'spreads a usage of %d so that no row can grow beyond a quota of as many',
    (used) => {
      const parts = spreadUsage(used);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(used);
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      if (used > 0) expect(parts.every((part) => part >= computeUsageRowMaxBytes(used))).toBe(true);
    },
  );

  it('is exact, and reports the usage', () => {
    expect(findTextQuotaFault(90, 10, 100)).toBeUndefined();
    expect(findTextQuotaFault(900, 10, 0)).toBeUndefined();
    expect(findTextQuotaFault(900, -1, 100)).toBeUndefined();
    expect(findTextQuotaFault(91, 10, 100)).toMatchObject({
      code: 'storage_quota_exceeded',
      message: expect.stringMatching(/stores 91 of 100 bytes, and this text adds 10\. Delete/),
    });
  });
});
