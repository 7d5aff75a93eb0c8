import { describe, expect, it } from 'vitest';
import { expectKilled, type Suite, useReferenceServer } from '../../testing/judge-mutant.ts';
import { allMutants, identityMutants } from '../../testing/mutants/all-mutants.ts';
import { buildMutants } from '../../testing/mutants/build-mutants.ts';
import { frameMutants } from '../../testing/mutants/frame-mutants.ts';
import { allChecks } from '../checks/all-checks.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = useReferenceServer();
const everyMutant: readonly { readonly kills: readonly string[] }[] = [...allMutants, ...buildMutants, ...frameMutants];
const suite: Suite = {
  checks: allChecks,
  judge: (baseUrl, options) => judgeServer(runOptions(baseUrl, { ...options, limits: withoutPace })),
};

describe('a server that is faulty in identity is found out where it', () => {
  it.each(identityMutants)('$name', (mutant) => expectKilled(server(), mutant, suite));
});

describe('the checks', () => {
  it('are each proved by a faulty server at least', () => {
    const killed = new Set(everyMutant.flatMap(({ kills }) => kills));
    expect(allChecks.map(({ id }) => id).filter((id) => !killed.has(id))).toEqual([]);
  });

  it('are all that the faulty servers name', () => {
    const known = new Set(allChecks.map(({ id }) => id));
    expect(everyMutant.flatMap(({ kills }) => kills).filter((id) => !known.has(id))).toEqual([]);
  });
});
