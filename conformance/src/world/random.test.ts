import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { seededRandom } from './random.ts';

function draw(seed: string): readonly string[] {
  const random = seededRandom(seed);
  return [random.uuid(), random.bytes(5).toString('hex'), random.uuid()];
}

describe('random choices', () => {
  it('depend only on the seed', () => {
    expect(draw('7')).toEqual(draw('7'));
    expect(new Set([...draw('7'), ...draw('8')]).size).toBe(6);
  });

  it('make UUIDs of version 4', () => {
    const random = seededRandom('7');
    const ids = Array.from({ length: 50 }, random.uuid);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('change only the order when they shuffle', () => {
    const things = [...'abcdefghij'];
    const order = seededRandom('7').shuffled(things);
    expect(order).not.toEqual(things);
    expect(order.toSorted()).toEqual(things);
    expect(seededRandom('7').shuffled(things)).toEqual(order);
  });

  it('are made only here, in areas, payloads and the context', () => {
    const folder = fileURLToPath(new URL('..', import.meta.url));
    const files = ['areas', 'payloads', 'context'].flatMap((name) =>
      readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, name, file)),
    );
    // Only `key-pair.ts` uses the system's random source: the seed in a report must not reveal private keys.
    const sources = files.filter((file) => file.endsWith('.ts') && !/\.test\.ts$|key-pair\.ts$/.test(file));
    const own = sources.filter((file) =>
      /Math\.random|generateKeyPair\(\)|random\w+[^;]*from 'node:crypto'/.test(readFileSync(file, 'utf8')),
    );
    expect(own).toEqual([]);
    expect(sources.length).toBeGreaterThan(80);
  });
});
