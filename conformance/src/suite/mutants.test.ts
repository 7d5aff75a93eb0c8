import { describe, expect, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { allMutants, faultyBuilds, identityMutants } from '../../testing/mutants/all-mutants.ts';
import { frameMutants } from '../../testing/mutants/frame-mutants.ts';
import { allChecks } from '../areas/all-checks.ts';

const server = startReferenceServerForTests();
const everyMutant: readonly { readonly kills: readonly string[] }[] = [...allMutants, ...faultyBuilds, ...frameMutants];

describe('a server with a fault in identity is detected where it', () => {
  it.each(selectTestedMutants(identityMutants))('$name', (mutant) => expectDetected(server(), mutant));
});

describe('the checks', () => {
  it('are proved by at least one faulty server each', () => {
    const killed = new Set(everyMutant.flatMap(({ kills }) => kills));
    expect(allChecks.map(({ id }) => id).filter((id) => !killed.has(id))).toEqual([]);
  });

  it('include all checks that the faulty servers name', () => {
    const known = new Set(allChecks.map(({ id }) => id));
    expect(everyMutant.flatMap(({ kills }) => kills).filter((id) => !known.has(id))).toEqual([]);
  });
});
