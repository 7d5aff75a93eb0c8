import { describe, expect, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { queryStore } from '../../testing/faulty-build.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { faultyBuilds } from '../../testing/mutants/all-mutants.ts';
import { eventBuilds } from '../../testing/mutants/event-builds.ts';
import { limitBuilds } from '../../testing/mutants/limit-builds.ts';
import { clockFaultBuilds } from '../../testing/mutants/time-builds.ts';
import { tradeBuilds } from '../../testing/mutants/trade-builds.ts';
import { allHooksOf } from '../../testing/reference-server.ts';
import { startFaultyServer } from '../../testing/start-faulty.ts';
import { timeRequirements } from '../../testing/time-requirements.ts';
import { suspensionChecks } from '../areas/identity/suspension.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = startReferenceServerForTests({ PLATFORM_CLOCK: 'test' });

// Mutants of credits, orders, events, time and limits need prepared credits or a fast clock: other files test them.
const elsewhere = [...tradeBuilds, ...eventBuilds, ...limitBuilds, ...clockFaultBuilds];
const ofSuspension = suspensionChecks.flatMap(({ covers }) => covers);
const others = faultyBuilds.filter((mutant) => !elsewhere.includes(mutant));

describe('a reference server with a faulty part is detected where it', () => {
  it.each(selectTestedMutants(others))('$name', (mutant) =>
    expectDetected(server(), mutant, { options: { eventSeconds: 1 } }),
  );

  it('passes everything once the fault is repaired, including clock and suspension', async () => {
    const leftOver =
      "select proname as name from pg_proc where proname like 'faulty%' union all select tgname from pg_trigger where tgname like 'faulty%'";
    expect(await queryStore(server().store, leftOver)).toEqual([]);
    const running = await startFaultyServer(server(), { name: 'does nothing else', kills: [], build: () => ({}) });
    try {
      const report = await judgeServer(
        runOptions(running.url, {
          hooks: allHooksOf(server()),
          wsUrl: running.wsUrl,
          limits: unpacedLimits,
          only: [...timeRequirements, ...ofSuspension],
        }),
      );
      expect(report.checks.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id)).toEqual([]);
      expect(report.exitCode).toBe(0);
    } finally {
      await running.close();
    }
  });
});
