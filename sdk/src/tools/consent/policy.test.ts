import { expect, it } from 'vitest';
import type { ActClass } from '../tool.ts';
import { chooseApprovalSource } from './policy.ts';

it.each<[readonly ActClass[], readonly ActClass[], number, ReturnType<typeof chooseApprovalSource>]>([
  [[], [], 0, 'passes'],
  [['publish'], [], 0, 'person'],
  [['publish'], ['publish'], 0, 'passes'],
  [['publish', 'rights'], ['publish'], 0, 'person'],
  [['publish', 'rights'], ['publish', 'rights'], 0, 'passes'],
  [['publish', 'files'], ['publish'], 0, 'person'],
  [['files'], ['files'], 0, 'passes'],
  [['money', 'files'], [], 1_000, 'person'],
  [['block'], ['publish', 'contacts', 'delete'], 1_000, 'person'],
  [['money'], [], 0, 'person'],
  [['money'], [], 1, 'limit'],
  [['money'], ['money'], 0, 'person'],
  [['money', 'rights'], [], 1_000, 'person'],
  [['money', 'rights'], ['rights'], 1_000, 'limit'],
])('decides %j with %j allowed and a limit of %i: %s', (classes, allowed, spendLimitMinor, verdict) => {
  expect(chooseApprovalSource(classes, { allowed: new Set(allowed), spendLimitMinor })).toBe(verdict);
});
