import { describe, it } from 'vitest';
import { expectKilled, type Suite, useReferenceServer } from '../../testing/judge-mutant.ts';
import { contactMutants } from '../../testing/mutants/contact-mutants.ts';
import { allChecks } from '../checks/all-checks.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = useReferenceServer();
const suite: Suite = {
  checks: allChecks,
  judge: (baseUrl, options) => judgeServer(runOptions(baseUrl, { ...options, limits: withoutPace })),
};

describe('a server that is faulty in contacts is found out where it', () => {
  it.each(contactMutants)('$name', (mutant) => expectKilled(server(), mutant, suite));
});
