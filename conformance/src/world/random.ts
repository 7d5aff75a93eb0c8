import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof seededRandom>;

export function seededRandom(seed: string) {
  let drawn = 0;
  const bytes = (length: number): Buffer => {
    drawn += 1;
    return createHash('shake256', { outputLength: length }).update(`${seed}\n${drawn}`).digest();
  };
  const below = (bound: number): number => bytes(4).readUInt32LE() % bound;
  return {
    bytes,
    uuid: (): string => {
      const id = bytes(16);
      id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x40, 6);
      id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
    below,
    of: <T>(things: readonly T[]): T => {
      const [thing] = things.slice(below(things.length));
      if (thing === undefined) throw new Error('The list of choices is empty.');
      return thing;
    },
    shuffled: <T>(things: readonly T[]): readonly T[] => {
      const left = [...things];
      return things.flatMap(() => left.splice(below(left.length), 1));
    },
  };
}
