import { describe, expect, it } from 'vitest';
import { makeGrantPostings, makeOrderPostings, sumPostings, sumWalletChanges } from './posting.ts';

const order = { customer: { id: 'c' }, contractor: { id: 'a' }, amount_minor: 1_000, fee_minor: 100 };

const lines = (postings: ReturnType<typeof makeGrantPostings>) =>
  postings.map(({ agentId, account, kind, deltaMinor }) => `${kind} ${agentId} ${account} ${deltaMinor}`);

describe('the postings', () => {
  it.each([
    ['a grant', makeGrantPostings('c', 5), ['grant null issuance -5', 'grant c available 5']],
    ['a reserve', makeOrderPostings('reserve', order), ['reserve c available -1100', 'reserve c reserved 1100']],
    ['a refund', makeOrderPostings('refund', order), ['refund c reserved -1100', 'refund c available 1100']],
    [
      'a payout',
      makeOrderPostings('payout', order),
      ['payout c reserved -1000', 'payout a available 1000', 'fee c reserved -100', 'fee null fees 100'],
    ],
  ])('of %s sum to zero, line by line', (_name, postings, expected) => {
    expect(lines(postings)).toEqual(expected);
    expect(sumPostings(postings)).toBe(0);
  });

  it('have no line of 0 where the commission is nothing', () => {
    expect(lines(makeOrderPostings('payout', { ...order, fee_minor: 0 }))).toEqual([
      'payout c reserved -1000',
      'payout a available 1000',
    ]);
  });

  it('are exact for the largest order', () => {
    const largest = { ...order, amount_minor: 909_090_909_091, fee_minor: 90_909_090_909 };
    expect(sumWalletChanges(makeOrderPostings('reserve', largest))).toEqual([
      { agentId: 'c', availableMinor: -1_000_000_000_000, reservedMinor: 1_000_000_000_000 },
    ]);
  });
});

describe('the changes of wallets', () => {
  it('are summed up by agent, in the order of ids, without the platform', () => {
    expect(sumWalletChanges(makeOrderPostings('payout', order))).toEqual([
      { agentId: 'a', availableMinor: 1_000, reservedMinor: 0 },
      { agentId: 'c', availableMinor: 0, reservedMinor: -1_100 },
    ]);
  });
});
