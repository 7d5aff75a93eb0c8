import { describe, it } from 'vitest';
import { expectKilled, type Suite, useReferenceServer } from '../testing/judge-mutant.ts';
import { friendshipMutants } from '../testing/mutants/all-mutants.ts';
import { allChecks } from './checks/all-checks.ts';
import { withoutPace } from './limits.ts';
import { runOptions } from './options.ts';
import { judgeServer } from './suite.ts';

const server = useReferenceServer();
const suite: Suite = {
  checks: allChecks,
  judge: (baseUrl, options) => judgeServer(runOptions(baseUrl, { ...options, limits: withoutPace })),
};

describe('a server that is faulty in contacts and messages is found out where it', () => {
  it.each(friendshipMutants)('$name', (mutant) => expectKilled(server(), mutant, suite));
});
