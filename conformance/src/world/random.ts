import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { here } from './here.ts';

/** A sequence of random bytes that follows from a text. */
interface Sequence {
  readonly seed: string;
  drawn: number;
}

const current = new AsyncLocalStorage<Sequence>();

/** Does something whose random choices follow from this text; without it they are those of the world. */
export function withSeed<T>(seed: string, work: () => T): T {
  return current.run({ seed, drawn: 0 }, work);
}

/** So many random bytes. */
export function randomBytes(length: number): Buffer {
  const sequence = current.getStore();
  if (sequence === undefined) return here().randomBytes(length);
  sequence.drawn += 1;
  return createHash('shake256', { outputLength: length }).update(`${sequence.seed}\n${sequence.drawn}`).digest();
}

/** A random UUID of version 4. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A random number from 0 to below this. */
export function randomBelow(bound: number): number {
  return randomBytes(4).readUInt32LE() % bound;
}

/** A random one of these things. */
export function randomOf<T>(things: readonly T[]): T {
  const [thing] = things.slice(randomBelow(things.length));
  if (thing === undefined) throw new Error('There is nothing to choose from.');
  return thing;
}

/** The same things in an order that follows from the current seed. */
export function shuffled<T>(things: readonly T[]): readonly T[] {
  const left = [...things];
  return things.flatMap(() => left.splice(randomBelow(left.length), 1));
}
