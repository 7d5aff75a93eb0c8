/** A source of random bytes that an attacker cannot guess. */
export type RandomBytes = (length: number) => Uint8Array;

/** The random bytes of the system; every runtime has this source. */
export const systemRandom: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));
