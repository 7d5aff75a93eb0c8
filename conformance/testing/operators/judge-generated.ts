import { runOptions, withoutPace } from '@agent-platform/conformance';
import { isNoticed, type MatrixRow } from '../matrix.ts';
import type { ReferenceServer } from '../reference-server.ts';
import { lastIds, runChecks } from '../run-checks.ts';
import { startFaulty } from '../start-faulty.ts';
import type { GeneratedFault } from './generated.ts';
import { type Passed, stepsChangedBy } from './record-run.ts';

/** Judges a generated fault by the checks whose recorded exchanges it changes, until the first that fails. */
export async function judgeGenerated(
  server: ReferenceServer,
  fault: GeneratedFault,
  passed: readonly Passed[],
): Promise<MatrixRow> {
  const steps = stepsChangedBy(fault.fault, passed);
  const changes = [...steps.values()].reduce((sum, count) => sum + count, 0);
  const none = { name: fault.name, claimed: [], killedBy: [], failed: [], changes };
  if (steps.size === 0) return none;
  const running = await startFaulty(server, fault);
  try {
    const hooks = { ...server.means.hooks, suspend: server.suspendCommand };
    const options = runOptions(running.url, { hooks, wsUrl: running.wsUrl, eventSeconds: 1, limits: withoutPace });
    const outcomes = await runChecks([...steps.keys(), ...lastIds], options, {
      isEnough: ({ verdict }, { journal }) => verdict === 'failed' || journal.formFaults.size > 0,
    });
    const failed = outcomes.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
    return {
      ...none,
      killedBy: outcomes.filter(isNoticed).map(({ id }) => id),
      failed: [...new Set(failed.map(({ requirement }) => requirement))],
    };
  } finally {
    await running.close();
  }
}
