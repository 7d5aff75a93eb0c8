import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectDetected, useReferenceServer } from '../../testing/expect-detected.ts';
import { timeBuilds, timeMutants } from '../../testing/mutants/time-builds.ts';
import type { Mutant } from '../../testing/start-faulty.ts';
import { timeRequirements } from '../../testing/time-requirements.ts';
import { timeChecks } from '../checks/time/time-checks.ts';
import { withoutPace } from '../context/limits.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

const server = useReferenceServer({ PLATFORM_CLOCK: 'test' });
const only = timeRequirements;

async function judge(options: Partial<RunOptions>) {
  const { url, means } = server();
  const report = await judgeServer(runOptions(url, { ...means, only, limits: withoutPace, ...options }));
  return { ...report, unmet: report.checks.filter(({ verdict }) => verdict !== 'passed') };
}

describe('what becomes visible when the clock moves', () => {
  it('passes on the reference server, and a later run continues at its time with the agents of the pool', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-time-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const agentsFile = join(folder, 'pool.json');
    const first = await judge({ agentsFile });
    expect(first.unmet).toEqual([]);
    expect(first.checks).toHaveLength(timeChecks.length);
    expect(first.exitCode).toBe(0);

    // Beside the deadline that passes, those of ordinary offers.
    const second = await judge({ agentsFile, only: ['AP-ORDER-079', 'AP-ORDER-016', 'AP-REG-001'] });
    expect(second.unmet).toEqual([]);
    expect(second.spent.registrations).toBe(1);
  });

  it('is not tested without a program that moves the clock, or with one that does not', async () => {
    const { hooks } = server().means;
    const without = await judge({ hooks: { ...hooks, clock: undefined } });
    expect(without.exitCode).toBe(3);
    for (const { reason } of without.checks) expect(reason).toBe('no --clock-command was given');

    const idle = await judge({ hooks: { ...hooks, clock: 'true {seconds}' }, only: ['AP-ORDER-079'] });
    expect(idle.unmet).toMatchObject([
      { verdict: 'not tested', reason: 'the program of --clock-command succeeded, but the clock has not moved' },
    ]);
  });
});

describe('a server with a fault in expiry or retention is detected where it', () => {
  const faultyServers: readonly Mutant[] = [...timeBuilds, ...timeMutants];
  it.each(faultyServers)('$name', (mutant) => expectDetected(server(), mutant, { options: { eventSeconds: 1 } }));
});
