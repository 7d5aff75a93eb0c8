import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hashOf, sentencesOf } from '../../testing/sentences.ts';
import { clientRequirements } from '../client/client-requirements.ts';
import { readRequirements } from './requirements.ts';

interface KnownSentence {
  readonly place: string;
  readonly sha256: string;
  readonly rows?: readonly string[];
  readonly informative?: string;
  /** Why all rows of the sentence are about what it leaves open, where it does not say so itself. */
  readonly open?: string;
}

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const known: readonly KnownSentence[] = parse(readFileSync(pathOf('../../testing/sentences.yaml'), 'utf8'));
const requirements = [...readRequirements(), ...clientRequirements];
const demanding = new Set(requirements.filter(({ standing }) => standing !== 'ambiguous').map(({ id }) => id));
const demands = (id: string) => demanding.has(id);
// A clone by itself has the register alone.
const specification = pathOf('../../../../shared/spec/agent-platform-api.txt');

describe('the register', () => {
  it('has a row for every sentence, or the reason why the sentence states nothing', () => {
    const ids = new Set(requirements.map(({ id }) => id));
    for (const { place, rows, informative } of known) {
      expect((rows ?? []).length > 0, place).toBe(informative === undefined);
      expect(
        (rows ?? []).filter((id) => !ids.has(id)),
        place,
      ).toEqual([]);
    }
  });

  it('has a row that demands something, or the reason why the sentence is open', () => {
    const both = known.filter(({ rows = [], open }) => open !== undefined && rows.some(demands));
    expect(both.map(({ place }) => place)).toEqual([]);
  });

  it('has a place of its own for each sentence', () => {
    expect(new Set(known.map(({ place }) => place)).size).toBe(known.length);
  });

  it('names a sentence that is said to be about each row', () => {
    const rowsAt = new Map(known.map(({ place, rows }) => [place, rows ?? []]));
    const lost = requirements.filter(({ id, place }) => rowsAt.get(place)?.includes(id) !== true);
    expect(lost.map(({ id }) => id)).toEqual([]);
  });

  it('names the section of the place of each row', () => {
    const wrong = requirements.filter(({ section, place }) => {
      const rest = place.startsWith(section) ? place.slice(section.length) : '';
      return !/^( \(.*\))? \d+\.\d+$/.test(rest);
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it.skipIf(!existsSync(specification))('quotes the specification, which has no other sentence', () => {
    const sentences = sentencesOf(readFileSync(specification, 'utf8'));
    expect(sentences.map((sentence) => `${sentence.place} ${hashOf(sentence)}`)).toEqual(
      known.map(({ place, sha256 }) => `${place} ${sha256}`),
    );
    const textAt = new Map(sentences.map(({ place, text }) => [place, text]));
    const wrong = requirements.filter(({ place, quote }) => textAt.get(place)?.includes(quote) !== true);
    expect(wrong.map(({ id }) => id)).toEqual([]);
    const silent = known.filter(({ place, rows = [], open }) => {
      const isOpen = open !== undefined || textAt.get(place)?.includes('not shown') === true;
      return rows.length > 0 && !rows.some(demands) && !isOpen;
    });
    expect(silent.map(({ place }) => place)).toEqual([]);
  });
});
