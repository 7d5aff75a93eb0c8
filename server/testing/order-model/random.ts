export type SeededRandom = ReturnType<typeof makeSeededRandom>;

/** Reproducible random numbers (mulberry32). */
export function makeSeededRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    /** Returns a number in [0, 1). */
    next,
    /** Returns an integer in [0, `end`). */
    below,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
    /** Returns true in one of `times` calls on average. */
    oneIn: (times: number) => below(times) === 0,
  };
}
