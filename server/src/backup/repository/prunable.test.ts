import { describe, expect, it } from 'vitest';
import { makeSeededRandom } from '../../../testing/order-model/random.ts';
import { day } from '../../platform/clock.ts';
import { choosePrunableBackups } from './prunable.ts';

const now = new Date('2026-11-23T00:00:00Z');
const backup = (number: number, ageDays: number, isVerified = false) => ({
  name: String(number),
  number,
  createdAt: new Date(now.getTime() - ageDays * day),
  isVerified,
});

describe('the choice of backups to remove', () => {
  it('takes those that are older than the limit', () => {
    expect(
      choosePrunableBackups([backup(1, 9), backup(2, 8, true), backup(3, 6, true), backup(4, 1)], now, 7 * day),
    ).toEqual(['2', '1']);
  });

  it('never takes the newest verified one, nor the newest', () => {
    expect(choosePrunableBackups([backup(1, 30, true), backup(2, 29), backup(3, 28)], now, 7 * day)).toEqual(['2']);
  });

  it('never does, whatever the clocks said and say', () => {
    const random = makeSeededRandom(17);
    const years = () => random.below(20_000) - 10_000;
    for (let run = 0; run < 2_000; run += 1) {
      const backups = Array.from({ length: 1 + random.below(6) }, (_, at) => backup(at + 1, years(), random.oneIn(2)));
      const prunable = choosePrunableBackups(
        backups.toSorted(() => random.next() - 0.5),
        new Date(now.getTime() + years() * day),
        random.below(30) * day,
      );
      for (const kept of [backups.at(-1), backups.findLast(({ isVerified }) => isVerified)])
        expect(prunable).not.toContain(kept?.name);
    }
  });

  it.each([-400, 400])('keeps the newest verified one by its number when the clock is %d days off', (days) => {
    const wrong = new Date(now.getTime() + days * day);
    const backups = [backup(1, 500, true), backup(2, 2, true), backup(3, -300, true), backup(4, 1, true)];
    expect(choosePrunableBackups(backups, wrong, 7 * day)).not.toContain('4');
    expect(choosePrunableBackups(backups.slice(0, 3), wrong, 7 * day)).not.toContain('3');
  });
});
