import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readProcessorMs, readResidentBytes } from './process-figures.ts';

describe('the figures of a process', () => {
  it('tell its memory as the process itself sees it', () => {
    const own = process.memoryUsage.rss();

    expect(readResidentBytes(process.pid) / own).toBeGreaterThan(0.8);
    expect(readResidentBytes(process.pid) / own).toBeLessThan(1.25);
  });

  it('tell its processor time, to the tick, where the system tells it', () => {
    const { user, system } = process.cpuUsage();
    const told = readProcessorMs(process.pid);

    if (existsSync('/proc/self/stat')) expect(Math.abs((told ?? 0) - (user + system) / 1_000)).toBeLessThan(100);
    else expect(told).toBeUndefined();
  });

  it('are refused for a process that is not there', () => {
    expect(() => readResidentBytes(2 ** 22 + 1)).toThrow();
  });
});
