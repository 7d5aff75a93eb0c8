import { randomUUID } from 'node:crypto';
import { scaleRepetitions } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { readBalances } from '../../testing/scenarios/orders.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { TestServer } from '../../testing/test-server.ts';
import { sumCredits } from './credit-totals-queries.ts';
import { checkLedger } from './ledger-check-queries.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...pair) => {
  [one, other] = pair;
});

const rounds = scaleRepetitions(10);
const either = (index: number) => (index % 2 === 0 ? one : other);

describe('parallel grants on PostgreSQL', () => {
  it('grant once when the same grant comes 20 times', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const agent = await one.register(`granted_${round}`);
      const operationId = randomUUID();
      await Promise.all(Array.from({ length: 20 }, (_, index) => either(index).grant(agent.id, 70, operationId)));

      expect(await readBalances(one, agent)).toEqual([70, 0]);
    }
  });

  it('of one id and two contents make one of the two', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const agent = await one.register(`contended_${round}`);
      const operationId = randomUUID();
      const attempts = Array.from({ length: 10 }, (_, index) =>
        either(index >> 1).grant(agent.id, 10 + (index % 2), operationId),
      );
      const outcomes = await Promise.allSettled(attempts);

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      const [available] = await readBalances(one, agent);
      expect([10, 11]).toContain(available);
    }
    expect((await checkLedger(one.store)).faults).toEqual([]);
    const { issued, available } = await one.store.read(sumCredits);
    expect(issued).toBe(available);
  });
});
