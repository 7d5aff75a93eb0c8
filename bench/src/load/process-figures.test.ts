import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readProcessorMs, readResidentBytes } from './process-figures.ts';

const burn = 'while (process.cpuUsage().user < 300_000);';

describe('the figures of a process', () => {
  it('include the same memory as the process itself reports', () => {
    const own = process.memoryUsage.rss();

    expect(readResidentBytes(process.pid) / own).toBeGreaterThan(0.8);
    expect(readResidentBytes(process.pid) / own).toBeLessThan(1.25);
  });

  it.runIf(existsSync('/proc/self/stat'))('tell its processor time with that of its children, to the tick', () => {
    const before = readProcessorMs([process.pid]);
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    spawnSync(process.execPath, ['-e', burn]);
    const after = process.resourceUsage();
    const ownMs = (after.userCPUTime + after.systemCPUTime - userCPUTime - systemCPUTime) / 1_000;

    expect(readProcessorMs([process.pid]) - before).toBeGreaterThan(ownMs + 100);
  });

  it('are refused for a process that does not exist', () => {
    expect(() => readResidentBytes(2 ** 22 + 1)).toThrow();
  });
});
