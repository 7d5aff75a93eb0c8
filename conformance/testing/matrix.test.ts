import { describe, expect, it } from 'vitest';
import { isProved, printMatrix } from './matrix.ts';

const rows = [
  { name: 'rotates nothing', claimed: ['tokens.rotate'], killedBy: ['tokens.rotate', 'tokens.unread'] },
  { name: 'lets anybody in', claimed: ['access.absent'], killedBy: [] },
];

describe('the kill matrix', () => {
  it('lists for each check what it finds out', () => {
    expect(printMatrix(['tokens.rotate', 'access.absent'], rows).split('\n')).toEqual([
      'tokens.rotate  rotates nothing',
      'access.absent  (nothing)',
      '',
      '2 faulty servers, 2 checks, 2 kills',
      'PROVED BY NOTHING  access.absent',
      'SURVIVED  lets anybody in: access.absent',
      '',
    ]);
  });

  it('is complete only when every check kills, and nothing survives', () => {
    expect(isProved(['tokens.rotate'], rows.slice(0, 1))).toBe(true);
    expect(isProved(['tokens.rotate', 'tokens.revoke'], rows.slice(0, 1))).toBe(false);
    expect(isProved(['tokens.rotate'], rows)).toBe(false);
  });
});
