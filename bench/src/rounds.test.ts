import { describe, expect, it } from 'vitest';
import { measureRounds, toFigures } from './rounds.ts';

describe('rounds', () => {
  it('measure their sides alternately', async () => {
    const order: string[] = [];
    const side = (name: string, value: number) => () => {
      order.push(name);
      return value;
    };

    const rounds = await measureRounds(2, { bare: side('bare', 1), server: side('server', 2) });

    expect(order).toEqual(['bare', 'server', 'bare', 'server']);
    expect(rounds).toEqual([
      { bare: 1, server: 2 },
      { bare: 1, server: 2 },
    ]);
  });

  it('are summarized as figures with median and range', () => {
    const rounds = [
      { bare: 1, server: 2 },
      { bare: 1, server: 4 },
      { bare: 2, server: 2 },
    ];

    expect(
      toFigures(rounds, [
        ['ratio', ({ bare, server }) => server / bare, '', { below: 3 }],
        ['server', ({ server }) => server, 'ms'],
      ]),
    ).toEqual([
      { name: 'ratio', value: 2, range: [1, 4], unit: '', target: { below: 3 } },
      { name: 'server', value: 2, range: [2, 4], unit: 'ms' },
    ]);
  });
});
