import { describe, expect, it } from 'vitest';
import { findMatrixProblems, formatMatrix } from './matrix.ts';

const proved = {
  name: 'rotates nothing',
  claimed: ['tokens.rotate'],
  killedBy: ['tokens.rotate', 'tokens.unread'],
  failed: ['AP-TOKEN-004'],
};
const rows = [
  proved,
  { name: 'lets anybody in', claimed: ['access.absent'], killedBy: [], failed: [] },
  { name: 'is silent', claimed: [], killedBy: [], failed: ['AP-A-001', 'AP-A-002', 'AP-A-003', 'AP-A-004'] },
];
const all = { checks: ['tokens.rotate', 'access.absent'], requirements: ['AP-TOKEN-004', 'AP-AUTH-001'] };

describe('the kill matrix', () => {
  it('lists the faults that fail each requirement, failures per fault, and open points', () => {
    expect(formatMatrix(all, rows).split('\n')).toEqual([
      'AP-TOKEN-004  rotates nothing',
      'AP-AUTH-001  (nothing)',
      '',
      '3 faulty servers, 2 killed; 2 checks, 2 tested requirements',
      '0 of them are permitted or not observable',
      'failed requirements per faulty server: median 1, at most 4',
      'PROVED BY NOTHING  access.absent',
      'FAILED BY NOTHING  AP-AUTH-001',
      'SURVIVED  lets anybody in: access.absent',
      'FAILS TOO MANY  is silent: AP-A-001, AP-A-002, AP-A-003, AP-A-004',
      '',
    ]);
  });

  it('is complete only if every check detects a fault, every requirement fails once, and no fault survives', () => {
    const only = { checks: ['tokens.rotate'], requirements: ['AP-TOKEN-004'] };
    expect(findMatrixProblems(only, [proved])).toEqual([]);
    expect(findMatrixProblems({ ...only, checks: ['tokens.rotate', 'tokens.revoke'] }, [proved])).toHaveLength(1);
    expect(findMatrixProblems({ ...only, requirements: ['AP-TOKEN-005'] }, [proved])).toHaveLength(1);
    expect(findMatrixProblems(only, rows)).toHaveLength(2);
    const further = { claimed: [], killedBy: [], failed: [] };
    expect(
      findMatrixProblems(only, [proved, { ...further, name: 'a', changes: 0 }, { ...further, name: 'b' }]),
    ).toEqual(['CHANGED NOTHING  a', 'SURVIVED  b']);
  });

  it('accepts a permitted fault that survives, and reports one that fails', () => {
    const permitted = { name: 'a', claimed: [], killedBy: [], failed: [], exemption: 'a decision says so' };
    expect(findMatrixProblems({ checks: [], requirements: [] }, [permitted])).toEqual([]);
    expect(findMatrixProblems({ checks: [], requirements: [] }, [{ ...permitted, failed: ['AP-A-001'] }])).toEqual([
      'ACCUSED  a (a decision says so): AP-A-001',
    ]);
  });
});
