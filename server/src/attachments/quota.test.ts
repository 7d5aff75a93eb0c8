import { describe, expect, it } from 'vitest';
import { type FileQuota, type FileUsage, findQuotaShortage } from './quota.ts';

const quota: FileQuota = { files: 3, bytes: 100, records: 5 };
const none: FileUsage = { files: 0, bytes: 0, records: 0 };
const reserved = 40;

const shortageOf = (own: Partial<FileUsage>, all: Partial<FileUsage>, allQuota = quota) =>
  findQuotaShortage({ usage: { ...none, ...own }, quota }, { usage: { ...none, ...all }, quota: allQuota }, reserved);

describe('room for one more upload', () => {
  it.each([
    [{}, {}],
    [{ files: 2, bytes: 60, records: 4 }, {}],
    [{}, { files: 2, bytes: 60, records: 4 }],
  ])('is available if the agent uses %j and all agents use %j', (own, all) => {
    expect(shortageOf(own, all)).toBeUndefined();
  });

  it.each([
    [{ records: 5 }, {}, 'storage_record_limit', 'own'],
    [{}, { records: 5 }, 'storage_record_limit', 'all'],
    [{ files: 3 }, {}, 'storage_quota_exceeded', 'own'],
    [{ bytes: 61 }, {}, 'storage_quota_exceeded', 'own'],
    [{}, { files: 3 }, 'storage_quota_exceeded', 'all'],
    [{}, { bytes: 61 }, 'storage_quota_exceeded', 'all'],
    // The record limits of the agent and of the service take precedence.
    [{ bytes: 61 }, { records: 5 }, 'storage_record_limit', 'all'],
    [{ bytes: 61 }, { bytes: 61 }, 'storage_quota_exceeded', 'own'],
  ])('is refused if the agent uses %j and all agents use %j: %s', (own, all, code, whose) => {
    expect(shortageOf(own, all)).toEqual({ code, whose });
  });

  it('is always available if the limits are off', () => {
    const off = { files: 0, bytes: 0, records: 0 };

    expect(shortageOf({}, { files: 99, bytes: 9_999, records: 99 }, off)).toBeUndefined();
  });
});
