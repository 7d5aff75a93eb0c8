import { describe, expect, it } from 'vitest';
import { OptionsError, parseOptions } from './options.ts';

const known = { all: ['me', 'ready'], peers: ['pds'] };
const plain = { wanted: 'run', json: false, quick: false, save: false };

describe('the command line of the bench', () => {
  it('selects all measures except those of the peers when none is named', () => {
    expect(parseOptions([], known)).toEqual({ ...plain, names: ['me', 'ready'] });
  });

  it('selects the named measures in the order of the list, each once', () => {
    expect(parseOptions(['ready', 'me', 'me', '--quick', '--json'], known)).toEqual({
      ...plain,
      names: ['me', 'ready'],
      json: true,
      quick: true,
    });
  });

  it.each([
    [['peers'], ['pds']],
    [
      ['peers', 'all', '--save'],
      ['me', 'ready', 'pds'],
    ],
    [
      ['peers', 'ready'],
      ['ready', 'pds'],
    ],
  ])('selects a group by its name: %j', (args, names) => {
    expect(parseOptions(args, known)).toMatchObject({ names });
  });

  it.each([[['mee']], [['--fast']], [['--save', '--quick']]])('refuses %j', (args) => {
    expect(() => parseOptions(args, known)).toThrow(OptionsError);
  });

  it('accepts --help', () => {
    expect(parseOptions(['--help'], known)).toEqual({ wanted: 'help' });
  });
});
