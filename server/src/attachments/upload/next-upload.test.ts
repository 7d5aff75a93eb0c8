import { describe, expect, it } from 'vitest';
import { decideReceivingSlot, mayUseExtraSlot, sortWaitingChecks } from './next-upload.ts';

const limits = {
  arrivingUploads: 6,
  arrivingUploadsPerAgent: 4,
  arrivingUploadsPerAddress: 4,
  uploadChecksPerInstance: 0,
};

/** Parses slot holders: `ann@1` is an upload by Ann from address 1, and `!` means that its file is being checked. */
function holders(...texts: readonly string[]) {
  return texts.map((text, index) => {
    const [ownerId = '', address = ''] = text.replace('!', '').split('@');
    return { index, ownerId, address, mayYield: !text.endsWith('!') };
  });
}

function decide(present: readonly string[], arriving: string, bounds = limits) {
  const [ownerId = '', address = ''] = arriving.split('@');
  const decision = decideReceivingSlot(holders(...present), { ownerId, address }, bounds);
  return decision.kind === 'replace' ? decision.yielding.index : decision.kind;
}

describe('an extra upload', () => {
  it.each([
    ['starts where there is room', ['ann@1', 'ann@1', 'ann@1'], 'ann@1', 'start'],
    ['waits when its agent has its four', ['ann@1', 'ann@2', 'ann@3', 'ann@4'], 'ann@5', 'wait'],
    ['starts from another address', ['ann@1', 'ann@1', 'ann@1', 'ann@1'], 'bob@2', 'start'],
    ['replaces the newest of an agent that uses all slots', ['ann@1', 'ann@1', 'ann@1', 'ann@1'], 'bob@1', 3],
    ['does not replace a file under check', ['ann@1', 'ann@1', 'ann@1', 'ann@1!'], 'bob@1', 2],
    ['waits where all of them are under check', ['ann@1!', 'ann@1!', 'ann@1!', 'ann@1!'], 'bob@1', 'wait'],
    ['waits where every agent has its share', ['ann@1', 'bob@1', 'cid@1', 'dan@1'], 'eve@1', 'wait'],
    ['does not replace a smaller share', ['ann@1', 'ann@1', 'ann@1', 'bob@1'], 'ann@1', 'wait'],
    ['waits with one slot less than another', ['ann@1', 'ann@1', 'bob@1', 'cid@1'], 'bob@1', 'wait'],
    ['replaces where the instance is full', ['ann@1', 'ann@2', 'ann@3', 'ann@4', 'bob@5', 'bob@6'], 'cid@7', 3],
  ] as const)('%s', (_rule, present, arriving, expected) => {
    expect(decide(present, arriving)).toBe(expected);
  });

  it('always starts without limits', () => {
    const none = {
      arrivingUploads: 0,
      arrivingUploadsPerAgent: 0,
      arrivingUploadsPerAddress: 0,
      uploadChecksPerInstance: 0,
    };
    expect(
      decide(
        Array.from({ length: 9 }, () => 'ann@1'),
        'ann@1',
        none,
      ),
    ).toBe('start');
  });
});

const usage =
  (slots: Readonly<Record<string, number>>, spentMs: Readonly<Record<string, number>> = {}) =>
  (ownerId: string) => ({
    slots: slots[ownerId] ?? 0,
    spentMs: spentMs[ownerId] ?? 0,
  });
const order = (owners: readonly string[], use: ReturnType<typeof usage>) =>
  sortWaitingChecks(
    owners.map((ownerId) => ({ ownerId })),
    use,
  ).map(({ ownerId }) => ownerId);

describe('the order of checks', () => {
  it.each([
    ['by arrival', ['ann', 'bob'], usage({}), ['ann', 'bob']],
    ['one file of each agent', ['ann', 'ann', 'bob', 'ann'], usage({}), ['ann', 'bob']],
    ['agents without a check first', ['ann', 'bob'], usage({ ann: 1 }), ['bob', 'ann']],
    ['agents with little use first', ['ann', 'bob', 'cid'], usage({}, { ann: 20_000, cid: 90 }), ['bob', 'cid', 'ann']],
    ['by running checks first, then by past use', ['ann', 'bob'], usage({ ann: 1 }, { bob: 20_000 }), ['bob', 'ann']],
  ] as const)('is %s', (_rule, owners, use, expected) => {
    expect(order(owners, use)).toEqual(expected);
  });

  it('leaves no extra check to an agent whose files took long', () => {
    expect(mayUseExtraSlot({ slots: 1, spentMs: 2_000 })).toBe(true);
    expect(mayUseExtraSlot({ slots: 1, spentMs: 2_001 })).toBe(false);
  });
});
