import { describe, it } from 'vitest';
import { expectKilled, type Suite, useReferenceServer } from '../../testing/judge-mutant.ts';
import { messageMutants } from '../../testing/mutants/message-mutants.ts';
import { allChecks } from '../checks/all-checks.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = useReferenceServer();
const suite: Suite = {
  checks: allChecks,
  judge: (baseUrl, options) => judgeServer(runOptions(baseUrl, { ...options, limits: withoutPace })),
};

describe('a server that is faulty in messages is found out where it', () => {
  it.each(messageMutants)('$name', (mutant) => expectKilled(server(), mutant, suite));
});
