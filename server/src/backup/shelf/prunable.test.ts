import { describe, expect, it } from 'vitest';
import { day } from '../../platform/clock.ts';
import { choosePrunable } from './prunable.ts';

const now = new Date('2026-11-23T00:00:00Z');
const backup = (number: number, ageDays: number, isVerified = false) => ({
  name: String(number),
  number,
  createdAt: new Date(now.getTime() - ageDays * day),
  isVerified,
});

describe('the choice of backups to remove', () => {
  it('takes those that are older than the limit', () => {
    expect(choosePrunable([backup(1, 9), backup(2, 8, true), backup(3, 6, true), backup(4, 1)], now, 7 * day)).toEqual([
      '2',
      '1',
    ]);
  });

  it('never takes the newest verified one, nor the newest', () => {
    expect(choosePrunable([backup(1, 30, true), backup(2, 29), backup(3, 28)], now, 7 * day)).toEqual(['2']);
  });

  it.each([-400, 400])('keeps the newest verified one by its number when the clock is %d days off', (days) => {
    const wrong = new Date(now.getTime() + days * day);
    const backups = [backup(1, 500, true), backup(2, 2, true), backup(3, -300, true), backup(4, 1, true)];
    expect(choosePrunable(backups, wrong, 7 * day)).not.toContain('4');
    expect(choosePrunable(backups.slice(0, 3), wrong, 7 * day)).not.toContain('3');
  });
});
