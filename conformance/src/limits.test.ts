import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../testing/faults.ts';
import { startBuild } from '../testing/faulty-build.ts';
import { expectKilled, type Suite } from '../testing/judge-mutant.ts';
import { limited, limitMutants } from '../testing/mutants/limit-mutants.ts';
import { type Fault, startProxy } from '../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../testing/reference-server.ts';
import { allChecks } from './checks/all-checks.ts';
import { limitChecks } from './checks/limits.ts';
import { withoutPace } from './limits.ts';
import { type RunOptions, runOptions } from './options.ts';
import { openPool } from './pool.ts';
import { openRun } from './run.ts';
import { judgeServer, planRun } from './suite.ts';
import { openWire } from './wire.ts';

const only = limitChecks.flatMap(({ covers }) => covers);
const suite: Suite = {
  checks: allChecks,
  judge: (baseUrl, options) =>
    judgeServer(runOptions(baseUrl, { ...options, profiles: ['limits'], limits: withoutPace })),
};

let clean: ReferenceServer;

beforeAll(async () => {
  clean = await startReferenceServer(withoutLimits);
});

afterAll(async () => {
  await clean.stop();
});

/** Makes one of the checks on a server with a fault, with a clock that goes on only while somebody waits. */
async function judgeInNoTime(id: string, fault: (now: () => number) => Fault): Promise<unknown> {
  let now = Date.now();
  const proxy = await startProxy(
    clean.url,
    fault(() => now),
  );
  const wire = openWire(proxy.url);
  const pace = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const pool = openPool(undefined, proxy.url, () => new Date());
  const run = openRun(runOptions(proxy.url, { limits: withoutPace }), wire, pool, () => undefined, pace);
  try {
    const check = limitChecks.find((one) => one.id === id);
    return await check?.judge(run).catch((error: unknown) => error);
  } finally {
    wire.close();
    await proxy.close();
  }
}

describe('the profile limits', () => {
  it('is nothing that a run does without being told, and is in its plan otherwise', () => {
    const cost = (options: Partial<RunOptions>) => planRun(runOptions('http://x', { only, ...options })).cost;
    expect(cost({})).toMatchObject({ writes: 0, messages: 0, seconds: 0 });
    expect(cost({ profiles: ['limits'] })).toMatchObject({ writes: 184, messages: 61, seconds: 122 });
  });

  it('is passed by the reference server with the stated limits, and not applicable where it is not declared', async () => {
    const limits = { PLATFORM_WRITES_PER_MINUTE: '120', PLATFORM_MESSAGES_PER_MINUTE: '60' };
    const server = await startBuild(clean, { settings: limits });
    try {
      const { requirements, exitCode } = await judgeServer(runOptions(server.url, { only, profiles: ['limits'] }));
      expect(requirements.map(({ verdict, reason }) => [verdict, reason])).toEqual(only.map(() => ['passed', '']));
      expect(exitCode).toBe(0);
      const undeclared = await judgeServer(runOptions(server.url, { only: [...only, 'AP-VERSION-001'] }));
      const verdicts = undeclared.requirements.map(({ verdict }) => verdict);
      expect(verdicts.toSorted()).toEqual(['not applicable', 'not applicable', 'passed']);
    } finally {
      await server.close();
    }
  }, 60_000);

  it.each(limitMutants)('finds out a server that $name', async (mutant) => expectKilled(clean, mutant, suite));

  const changing = 'PATCH /api/v1/bots/me';
  const sending = 'POST /api/v1/messages';

  it.each([
    ['limits.writes', 'one change more than is stated', changing, 121, 'write_limited'],
    ['limits.writes', 'any number of changes', changing, 1_000, 'write_limited'],
    ['limits.messages', 'one message more than is stated', sending, 61, 'rate_limited'],
  ] as const)('finds out by %s a server that takes %s', async (id, _what, about, most, code) => {
    const error = await judgeInNoTime(id, (now) => limited(about, most, refusal(429, code), now));
    expect(error).toMatchObject({ name: 'Deviation', message: expect.stringContaining('instead of 429') });
  });

  it('gives another try to a server whose minute ended in the middle of the first', async () => {
    let asked = 0;
    const error = await judgeInNoTime('limits.writes', (now) => {
      // Its minutes begin with the fifth request.
      const { onRequest } = limited(changing, 120, refusal(429, 'write_limited'), now);
      return {
        onRequest: (request) => {
          if (request.method === 'PATCH') asked += 1;
          return asked < 5 && request.method === 'PATCH' ? request : (onRequest?.(request) ?? request);
        },
      };
    });
    expect(error).toBeUndefined();
    expect(asked).toBe(242);
  });
});
