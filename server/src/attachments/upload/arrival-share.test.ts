import { describe, expect, it } from 'vitest';
import { decideArrival } from './arrival-share.ts';

const limits = { all: 6, perAgent: 4, perAddress: 4 };

/** `ann@1` is an upload of Ann from address 1; `ann@1!` is being checked. */
function holders(...texts: readonly string[]) {
  return texts.map((text, index) => {
    const [ownerId = '', address = ''] = text.replace('!', '').split('@');
    return { index, ownerId, address, mayYield: !text.endsWith('!') };
  });
}

function decide(present: readonly string[], arriving: string, bounds = limits) {
  const [ownerId = '', address = ''] = arriving.split('@');
  const decision = decideArrival(holders(...present), { ownerId, address }, bounds);
  return decision.kind === 'replace' ? decision.yielding.index : decision.kind;
}

describe('a further upload', () => {
  it.each([
    ['enters where there is room', ['ann@1', 'ann@1', 'ann@1'], 'ann@1', 'enter'],
    ['waits when its agent has its four', ['ann@1', 'ann@2', 'ann@3', 'ann@4'], 'ann@5', 'wait'],
    ['enters from another address', ['ann@1', 'ann@1', 'ann@1', 'ann@1'], 'bob@2', 'enter'],
    ['replaces the newest of an agent that fills its address', ['ann@1', 'ann@1', 'ann@1', 'ann@1'], 'bob@1', 3],
    ['does not replace a file under check', ['ann@1', 'ann@1', 'ann@1', 'ann@1!'], 'bob@1', 2],
    ['waits where all of them are under check', ['ann@1!', 'ann@1!', 'ann@1!', 'ann@1!'], 'bob@1', 'wait'],
    ['waits where every agent has its share', ['ann@1', 'bob@1', 'cid@1', 'dan@1'], 'eve@1', 'wait'],
    ['gains nothing by entering again', ['ann@1', 'ann@1', 'ann@1', 'bob@1'], 'ann@1', 'wait'],
    ['waits with one less than another', ['ann@1', 'ann@1', 'bob@1', 'cid@1'], 'bob@1', 'wait'],
    ['replaces where the instance is full', ['ann@1', 'ann@2', 'ann@3', 'ann@4', 'bob@5', 'bob@6'], 'cid@7', 3],
  ] as const)('%s', (_rule, present, arriving, expected) => {
    expect(decide(present, arriving)).toBe(expected);
  });

  it('always enters without limits', () => {
    const none = { all: 0, perAgent: 0, perAddress: 0 };
    expect(
      decide(
        Array.from({ length: 9 }, () => 'ann@1'),
        'ann@1',
        none,
      ),
    ).toBe('enter');
  });
});
