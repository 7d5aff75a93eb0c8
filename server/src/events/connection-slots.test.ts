import { describe, expect, it } from 'vitest';
import { addSlots, decideClaims, HeldSlots, type SlotLimits, shareOfAddress } from './connection-slots.ts';

const claims = ['ann', 'ann', 'ann', 'bob', 'cid'].map((agentId, index) => ({
  id: String(index),
  agentId,
  address: agentId === 'cid' ? 'far' : 'near',
}));

const none = { inAll: 0, byAgent: new Map<string, number>(), byAddress: new Map<string, number>() };
const wide: SlotLimits = { perAgent: 2, perAddress: 0, inAll: 32 };

const cases: readonly (readonly [string, SlotLimits, Partial<typeof none>, string])[] = [
  ['two of an agent, whoever comes first', wide, {}, '0134'],
  ['what an agent has elsewhere', wide, { inAll: 2, byAgent: new Map([['ann', 2]]) }, '34'],
  ['so many of an address', { ...wide, perAddress: 2 }, {}, '014'],
  ['what an address has elsewhere', { ...wide, perAddress: 4 }, { inAll: 3, byAddress: new Map([['near', 3]]) }, '04'],
  ['so many in all', wide, { inAll: 31 }, '0'],
  ['nothing when all is taken', wide, { inAll: 32 }, ''],
  [
    'a limit of an agent that is off',
    { perAgent: 0, perAddress: 0, inAll: 4 },
    { byAgent: new Map([['ann', 9]]) },
    '0123',
  ],
  ['a limit in all that is off', { perAgent: 1, perAddress: 0, inAll: 0 }, { inAll: 1_000 }, '034'],
];

it.each(cases)('counts %s', (_name, limits, used, admitted) => {
  const exceeded = decideClaims(claims, { ...none, ...used }, limits);

  expect(
    claims
      .filter((_, index) => exceeded[index] === undefined)
      .map(({ id }) => id)
      .join(''),
  ).toBe(admitted);
});

it('names the limit that stands against a claim', () => {
  expect(decideClaims(claims, none, { perAgent: 2, perAddress: 2, inAll: 2 })).toEqual([
    undefined,
    undefined,
    'perAgent',
    'perAddress',
    'inAll',
  ]);
});

describe('the share of an address', () => {
  it.each([
    [{ perAgent: 2, inAll: 32 }, 16],
    [{ perAgent: 2, inAll: 7 }, 4],
    [{ perAgent: 2, inAll: 2 }, 2],
    [{ perAgent: 0, inAll: 10 }, 5],
    [{ perAgent: 2, inAll: 0 }, 0],
  ])('of %j is %i', (limits, share) => {
    expect(shareOfAddress(limits)).toBe(share);
  });
});

it('counts held slots as they come and go, and adds those of others', () => {
  const held = new HeldSlots();
  for (const claim of claims) held.add(claim);
  expect(held.delete('0')).toBe(true);
  expect(held.delete('0')).toBe(false);
  held.delete('4');
  const sum = addSlots(held, { inAll: 2, byAgent: new Map([['bob', 2]]), byAddress: new Map([['far', 5]]) });

  expect([held.inAll, held.byAgent, held.byAddress]).toEqual([
    3,
    new Map([
      ['ann', 2],
      ['bob', 1],
    ]),
    new Map([['near', 3]]),
  ]);
  expect([sum.inAll, sum.byAgent.get('bob'), sum.byAgent.get('cid'), sum.byAddress.get('far')]).toEqual([5, 3, 0, 5]);
});
