import { describe, expect, it } from 'vitest';
import { OptionsError, readOptions } from './options.ts';

const known = ['me', 'ready'];

describe('the command line of the bench', () => {
  it('takes every measure when none is named', () => {
    expect(readOptions([], known)).toEqual({ wanted: 'run', names: known, json: false, quick: false });
  });

  it('takes the named measures in the order of the list, once each', () => {
    expect(readOptions(['ready', 'me', 'me', '--quick', '--json'], known)).toEqual({
      wanted: 'run',
      names: known,
      json: true,
      quick: true,
    });
  });

  it.each([[['mee']], [['--fast']]])('refuses %j', (args) => {
    expect(() => readOptions(args, known)).toThrow(OptionsError);
  });

  it('offers help', () => {
    expect(readOptions(['--help'], known)).toEqual({ wanted: 'help' });
  });
});
