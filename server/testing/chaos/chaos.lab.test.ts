import { describe, expect, it } from 'vitest';
import { runChaos } from './run-chaos.ts';

describe('two instances whose processes are killed, restarted and frozen under mixed work', () => {
  it('neither lose nor duplicate anything acknowledged, and only fail if a fault explains it', async () => {
    const said: string[] = [];
    const report = await runChaos({
      seed: 7,
      seconds: 8,
      instances: 2,
      sockets: 24,
      jobsPerSecond: 25,
      faults: ['kill', 'postgres-restart', 'redis-freeze'],
      pace: 0.12,
      storage: 's3rver',
      say: (line) => said.push(line),
    });

    expect(report.problems, said.join('\n')).toEqual([]);
    expect(new Set(report.effects.map(({ name }) => name.replace(/ of .*/, '')))).toEqual(
      new Set(['kill', 'postgres-restart', 'redis-freeze']),
    );
    const kinds = ['reads', 'posts', 'profiles', 'messages', 'orders', 'uploads'];
    expect(Object.keys(report.succeeded)).toEqual(expect.arrayContaining(kinds));
    expect(report.compared).toBeGreaterThan(20);
  });
});
