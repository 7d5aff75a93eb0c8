import { describe, expect, it } from 'vitest';
import { allChecks } from '../areas/all-checks.ts';
import { allObservations } from '../areas/all-observations.ts';
import { parseRequirements, readRequirements } from './requirements.ts';

const requirements = readRequirements();
const idsThatAre = (standing: string) => requirements.filter((row) => row.standing === standing).map(({ id }) => id);

describe('the register of requirements', () => {
  it('has a check for every tested row', () => {
    const covered = new Set(allChecks.flatMap(({ covers }) => covers));
    expect(idsThatAre('tested').filter((id) => !covered.has(id))).toEqual([]);
  });

  it('has a tested row for every requirement that a check covers', () => {
    const tested = new Set(idsThatAre('tested'));
    for (const { id, covers } of allChecks) {
      expect(covers.length, id).toBeGreaterThan(0);
      expect(
        covers.filter((row) => !tested.has(row)),
        id,
      ).toEqual([]);
    }
  });

  it('has an ambiguous row for every observation, and observes each once', () => {
    const ambiguous = new Set(idsThatAre('ambiguous'));
    const seen = allObservations.flatMap(({ covers }) => covers);
    expect(seen.filter((id) => !ambiguous.has(id))).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has an observation for every ambiguous row', () => {
    const seen = new Set(allObservations.flatMap(({ covers }) => covers));
    const unseen = requirements.filter(({ id, standing }) => standing === 'ambiguous' && !seen.has(id));
    expect(unseen.map(({ id }) => id)).toEqual([]);
  });

  it('names each check and each observation once', () => {
    const ids = [...allChecks, ...allObservations].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const row = '{ id: AP-X-001, paragraph: "1.1", says: A., keyword: must, tested: so }';

  it.each([
    ['is no list', 'a: b', 'not a list'],
    ['has a row twice', `- ${row}\n- ${row}`, 'occurs twice'],
    ['has an id of another form', `- ${row.replace('AP-X-001', 'X-1')}`, 'form AP-AREA-001'],
    ['names no paragraph', `- ${row.replace('1.1', '10.1')}`, 'no paragraph 10.1'],
    ['lacks words', `- ${row.replace('says: A.', "says: ''")}`, 'no text "says"'],
    ['has an unknown keyword', `- ${row.replace('must', 'shall')}`, 'needs one of the keywords'],
    ['says neither how nor why not', `- ${row.replace(', tested: so', '')}`, 'exactly one of'],
    ['says both', `- ${row.replace('so', 'so, excluded: no')}`, 'exactly one of'],
    ['is ambiguous and demands', `- ${row.replace('tested', 'ambiguous')}`, 'an ambiguous rule has the keyword open'],
    ['is open and tested', `- ${row.replace('must', 'open')}`, 'an ambiguous rule has the keyword open'],
    ['has unknown members', `- ${row.replace('so', 'so, note: x')}`, 'unknown members: note'],
  ])('is refused when it %s', (_what, yaml, message) => {
    expect(() => parseRequirements(yaml)).toThrow(message);
  });

  it('is read if it is valid', () => {
    expect(parseRequirements(`- ${row}`)).toEqual([
      {
        id: 'AP-X-001',
        paragraph: '1.1',
        section: 'Conventions: Scope',
        says: 'A.',
        keyword: 'must',
        standing: 'tested',
        reason: 'so',
      },
    ]);
  });
});
