import { describe, it } from 'vitest';
import { expectKilled, type Suite, useReferenceServer } from '../../testing/judge-mutant.ts';
import { eventBuilds } from '../../testing/mutants/event-builds.ts';
import { frameMutants } from '../../testing/mutants/frame-mutants.ts';
import { allChecks } from '../checks/all-checks.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

// Several are judged at the same time.
const server = useReferenceServer({ PLATFORM_EVENT_CONNECTIONS: '0' });
const suite: Suite = {
  checks: allChecks,
  // What never comes need not be waited for as long as what comes late.
  judge: (baseUrl, options) => judgeServer(runOptions(baseUrl, { ...options, eventSeconds: 1, limits: withoutPace })),
};

describe('a server whose event stream is faulty is found out where', () => {
  it.concurrent.each(frameMutants)('$name', (mutant) => expectKilled(server(), mutant, suite), 60_000);
});

describe('a reference server with a fault in its events is found out where it', () => {
  it.each(eventBuilds)('$name', (mutant) => expectKilled(server(), mutant, suite), 60_000);
});
