import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allMeasures } from './all-measures.ts';
import { peerMeasures } from './peers.ts';
import type { Report } from './report.ts';

const main = fileURLToPath(import.meta.resolve('./main.ts'));

async function runBench(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 600_000 });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

describe('npm run bench', () => {
  it('runs every measure in a quick run, and prints a JSON report', async () => {
    const { code, stdout, stderr } = await runBench(['--quick', '--json']);

    expect(stderr).not.toContain('could not run');
    expect(code, `ended by its time limit, after:\n${stderr}`).not.toBeNull();
    const report: Report = JSON.parse(stdout);
    expect(report.quick).toBe(true);
    expect(report.results.map(({ measure }) => measure)).toEqual(allMeasures.map(({ name }) => name));
    const figures = report.results.flatMap((result) => result.figures);
    expect(figures.filter(({ value }) => !(Number.isFinite(value) && value > 0))).toEqual([]);
    // A quick run may miss targets, but then its exit code must be 1.
    expect(code).toBe(report.missed.length === 0 ? 0 : 1);
  });

  it('refuses an unknown measure with exit code 2, and lists the known ones', async () => {
    const { code, stdout, stderr } = await runBench(['speed']);

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `The measures are: ${[...allMeasures, ...peerMeasures].map(({ name }) => name).join(', ')}.`,
    );
  });
});
