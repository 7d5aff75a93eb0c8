import { expect, it } from 'vitest';
import { summarizeTypes } from './summarize-types.ts';

it('prints each export with its first sentence, without private members', () => {
  const chunk = `
/** A thing. It has more to it. */
interface Thing {
    /** Minor units. */
    readonly amount: number;
}
declare const hidden: unique symbol;
declare class Part {
    /** Works. */
    work(): void;
}
/**
 * Makes things.
 *
 * @example
 * new Maker().make();
 */
declare class Maker {
    readonly part: Part;
    #private;
    constructor(parts: Parts);
    /** Makes one; see {@link Thing}. Twice is fine.
     * @throws Error */
    make(count?: number): Promise<Thing>;
    [hidden](): string;
}
interface Parts { readonly inner: true; }
export { type Thing as T, Maker as M };
`;
  const entry = `import { T as Thing, M as Maker } from './chunk.js';\nexport { Maker, type Thing };\n`;

  const summary = summarizeTypes(
    new Map([
      ['chunk.d.ts', chunk],
      ['index.d.ts', entry],
    ]),
    'index.d.ts',
  );

  expect(summary).toBe(`// Makes things.
class Maker {
  readonly part: Part;
  make(count?: number): Promise<Thing>; // Makes one; see {@link Thing}.
}

// A thing.
interface Thing {
  readonly amount: number; // Minor units.
}

class Part {
  work(): void; // Works.
}
`);
});
