import { onTestFinished } from 'vitest';
import type { AgentPlatformOptions } from '../src/index.ts';
import { sleep } from '../src/transport/sleep.ts';
import { clientOf } from './client.ts';

/** A client whose delays take a hundredth of their time and are recorded. */
export function streamClientOf(url: string, options: Partial<AgentPlatformOptions> = {}) {
  const waits: number[] = [];
  const ending = new AbortController();
  // Anything that a test leaves running would disturb the next one.
  onTestFinished(() => ending.abort());
  const platform = clientOf(url, {
    random: () => 0,
    sleep: (milliseconds, signal) => {
      waits.push(milliseconds);
      return sleep(milliseconds / 100, signal);
    },
    ...options,
  });
  return { platform, waits, signal: ending.signal, stop: () => ending.abort() };
}
