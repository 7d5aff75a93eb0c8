import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameMutants } from '../testing/mutants/frame-mutants.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../testing/reference-server.ts';
import { startFaulty } from '../testing/start-faulty.ts';
import { allChecks } from './checks/all-checks.ts';
import { withoutPace } from './limits.ts';
import { runOptions } from './options.ts';
import { judgeServer } from './suite.ts';

let clean: ReferenceServer;

beforeAll(async () => {
  clean = await startReferenceServer({ ...withoutLimits, PLATFORM_EVENT_CONNECTIONS: '0' });
});

afterAll(async () => {
  await clean.stop();
});

describe('a server whose event stream is faulty is found out where', () => {
  it.concurrent.each(frameMutants)(
    '$name',
    async (mutant) => {
      const only = allChecks.filter(({ id }) => mutant.kills.includes(id)).flatMap(({ covers }) => covers);
      const running = await startFaulty(clean, mutant);
      try {
        const report = await judgeServer(
          runOptions(running.baseUrl, {
            ...{ ...clean.means, wsUrl: running.wsUrl, only, limits: withoutPace },
            // What never comes need not be waited for as long as what comes late.
            eventSeconds: 1,
          }),
        );
        const failed = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
        expect(failed).toEqual(expect.arrayContaining([...mutant.kills]));
        expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
        expect(report.exitCode).toBe(1);
      } finally {
        await running.close();
      }
    },
    60_000,
  );
});
