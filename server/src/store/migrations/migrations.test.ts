import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrations } from './index.ts';

const files = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .map(({ name }) => name)
  .filter((name) => /^\d/.test(name))
  .toSorted();

/** Each migration must have the next number, and there must be no other files. */
function findNumberFaults(names: readonly string[]): readonly string[] {
  return names.flatMap((name, index) => {
    const next = String(index + 1).padStart(4, '0');
    return new RegExp(`^${next}-[a-z0-9]+(-[a-z0-9]+)*$`).test(name) ? [] : [`${name} is not ${next}-…`];
  });
}

describe('the migrations', () => {
  it('are numbered without gaps or duplicates', () => {
    expect(findNumberFaults(migrations.map(({ name }) => name))).toEqual([]);
  });

  it('are in one file each', () => {
    expect(files).toEqual(migrations.map(({ name }) => `${name}.ts`));
  });

  it.each([
    ['a gap', ['0001-identity', '0003-posts']],
    ['a repeat', ['0001-identity', '0001-posts']],
    ['another order', ['0002-posts', '0001-identity']],
    ['a number of another length', ['001-identity']],
    ['no name', ['0001-']],
  ])('would be refused with %s', (_fault, names) => {
    expect(findNumberFaults(names)).not.toEqual([]);
  });
});
