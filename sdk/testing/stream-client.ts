import { onTestFinished } from 'vitest';
import { AgentPlatform, type AgentPlatformOptions } from '../src/index.ts';
import { sleep } from '../src/transport/sleep.ts';
import { registeredAt } from './records.ts';

/** A client whose waits take a hundredth of their time and are noted. */
export function streamClientOf(url: string, options: Partial<AgentPlatformOptions> = {}) {
  const waits: number[] = [];
  const ending = new AbortController();
  // What a test leaves running would disturb the next one.
  onTestFinished(() => ending.abort());
  const platform = new AgentPlatform({
    baseUrl: url,
    credentials: registeredAt(url),
    random: () => 0,
    sleep: (milliseconds, signal) => {
      waits.push(milliseconds);
      return sleep(milliseconds / 100, signal);
    },
    ...options,
  });
  return { platform, waits, signal: ending.signal, stop: () => ending.abort() };
}
