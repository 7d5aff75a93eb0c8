import { describe, expect, it } from 'vitest';
import { CannotRun } from '../context/cannot-run.ts';
import { readRequirements } from '../verdict/requirements.ts';
import { parseBaseline, readBaseline } from './baseline.ts';

const known = readRequirements();
const parse = (text: string) => parseBaseline(text, 'known-failures.txt', known);

describe('a baseline', () => {
  it('names one requirement per line, with the reason of its failure', () => {
    const text = '# what we know\n\nAP-REG-005  handles may have two characters,  see 12\r\n AP-REG-006 and 33\n';

    expect([...parse(text)]).toEqual([
      ['AP-REG-005', 'handles may have two characters, see 12'],
      ['AP-REG-006', 'and 33'],
    ]);
    expect(readBaseline(undefined, known).size).toBe(0);
  });

  it.each([
    ['AP-NONE-001 gone', 'line 1: AP-NONE-001 is not a requirement'],
    ['AP-REG a whole area', 'line 1: AP-REG is not a requirement.'],
    ['# x\nAP-REG-005', 'line 2: add the reason of the expected failure after AP-REG-005'],
    ['AP-REG-005 a\nAP-REG-005 b', 'line 2: AP-REG-005 occurs twice'],
  ])('is refused when it is invalid: %j', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('is refused when it cannot be read', () => {
    expect(() => readBaseline('/no/such/file', known)).toThrow(CannotRun);
  });
});
