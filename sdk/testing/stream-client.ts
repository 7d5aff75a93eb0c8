import { onTestFinished } from 'vitest';
import type { AgentPlatformOptions } from '../src/index.ts';
import { sleep } from '../src/transport/sleep.ts';
import { makeTestClient } from './client.ts';

export function makeStreamClient(url: string, options: Partial<AgentPlatformOptions> = {}) {
  const waits: number[] = [];
  const ending = new AbortController();
  // Receiving stops when the test ends, because it would disturb the next test.
  onTestFinished(() => ending.abort());
  const platform = makeTestClient(url, {
    random: () => 0,
    sleep: (milliseconds, signal) => {
      waits.push(milliseconds);
      return sleep(milliseconds / 100, signal);
    },
    ...options,
  });
  return { platform, waits, signal: ending.signal, stop: () => ending.abort() };
}
