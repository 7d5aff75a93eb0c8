import { allChecks, runOptions, unpacedLimits } from '@agent-platform/conformance';
import type { FaultyServer } from '../faults.ts';
import { hasDetectedFault, type MatrixRow } from '../matrix.ts';
import { allHooksOf, type ReferenceServer } from '../reference-server.ts';
import { answerCheckIds, runChecks } from '../run-checks.ts';
import { startFaultyServer } from '../start-faulty.ts';
import { exemptionOf } from './exemptions.ts';
import { type RecordedTraffic, traceFault } from './record-run.ts';

const streamIds = allChecks.map(({ id }) => id).filter((id) => id.startsWith('events.'));
const allIds = allChecks.filter(({ profile }) => profile === undefined).map(({ id }) => id);

/**
 * Runs only the checks whose recorded exchanges a faulty server changes, until one fails. Malformed answers need no
 * server: the checks that examine every answer find them in the record.
 */
export async function judgeByRecord(
  server: ReferenceServer,
  fault: FaultyServer,
  passed: readonly RecordedTraffic[],
): Promise<MatrixRow> {
  const { steps, before, violated } = traceFault(fault.fault, passed);
  const changes = [...steps.values()].reduce((sum, count) => sum + count, 0);
  const row = { name: fault.name, claimed: fault.kills, killedBy: [], failed: [], changes };
  // A record contains the frames of connections, but neither their handshakes nor how they ended.
  const isOfConnections = fault.fault().frames !== undefined;
  if (steps.size === 0 && !isOfConnections) return row;
  if (violated.size > 0) return { ...row, killedBy: answerCheckIds, failed: [...violated] };
  const candidates = steps.size === 0 ? streamIds : [...steps.keys(), ...before, ...answerCheckIds];
  const outcomes = await runUntilFailed(server, fault, candidates);
  const isMissed = !outcomes.some(({ verdict }) => verdict === 'failed') && exemptionOf(fault.name) === undefined;
  // If none of these steps failed, all are run: a changed exchange may affect data that another step reads.
  const all = isMissed ? await runUntilFailed(server, fault, allIds) : outcomes;
  const failed = all.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'failed'));
  return {
    ...row,
    killedBy: all.filter(hasDetectedFault).map(({ id }) => id),
    failed: [...new Set(failed.map(({ requirement }) => requirement))],
  };
}

async function runUntilFailed(server: ReferenceServer, fault: FaultyServer, ids: readonly string[]) {
  const running = await startFaultyServer(server, fault);
  try {
    const hooks = allHooksOf(server);
    const options = runOptions(running.url, { hooks, wsUrl: running.wsUrl, eventSeconds: 1, limits: unpacedLimits });
    return await runChecks(ids, options, { isEnough: ({ verdict }) => verdict === 'failed' });
  } finally {
    await running.close();
  }
}
