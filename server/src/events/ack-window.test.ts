import { describe, expect, it } from 'vitest';
import { type AckOutcome, AckWindow } from './ack-window.ts';

/** A call for the only event of the test. */
type Step = 'deliver' | 'ack' | 'settle' | 'forget';

function after(steps: readonly Step[]): AckWindow {
  const window = new AckWindow(64);
  const take: Record<Step, () => unknown> = {
    deliver: () => window.deliver('e', 7),
    ack: () => window.acknowledge('e'),
    settle: () => window.settle(['e']),
    forget: () => window.forget((number) => number === 7),
  };
  for (const step of steps) take[step]();
  return window;
}

const meanings: readonly (readonly [readonly Step[], AckOutcome['kind']])[] = [
  [[], 'foreign'],
  [['deliver'], 'first'],
  [['deliver', 'ack'], 'repeat'],
  [['deliver', 'ack', 'settle'], 'repeat'],
  [['deliver', 'forget'], 'late'],
  [['deliver', 'forget', 'ack'], 'repeat'],
  [['deliver', 'ack', 'forget'], 'repeat'],
  [['deliver', 'ack', 'settle', 'forget'], 'repeat'],
];

const room: readonly (readonly [readonly Step[], number])[] = [
  [[], 64],
  [['deliver'], 63],
  // An acknowledged event occupies the window until its ack is committed.
  [['deliver', 'ack'], 63],
  [['deliver', 'ack', 'settle'], 64],
  [['deliver', 'forget'], 64],
  [['deliver', 'ack', 'forget', 'settle'], 64],
];

describe('the window of a connection', () => {
  it.each(meanings)('classifies an ack after %j as %s', (steps, kind) => {
    expect(after(steps).acknowledge('e').kind).toBe(kind);
  });

  it.each(room)('has room, after %j, for %i events', (steps, places) => {
    expect(after(steps).capacity).toBe(places);
  });

  it.each([[['deliver']], [['deliver', 'ack']], [['deliver', 'ack', 'settle']], [['deliver', 'forget']]] as const)(
    'sends no event twice: refuses it after %j',
    (steps) => {
      expect(after(steps).deliver('e', 7)).toBe(false);
    },
  );

  it('accepts its maximum, and one more for each event that is settled', () => {
    const window = new AckWindow(3);
    const taken = ['a', 'b', 'c', 'd'].map((id, number) => window.deliver(id, number));
    window.acknowledge('b');
    window.settle(['b']);

    expect(taken).toEqual([true, true, true, false]);
    expect(window.deliver('d', 3)).toBe(true);
    expect(window.numbers().toSorted()).toEqual([0, 2, 3]);
  });

  it('returns the number of the event to settle', () => {
    expect(after(['deliver']).acknowledge('e')).toEqual({ kind: 'first', number: 7 });
  });

  it('remembers the last settled events, and classifies acks of earlier ones as foreign', () => {
    const window = new AckWindow(1, 10);
    for (let number = 0; number < 30; number += 1) {
      window.deliver(`event ${number}`, number);
      window.acknowledge(`event ${number}`);
      window.settle([`event ${number}`]);
    }

    expect(window.acknowledge('event 29').kind).toBe('repeat');
    expect(window.acknowledge('event 20').kind).toBe('repeat');
    expect(window.acknowledge('event 0').kind).toBe('foreign');
  });
});
