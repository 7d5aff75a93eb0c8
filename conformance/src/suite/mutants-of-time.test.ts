import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { clockFaultBuilds, timeMutants } from '../../testing/mutants/time-builds.ts';
import { startProxy, toStreamUrl } from '../../testing/proxy.ts';
import type { Mutant } from '../../testing/start-faulty.ts';
import { timeRequirements } from '../../testing/time-requirements.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = startReferenceServerForTests({ PLATFORM_CLOCK: 'test' });
const only = timeRequirements;

async function judge(options: Partial<RunOptions>) {
  const { url, means } = server();
  const report = await judgeServer(runOptions(url, { ...means, only, limits: unpacedLimits, ...options }));
  return { ...report, unmet: report.checks.filter(({ verdict }) => verdict !== 'passed') };
}

describe('what becomes visible when the clock moves', () => {
  it('passes on the reference server, and a later run continues at that time with the agents of the pool', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-time-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const agentsFile = join(folder, 'pool.json');
    // Three checks are enough here, because builds.lab.test.ts runs all checks that move the clock.
    const first = await judge({ agentsFile, only: ['AP-TOKEN-010', 'AP-EVENT-036', 'AP-ORDER-079'] });
    expect(first.unmet).toEqual([]);
    expect(first.exitCode).toBe(0);

    // The second run tests a deadline in the past together with those of ordinary offers.
    const second = await judge({ agentsFile, only: ['AP-ORDER-079', 'AP-ORDER-016', 'AP-REG-001'] });
    expect(second.unmet).toEqual([]);
    expect(second.spent.registrations).toBe(1);
  });

  it('is tested only with a clock command; without one, only a run that selects it by id is incomplete', async () => {
    const { hooks } = server().means;
    const noClock = { hooks: { ...hooks, clock: undefined } };
    const named = await judge(noClock);
    expect(named.exitCode).toBe(3);
    for (const { reason } of named.checks) expect(reason).toBe('no --clock-command was given');
    const unnamed = await judge({ ...noClock, only: ['AP-TOKEN-0'] });
    expect(unnamed.unmet).toMatchObject([{ id: 'time.tokens', verdict: 'not judged' }]);
    expect(unnamed.exitCode).toBe(0);

    const idle = await judge({ hooks: { ...hooks, clock: 'true {seconds}' }, only: ['AP-ORDER-079'] });
    expect(idle.unmet).toMatchObject([
      { verdict: 'not tested', reason: 'the program of --clock-command succeeded, but the clock has not moved' },
    ]);
  });
});

describe('a server whose clock moves without its Date', () => {
  it('passes, because the deadline of an offer shows the move', async () => {
    // Drops the server's `date` header, so that the proxy adds one with this machine's time.
    const proxy = await startProxy(server().url, {
      onReply: ({ headers: { date: _, ...headers }, ...reply }) => ({ ...reply, headers }),
    });
    onTestFinished(() => proxy.close());
    const { unmet, exitCode } = await judge({
      baseUrl: proxy.url,
      wsUrl: toStreamUrl(proxy.url),
      only: ['AP-ORDER-079'],
    });
    expect(unmet).toEqual([]);
    expect(exitCode).toBe(0);
  });
});

describe('a server with a fault in expiry or retention is detected where it', () => {
  const faultyServers: readonly Mutant[] = [...clockFaultBuilds, ...timeMutants];
  it.each(selectTestedMutants(faultyServers))('$name', (mutant) =>
    expectDetected(server(), mutant, { options: { eventSeconds: 1 } }),
  );
});
