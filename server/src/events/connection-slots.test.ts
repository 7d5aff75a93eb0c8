import { expect, it } from 'vitest';
import { decideClaims, type SlotLimits } from './connection-slots.ts';

const claims = ['ann', 'ann', 'ann', 'bob', 'cid'].map((agentId, index) => ({ id: String(index), agentId }));

const cases: readonly (readonly [string, SlotLimits, number, readonly [string, number][], string])[] = [
  ['two of an agent, whoever comes first', { perAgent: 2, inAll: 32 }, 0, [], '0134'],
  ['what an agent has elsewhere', { perAgent: 2, inAll: 32 }, 2, [['ann', 2]], '34'],
  ['so many in all', { perAgent: 2, inAll: 32 }, 31, [], '0'],
  ['nothing when all is taken', { perAgent: 2, inAll: 32 }, 32, [], ''],
  ['a limit of an agent that is off', { perAgent: 0, inAll: 4 }, 0, [['ann', 9]], '0123'],
  ['a limit in all that is off', { perAgent: 1, inAll: 0 }, 1_000, [], '034'],
];

it.each(cases)('counts %s', (_name, limits, inAll, byAgent, admitted) => {
  const exceeded = decideClaims(claims, { inAll, byAgent: new Map(byAgent) }, limits);

  expect(
    claims
      .filter((_, index) => exceeded[index] === undefined)
      .map(({ id }) => id)
      .join(''),
  ).toBe(admitted);
});

it('names the limit that stands against a claim', () => {
  expect(decideClaims(claims, { inAll: 0, byAgent: new Map() }, { perAgent: 2, inAll: 3 })).toEqual([
    undefined,
    undefined,
    'perAgent',
    undefined,
    'inAll',
  ]);
});
