import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from './circuit.ts';

describe('the circuit of a replica', () => {
  it('stays closed after a response that is too late, if a probe succeeds', async () => {
    const reports: boolean[] = [];
    const circuit = new CircuitBreaker(
      async () => undefined,
      (isAvailable) => reports.push(isAvailable),
    );

    expect(await circuit.run(() => wait(900, 'late'))).toBeUndefined();
    await wait(0);
    expect(await circuit.run(async () => 'at once')).toBe('at once');
    expect(reports).not.toContain(false);
  });

  it('is opened immediately by a failure', async () => {
    const circuit = new CircuitBreaker(
      async () => undefined,
      () => undefined,
    );

    expect(await circuit.run(() => Promise.reject(new Error('gone')))).toBeUndefined();
    expect(await circuit.run(async () => 'at once')).toBeUndefined();
  });
});
