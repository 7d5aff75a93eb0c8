import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDetected } from '../../testing/expect-detected.ts';
import { refusal } from '../../testing/faults.ts';
import { type FaultyBuild, startFaultyBuild } from '../../testing/faulty-build.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { limitBuilds } from '../../testing/mutants/limit-builds.ts';
import {
  limitMutants,
  limitMutantsAt,
  limitRequests,
  registrationLimitOnly,
  withQuotas,
} from '../../testing/mutants/limit-mutants.ts';
import { openRunForTest } from '../../testing/open-step.ts';
import type { Fault } from '../../testing/passing.ts';
import { startProxy } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { fileLimitChecks } from '../areas/files/file-limits.ts';
import { limitChecks } from '../areas/transport/limits.ts';
import type { BudgetClock } from '../context/budget/budget.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { openHttpClient } from '../context/http/http-client.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { openPool } from '../context/pool/pool.ts';
import { registrationCases } from '../context/pool/registration-bodies.ts';
import { runCommand } from '../run-command.ts';
import { judgeServer, planRun } from './suite.ts';

const only = ['AP-LIMIT-002', 'AP-LIMIT-003', 'AP-MESSAGE-031'];
const asStated = {
  PLATFORM_WRITES_PER_MINUTE: '120',
  PLATFORM_MESSAGES_PER_MINUTE: '60',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '10',
};
const changing = 'PATCH /api/v1/bots/me';
const sending = 'POST /api/v1/messages';

let clean: ReferenceServer;
let folder: string;

beforeAll(async () => {
  clean = await startReferenceServer(unlimitedSettings);
  folder = mkdtempSync(join(tmpdir(), 'conformance-limits-'));
});

afterAll(async () => {
  await clean.stop();
  rmSync(folder, { recursive: true });
});

/** A clock that advances only during waits, and records their durations. */
function openTime(): BudgetClock & { readonly waited: readonly number[] } {
  let now = Date.now();
  const waited: number[] = [];
  return {
    waited,
    now: () => now,
    sleep: async (ms) => {
      waited.push(ms);
      now += ms;
    },
  };
}

