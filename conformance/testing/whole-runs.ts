// `node conformance/testing/whole-runs.ts` judges a correct server in whole runs and shows the requirements that
// wrongly fail. --server names it (reference, maps), --runs N sets the number of runs, --foreign adds traffic of four
// agents, --delay N delays each answer by N seconds, --event-delay N each event, --release N the end of each connection
// (reference server), --time-scale N multiplies the time limits, --only and --skip select requirements, --stated
// applies the specified limits and uses only the grant hook. Each run prints a line of JSON: its seconds, those spent
// waiting for limits, and the slowest checks. Exits with 1 if a run fails a requirement, or judges less than it could.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type CheckOutcome,
  defaultLimits,
  judgeServer,
  type RunOptions,
  runOptions,
  unpacedLimits,
} from '@agent-platform/conformance';
import { startFaultyBuild } from './faulty-build.ts';
import { startForeignTraffic } from './foreign/traffic.ts';
import { delayEvents } from './frame-faults.ts';
import { startProxy, toStreamUrl } from './proxy.ts';
import { allHooksOf, startReferenceServer, unlimitedSettings } from './reference-server.ts';
import { startIndependentServer, statedLimits } from './servers/start-independent-server.ts';

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({
  options: {
    server: { type: 'string', default: 'reference' },
    runs: { type: 'string', default: '1' },
    'event-delay': { type: 'string', default: '0' },
    release: { type: 'string', default: '0' },
    delay: { type: 'string', default: '0' },
    'time-scale': { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    foreign: flag,
    stated: flag,
  },
});
const idsOf = (text: string) => text.split(',').filter((id) => id !== '');

interface RightServer {
  readonly url: string;
  readonly means: Partial<RunOptions>;
  stop(): Promise<void>;
}

for (let run = 1; run <= Number(options.runs); run += 1) {
  const outcome = await judge();
  process.stdout.write(`${JSON.stringify({ run, ...outcome })}\n`);
  if (outcome.accused.length > 0) process.exitCode = 1;
}

async function judge() {
  const server = await start();
  const traffic = options.foreign ? await startForeignTraffic(server.url, { asksStrangers: true }) : undefined;
  try {
    const limits = options.stated ? defaultLimits : unpacedLimits;
    const report = await judgeServer(
      runOptions(server.url, {
        ...server.means,
        only: idsOf(options.only),
        skip: idsOf(options.skip),
        timeScale: Number(options['time-scale']),
        // A delay prolongs the run, so its time limit is higher.
        limits: { ...limits, minutes: options.delay === '0' ? limits.minutes : 600 },
      }),
    );
    const unmet = report.checks.filter(({ verdict }) => !['passed', 'not judged', 'not applicable'].includes(verdict));
    const count = (verdict: string) => report.requirements.filter((one) => one.verdict === verdict).length;
    return {
      server: options.server,
      seed: report.seed,
      seconds: Math.round(report.milliseconds / 1_000),
      exitCode: report.exitCode,
      passed: count('passed'),
      notJudged: count('not judged'),
      requests: report.spent.requests,
      registrations: report.spent.registrations,
      waited: Math.round(report.spent.waitedMs / 1_000),
      longest: longestOf(report.checks),
      traffic: traffic?.counts,
      accused: unmet.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`),
    };
  } finally {
    await traffic?.stop();
    await server.stop();
  }
}

/** The ids of the slowest checks, with their durations in seconds. */
function longestOf(checks: readonly CheckOutcome[]): Readonly<Record<string, number>> {
  const first = checks.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 8);
  return Object.fromEntries(first.map(({ id, milliseconds }) => [id, Math.round(milliseconds / 1_000)]));
}

async function start(): Promise<RightServer> {
  const { server: name } = options;
  if (name === 'maps') return await startIndependentServer(options.stated ? statedLimits : undefined);
  const clean = await startReferenceServer({ ...(options.stated ? {} : unlimitedSettings), PLATFORM_CLOCK: 'test' });
  // With `--stated`, only the grant hook is used: the others need two registrations more than the limit.
  const hooks = options.stated ? { ...clean.means.hooks, clock: undefined } : allHooksOf(clean);
  const ms = (seconds: string) => 1_000 * Number(seconds);
  const [answerMs, eventMs, releasesAfterMs] = [ms(options.delay), ms(options['event-delay']), ms(options.release)];
  if (answerMs + eventMs + releasesAfterMs === 0)
    return { url: clean.url, means: { wsUrl: clean.wsUrl, hooks }, stop: clean.stop };
  const slow = await startFaultyBuild(clean, {
    hooks: (http) => http.addHook('onSend', () => sleep(answerMs)),
  });
  const stream = await startProxy(slow.url, { frames: { ...delayEvents(eventMs), releasesAfterMs } });
  const stop = async () => {
    await stream.close();
    await slow.close();
    await clean.stop();
  };
  return { url: slow.url, means: { wsUrl: toStreamUrl(stream.url), hooks }, stop };
}
