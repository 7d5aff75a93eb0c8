import { runOptions } from '../context/options.ts';
import { emptyPoolStatus, makePlan } from '../context/plan.ts';
import { suiteVersion } from '../package-files.ts';
import { deriveOutcome, exitCodeOf } from '../verdict/judge.ts';
import type { CheckOutcome, Report } from '../verdict/report.ts';
import { clientRequirements } from './client-requirements.ts';
import { makeTraceChecks } from './every-scenario.ts';
import { orderScenario } from './order-scenario.ts';
import { messageScenarios } from './serving.ts';
import { singleCallScenarios } from './single-calls.ts';
import { type Scenario, ScenarioRun } from './stage.ts';
import type { Trace } from './trace.ts';
import { judgeClientCheck } from './verdicts.ts';

export interface ClientRunOptions {
  /** The words of the command that starts the agent's program. */
  readonly command: readonly string[];
  /** How long each scenario waits for the program. */
  readonly seconds: number;
  readonly concurrency: number;
}

const scenarios: readonly Scenario[] = [...singleCallScenarios, ...messageScenarios, orderScenario];

/** Grades an agent's program with servers that send difficult and faulty answers. */
export async function judgeClient(options: ClientRunOptions, log: (line: string) => void): Promise<Report> {
  const startedAt = new Date();
  const traces: Trace[] = [];
  const played: CheckOutcome[][] = [];
  const waiting = [...scenarios.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, scenario] = next;
      log(`${at + 1} of ${scenarios.length}: ${scenario.name}`);
      played[at] = await play(scenario, options, traces);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  const checks = [...played.flat(), ...makeTraceChecks(traces).map((check) => judgeClientCheck(check, 0))];
  const findings = { outcomes: checks, observations: [], allChecks: [], allObservations: [] };
  const requirements = clientRequirements.map((requirement) =>
    deriveOutcome(requirement, {
      ...findings,
      baseline: new Map(),
      leftOut: new Map(),
      strict: false,
      incomplete: undefined,
    }),
  );
  const endings = requirements.map(({ verdict }) => ({ verdict, isExpectedToFail: false }));
  return {
    suiteVersion,
    baseUrl: clientAddress(options),
    wsUrl: undefined,
    startedAt: startedAt.toISOString(),
    milliseconds: Date.now() - startedAt.getTime(),
    strict: false,
    profiles: [],
    without: [],
    seed: undefined,
    exitCode: exitCodeOf(endings),
    shuffled: false,
    readOnly: false,
    incomplete: undefined,
    notes: [],
    plan: makePlan({ checks: [], observations: [] }, runOptions(''), emptyPoolStatus),
    spent: spentOf(traces),
    usage: [],
    tokensIn: undefined,
    requirements,
    checks,
    observations: [],
  };
}

/** The text that a report shows instead of a server address. */
const clientAddress = ({ command }: ClientRunOptions) => `client: ${command.join(' ')}`;

async function play(scenario: Scenario, options: ClientRunOptions, traces: Trace[]): Promise<CheckOutcome[]> {
  const stage = await ScenarioRun.open(options.command, options.seconds);
  const startMs = Date.now();
  try {
    const checks = await scenario.play(stage);
    return checks.map((check) => judgeClientCheck(check, Date.now() - startMs));
  } finally {
    traces.push(stage.platform.trace);
    await stage.close();
  }
}

function spentOf(traces: readonly Trace[]) {
  const requests = traces.flatMap((trace) => trace.requests);
  const count = (path: RegExp) =>
    requests.filter((request) => request.method === 'POST' && path.test(request.path)).length;
  return {
    registrations: count(/\/bots\/register$/),
    requests: requests.length,
    writes: requests.filter(({ method }) => method !== 'GET').length,
    contactRequests: count(/\/contacts\/requests$/),
    messages: count(/\/messages$/),
    uploads: 0,
    creditsMinor: 0,
    sockets: 0,
    limited: 0,
    waitedMs: 0,
  };
}