async function judgeIn(
  time: BudgetClock,
  baseUrl: string,
  ids: readonly string[],
  limits = unpacedLimits,
): Promise<readonly unknown[]> {
  const wire = openHttpClient(baseUrl);
  const pool = openPool(undefined, baseUrl);
  const options = runOptions(baseUrl, { profiles: ['limits'], limits });
  const run = openRunForTest(options, { http: wire, pool, clock: time });
  const thrown: unknown[] = [];
  for (const check of [...limitChecks, ...fileLimitChecks].filter(({ id }) => ids.includes(id)))
    thrown.push(
      await check.judge(run).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  wire.close();
  return thrown;
}

async function judgeFault(id: string, openFault: (now: () => number) => Fault): Promise<unknown> {
  const time = openTime();
  const proxy = await startProxy(clean.url, openFault(time.now));
  const [error] = await judgeIn(time, proxy.url, [id]);
  await proxy.close();
  return error;
}

async function judgeBuild(time: BudgetClock, build: FaultyBuild, ids: readonly string[]): Promise<readonly unknown[]> {
  const server = await startFaultyBuild(clean, { ...build, clock: () => () => new Date(time.now()) });
  const thrown = await judgeIn(time, server.url, ids);
  await server.close();
  return thrown;
}

describe('the profile limits', () => {
  it('is run only if it is declared, and is then in the plan', () => {
    const plan = (options: Partial<RunOptions>) => planRun(runOptions('http://x', { only, ...options }));
    expect(plan({}).cost).toMatchObject({ writes: 0, messages: 0, seconds: 0 });
    expect(plan({}).registrations).toBe(9);
    expect(plan({ profiles: ['limits'] }).cost).toMatchObject({ writes: 305, messages: 61, seconds: 183 });
    expect(plan({ profiles: ['limits'] }).registrations).toBe(10);
  });

  it('is passed by the reference server with the specified limits, and waits only for its own agent', async () => {
    const time = openTime();
    const ids = limitChecks.map(({ id }) => id).filter((id) => id !== 'limits.registrations');
    expect(await judgeBuild(time, { settings: asStated }, ids)).toEqual(ids.map(() => undefined));
    expect(time.waited).toEqual([61_000, 61_000, 61_000]);
  });

  it('exhausts the registrations of an hour if the server limits them, and expects a refusal', async () => {
    const settings = { PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '10' };
    const server = await startFaultyBuild(clean, { settings });
    expect(await judgeIn(openTime(), server.url, ['limits.registrations'], registrationLimitOnly)).toEqual([undefined]);
    const [error] = await judgeIn(openTime(), clean.url, ['limits.registrations']);
    expect(error).toMatchObject({ name: 'NotJudgedError' });
    await server.close();
  });

  it('is passed by a server with the specified file quotas', async () => {
    const proxy = await startProxy(clean.url, withQuotas({}));
    const ids = fileLimitChecks.map(({ id }) => id);
    expect(await judgeIn(openTime(), proxy.url, ids)).toEqual(ids.map(() => undefined));
    await proxy.close();
  });

  it('needs more agents for contacts and files than an address may register, and reports this', () => {
    const plan = (options: Partial<RunOptions>) =>
      planRun(runOptions('http://x', { only: ['AP-FILE-033', 'AP-CONTACT-033'], profiles: ['limits'], ...options }));
    const usual = plan({}).registrations;
    expect(plan({}).missing).toMatchObject([{ option: '--registrations-per-hour 0', ids: { length: 4 } }]);
    expect(plan({}).cost.uploads).toBe(0);
    const unlimited = plan({ limits: unpacedLimits });
    expect(unlimited.missing).toEqual([]);
    expect(unlimited.registrations).toBeGreaterThan(usual + 20);
    expect(unlimited.cost.uploads).toBeGreaterThan(1_100);
  });

  it('runs after everything else, and is not applicable unless declared', async () => {
    const server = await startFaultyBuild(clean, { settings: asStated });
    const judge = async (options: Partial<RunOptions>) => {
      const steps: string[] = [];
      const nothing = () => undefined;
      const step = (_at: number, _of: number, what: string) => steps.push(what);
      const watch = { log: nothing, wait: nothing, step };
      const scope = ['AP-LIMIT-002', 'AP-VERSION-001', 'AP-BOT-015'];
      return { steps, report: await judgeServer(runOptions(server.url, { only: scope, ...options }), watch) };
    };
    const verdicts = (requirements: Awaited<ReturnType<typeof judge>>['report']['requirements']) =>
      Object.fromEntries(requirements.map(({ requirement, verdict }) => [requirement.id, verdict]));

    const { steps, report } = await judge({ profiles: ['limits'] });
    const undeclared = await judge({});
    await server.close();

    expect(steps.slice(-2)).toEqual(['choice.passport-names', 'limits.writes']);
    expect(report.exitCode).toBe(0);
    expect(verdicts(report.requirements)).toMatchObject({ 'AP-LIMIT-002': 'passed', 'AP-VERSION-001': 'passed' });
    expect(undeclared.steps).not.toContain('limits.writes');
    expect(verdicts(undeclared.report.requirements)).toMatchObject({ 'AP-LIMIT-002': 'not applicable' });
  });

  it.each(selectTestedMutants(limitMutants))('detects a server that $name', async ({ name, kills }) => {
    const pace = openTime();
    const [mutant] = limitMutantsAt(pace.now).filter((one) => one.name === name);
    const limits = kills.includes('limits.registrations') ? registrationLimitOnly : unpacedLimits;
    if (mutant !== undefined) await expectDetected(clean, mutant, { pace, options: { profiles: ['limits'], limits } });
    expect(mutant).toBeDefined();
  });

  it.each(limitBuilds)('detects a reference server that $name', async ({ kills, build }) => {
    for (const error of await judgeBuild(openTime(), build(), kills))
      expect(error).toMatchObject({ name: 'Violation' });
  });

  it.each([
    ['limits.writes', 'any number of changes', changing, 1_000, 'write_limited'],
    ['limits.tokens', 'any number of changes of two tokens', changing, 1_000, 'write_limited'],
    ['limits.messages', 'any number of messages', sending, 1_000, 'rate_limited'],
  ] as const)('detects with %s a server that accepts %s', async (id, _what, about, most, code) => {
    const error = await judgeFault(id, (now) => limitRequests(about, most, refusal(429, code), now));
    expect(error).toMatchObject({ name: 'Violation', message: expect.stringContaining('instead of 429') });
  });

  it('repeats an attempt during which a minute of the server ended', async () => {
    let asked = 0;
    const error = await judgeFault('limits.writes', (now) => {
      // This server's first minute starts with the fifth request.
      const { onRequest } = limitRequests(changing, 120, refusal(429, 'write_limited'), now);
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

describe('the agent of the profile limits', () => {
  it('stays in the pool, and no report contains its secrets', async () => {
    const agentsFile = join(folder, 'pool.json');
    const kinds = ['json', 'junit', 'html', 'markdown'];
    const fileOf = (kind: string) => join(folder, `report.${kind}`);
    const proxy = await startProxy(clean.url, limitRequests(changing, 120, refusal(403, 'write_limited')));
    const planned = (profiles: RunOptions['profiles']) =>
      planRun(runOptions(proxy.url, { agentsFile, profiles })).registrations;
    let said = '';
    const output = { out: (text: string) => (said += text), err: (text: string) => (said += text) };
    const exitCode = await runCommand(
      [
        ...['--base-url', proxy.url, '--agents', agentsFile, '--no-pace', '--profile', 'limits'],
        ...['--only', 'AP-LIMIT-002', ...kinds.flatMap((kind) => ['--report', `${kind}=${fileOf(kind)}`])],
      ],
      output,
    );
    await proxy.close();

    const agent = openPool(agentsFile, proxy.url).agent('limited');
    const all = [said, ...kinds.map((kind) => readFileSync(fileOf(kind), 'utf8'))].join('\n');
    expect(exitCode).toBe(1);
    expect(all).toContain(`TOKEN_${agent?.handle.slice(0, 10).toUpperCase()}`);
    for (const secret of [agent?.token ?? '', agent?.encryption_private_key ?? '']) {
      expect(secret.length).toBeGreaterThan(20);
      expect(all).not.toContain(secret);
    }
    // The pool contains the limited agent, so the plan adds only the 22 attempts that exhaust the hourly limit.
    expect([planned([]), planned(['limits'])]).toEqual([9, 9 + 22]);
  });

  it('needs one more registration if the pool does not contain it, and none otherwise', () => {
    const agentsFile = join(folder, 'without.json');
    const pool = openPool(agentsFile, 'http://x');
    const agent = { id: '', handle: '', token: '', encryption_public_key: '', encryption_private_key: '' };
    const recording = { at: '', body: {}, status: 0, content_type: '', text: '' };
    for (const name of Object.keys(registrationCases)) pool.record(name, recording);
    pool.keep(agent);
    pool.keep(agent, 'partner');
    const planned = (profiles: RunOptions['profiles']) =>
      planRun(runOptions('http://x', { agentsFile, only, profiles })).registrations;

    expect([planned([]), planned(['limits'])]).toEqual([1, 2]);
    openPool(agentsFile, 'http://x').keep(agent, 'limited');
    expect([planned([]), planned(['limits'])]).toEqual([1, 1]);
  });

  it('is not registered if no registration is left in this hour, and the report says so', async () => {
    const agentsFile = join(folder, 'full-hour.json');
    const pool = openPool(agentsFile, clean.url);
    for (let attempts = 0; attempts < 10; attempts += 1) pool.noteAttempt();
    const { requirements, spent, exitCode } = await judgeServer(
      runOptions(clean.url, { agentsFile, only, profiles: ['limits'] }),
    );

    expect(spent.registrations).toBe(0);
    expect(exitCode).toBe(3);
    for (const { verdict, reason } of requirements) {
      expect(verdict).toBe('not tested');
      expect(reason).toContain('no registration attempt is left in this hour');
    }
  });
});
