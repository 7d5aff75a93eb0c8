import { describe, expect, it } from 'vitest';
import { makeAddressKey, networkKeysOf } from '../../platform/http/address.ts';
import {
  addUsedSlots,
  chooseSlotToReassign,
  computeDefaultAddressLimit,
  decideSlotClaims,
  getNetworkLimit,
  SlotCounts,
  type SlotLimits,
} from './connection-slots.ts';

const claims = ['ann', 'ann', 'ann', 'bob', 'cid'].map((agentId, index) => ({
  id: String(index),
  agentId,
  networks: [agentId === 'cid' ? 'far' : 'near'],
}));

const none = { inAll: 0, byAgent: new Map<string, number>(), byNetwork: new Map<string, number>() };
const wide: SlotLimits = { perAgent: 2, perAddress: 0, inAll: 32 };

const cases: readonly (readonly [string, SlotLimits, Partial<typeof none>, string])[] = [
  ['two of an agent, whoever comes first', wide, {}, '0134'],
  ['what an agent has elsewhere', wide, { inAll: 2, byAgent: new Map([['ann', 2]]) }, '34'],
  ['so many of an address', { ...wide, perAddress: 2 }, {}, '014'],
  ['what an address has elsewhere', { ...wide, perAddress: 4 }, { inAll: 3, byNetwork: new Map([['near', 3]]) }, '04'],
  ['so many in all', wide, { inAll: 31 }, '0'],
  ['nothing when all is taken', wide, { inAll: 32 }, ''],
  [
    'a limit of an agent that is off',
    { perAgent: 0, perAddress: 0, inAll: 4 },
    { byAgent: new Map([['ann', 9]]) },
    '0124',
  ],
  ['a limit in all that is off', { perAgent: 1, perAddress: 0, inAll: 0 }, { inAll: 1_000 }, '034'],
];

it('no limit of an address holds for the machine of the server', () => {
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) {
    const own = Array.from({ length: 33 }, (_, index) => ({
      id: String(index),
      agentId: `agent ${index}`,
      networks: networkKeysOf(makeAddressKey(address)),
    }));
    const { exceeded } = decideSlotClaims(own, none, { ...wide, perAddress: 16 });
    expect(exceeded.map((limit) => limit ?? '')).toEqual([...Array.from({ length: 32 }, () => ''), 'inAll']);
  }
});

it.each(cases)('counts %s', (_name, limits, used, admitted) => {
  const { exceeded } = decideSlotClaims(claims, { ...none, ...used }, limits);

  expect(
    claims
      .filter((_, index) => exceeded[index] === undefined)
      .map(({ id }) => id)
      .join(''),
  ).toBe(admitted);
});

it('names the limit that blocks a claim', () => {
  expect(decideSlotClaims(claims, none, { perAgent: 2, perAddress: 2, inAll: 2 }).exceeded).toEqual([
    undefined,
    'inAll',
    'perAgent',
    'perAddress',
    undefined,
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
    expect(computeDefaultAddressLimit(limits)).toBe(share);
  });
});

it('counts slots as they are added and released, and adds those of others', () => {
  const held = new SlotCounts();
  for (const claim of claims) held.add(claim);
  expect(held.delete('0')).toBe(claims[0]);
  expect(held.delete('0')).toBe(undefined);
  held.delete('4');
  const sum = addUsedSlots(held, { inAll: 2, byAgent: new Map([['bob', 2]]), byNetwork: new Map([['far', 5]]) });

  expect([held.inAll, held.byAgent, held.byNetwork]).toEqual([
    3,
    new Map([
      ['ann', 2],
      ['bob', 1],
    ]),
    new Map([['near', 3]]),
  ]);
  expect([sum.inAll, sum.byAgent.get('bob'), sum.byAgent.get('cid'), sum.byNetwork.get('far')]).toEqual([5, 3, 0, 5]);
});

const claimsFrom = (...addresses: readonly string[]) =>
  addresses.map((key, index) => ({ id: String(index), agentId: key, networks: networkKeysOf(key) }));
const [home, room] = ['2001:db8:1:0::/64', '2001:db8:1:a::/64'];
const [neighbour, site] = ['2001:db8:1:ff00::/64', '2001:db8:2:0::/64'];

describe('the connection that is given up', () => {
  it.each([
    ['the newest of the network with the most', '192.0.2.9', ['192.0.2.1', site, home, home, '192.0.2.1', home], '5'],
    ['of networks with as many, that with the newest', '192.0.2.9', ['192.0.2.1', home, home, '192.0.2.1'], '3'],
    ['that of the part with more than its neighbour', site, [home, room, neighbour, '192.0.2.1', '192.0.2.1'], '1'],
    ['the newest of the part with the most', '192.0.2.9', [home, home, room, neighbour, '192.0.2.1'], '1'],
    ['none where each network has one', '192.0.2.9', [home, site, '192.0.2.1'], undefined],
    ['none for a network that has one', home, [home, site, site, site], undefined],
    ['one of its own site, for a part of that without', neighbour, [room, home, site, site, site, home], '5'],
  ])('is %s', (_name, address, held, expected) => {
    expect(claimsFrom(address).map((claim) => chooseSlotToReassign(claim, claimsFrom(...held))?.id)).toEqual([
      expected,
    ]);
  });

  it('is decided claim by claim, and never leaves more than all', () => {
    const held = new SlotCounts();
    for (const claim of claimsFrom(home, home, room, site)) held.add(claim);
    const others = ['a', 'b', 'c', 'd'].map((id, index) => ({ id, agentId: id, networks: [`192.0.2.${index >> 1}`] }));
    const limits = { perAgent: 0, perAddress: 9, inAll: 4 };
    const { exceeded, givenUp } = decideSlotClaims(others, held, limits, held.all());

    expect(exceeded).toEqual([undefined, 'inAll', undefined, 'inAll']);
    expect(givenUp.map(({ id }) => id)).toEqual(['1', '2']);
  });
});

it.each([
  [{ perAgent: 0, perAddress: 2, inAll: 0 }, [2, 8, 32]],
  [{ perAgent: 0, perAddress: 2, inAll: 20 }, [2, 8, undefined]],
  [{ perAgent: 0, perAddress: 0, inAll: 10 }, [undefined, undefined, undefined]],
])('limits, with %j, a /64, a /56 and a /48 to %j', (limits, expected) => {
  expect([0, 1, 2].map((index) => getNetworkLimit(limits, index))).toEqual(expected);
});
