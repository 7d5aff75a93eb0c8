import { onTestFinished } from 'vitest';
import type { AgentPlatformOptions } from '../src/index.ts';
import { sleep } from '../src/transport/sleep.ts';
import { makeTestClient } from './client.ts';

/** Makes a client whose delays are recorded and are a hundred times shorter. */
export function makeStreamClient(url: string, options: Partial<AgentPlatformOptions> = {}) {
  const waits: number[] = [];
  const ending = new AbortController();
  // Stops receiving when the test ends, because it would disturb the next test.
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
